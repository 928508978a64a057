"""TeX is taken out of the text before Markdown sees it, in every container."""

from __future__ import annotations

import html
import json
import re

import pytest

FORMULAS = ["a_{i}", "b_{j}", "x^*", "y^*", r"\{1,2\}", "a<b", "c'", "a_1*b_2*c_3", r"\sum_{i}x_{i}", r"\|v\|"]
ALIGNED = "\\begin{aligned}a_{1}&=b^*\\\\c_{2}&=d^*\\end{aligned}"
SENTENCE = " y ".join(f"${tex}$" for tex in FORMULAS) + "."
SENTENCES = 7
TEXT = f"""
{SENTENCE}

- {SENTENCE}

    {SENTENCE}

1. {SENTENCE}

!!! note "T $t_{{1}}$ y $t_{{2}}$"
    {SENTENCE}

    $$
    {ALIGNED}
    $$

Nota.[^n]

$$
{ALIGNED}
$$

| a |
|---|
| {SENTENCE} |

[^n]: {SENTENCE}
"""


@pytest.mark.case(number="C19")
def test_tex_reaches_mathjax_and_the_notebook_unchanged_wherever_it_stands(checkout):
    for code in ("es", "ru"):
        path = f"docs/{code}/lessons/other.md"
        checkout.write(path, checkout.read(path) + TEXT)
    done = checkout.build()
    assert done.returncode == 0, done.stderr
    expected = sorted([*FORMULAS * SENTENCES, ALIGNED, ALIGNED, "t_{1}", "t_{2}"])
    for code in ("es", "ru"):
        for file in ("index.html", "notebook.html"):
            page = re.search(r"(?s)<article.*</article>", (checkout.site / f"{code}/lessons/other/{file}").read_text(encoding="utf-8"))[0]
            drawn = [html.unescape(tex) for tex in re.findall(r'<mjx-container[^>]* data-tex="([^"]*)"', page)]
            assert sorted(drawn) == expected, (code, file)
            assert "<em>" not in page
            assert "$" not in re.sub(r'data-tex="[^"]*"', "", page)
        cells = json.loads((checkout.site / f"{code}/lessons/other/other.ipynb").read_text(encoding="utf-8"))["cells"]
        written = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        for tex in FORMULAS:
            bars = r"\|" in tex  # in the table they are written \Vert: Jupyter would split the cell
            assert written.count(f"${tex}$") == SENTENCES - bars, tex
