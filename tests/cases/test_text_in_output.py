"""What a program prints is text: no HTML, no Markdown, no formula, no directive, on the lesson's page and on the notebook's."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser

import pytest

from tests.cases.conftest import WORDS, article, without_drawings

PRINTED = r'''<class 'int'>
<b>x</b> & <script>alert(1)</script> &lt;
</code></pre></samp><h1>oops</h1>

   leading spaces, and a blank line above

# title
* item
1. x
---
| a | b |
|---|---|
:smile: [x](y) **z** _w_ ~~v~~ [^1] [1]{= x}
```
````
/// snippet | count
///
!!! note
=== "Tab"
$a and $b $$ $HOME \(x\) \[y\] \begin{align} \val{1}{= x}'''
SHOWN_WITH_WARNING = '''# %% warns stderr=show
import sys
import warnings

print("uno")
warnings.warn("cuidado")
print("dos", file=sys.stderr)
print("tres")
'''


class Elements(HTMLParser):
    """The text of each <samp>, and the elements opened within one."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.within: list[str] = []
        self._open = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if self._open:
            self.within.append(tag)
        elif tag == "samp":
            self._open = True
            self.texts.append("")

    def handle_endtag(self, tag):
        self._open = self._open and tag != "samp"

    def handle_data(self, data):
        if self._open:
            self.texts[-1] += data


@pytest.mark.case(number="C07")
@pytest.mark.case(number="C14")
@pytest.mark.case(number="C24")
@pytest.mark.case(number="C28")
def test_a_block_of_output_holds_exactly_what_was_printed_cold_and_warm(checkout):
    """Text nodes are what is copied. What goes to stderr fails the build, or is shown in its place, or is hidden: never lost by itself."""
    warning = "snippets/{}/other/count.py:6: UserWarning: cuidado\n  warnings.warn(\"cuidado\")"
    for code in ("es", "ru"):
        checkout.write(f"snippets/{code}/other/count.py", f"{SHOWN_WITH_WARNING}\n# %% prints\nprint({PRINTED!r})\n")
    done = checkout.lessons("accept", "other")
    assert done.returncode == 0, done.stderr
    pages = []
    for state in ("cold", "warm"):
        done = checkout.build()
        assert done.returncode == 0, (state, done.stderr)
        pages.append([(checkout.site / f"{code}/lessons/other/{file}").read_text(encoding="utf-8") for code in ("es", "ru")
                      for file in ("index.html", "notebook.html")])
    assert pages[0] == pages[1]
    for code, (page, notebook) in zip(("es", "ru"), (pages[0][:2], pages[0][2:]), strict=True):
        found = Elements(page)
        assert found.within == []
        assert found.texts == [f"uno\n{warning.format(code)}\ndos\ntres", PRINTED]
        assert PRINTED in Elements(notebook).texts
        for text in (page, notebook):
            assert text.count("<h1") == 1
            assert "<script>alert" not in text
            assert "mjx-container" not in text, "nothing of the page is a formula"
            assert text.count('<div class="lesson-snippet"') <= 1, "a printed directive is not obeyed"
            # Each element that is opened is closed, whatever was printed.
            for tag in ("div", "pre", "code", "samp", "figure", "article"):
                assert len(re.findall(rf"<{tag}[ >]", text)) == text.count(f"</{tag}>"), tag
    stored = json.loads((checkout.site / "es/lessons/other/other.ipynb").read_text(encoding="utf-8"))
    outputs = ["".join(output.get("text", [])) for cell in stored["cells"] for output in cell.get("outputs", [])]
    assert f"{PRINTED}\n" in outputs or PRINTED in outputs


@pytest.mark.case(number="C14")
@pytest.mark.case(number="C31")
@pytest.mark.parametrize("language", ["es", "ru"])
def test_dollars_in_code_output_and_traceback_stay_beside_real_formulas(full_course, language):
    page = article(full_course, f"{language}/lessons/full/index.html")
    shown = html.unescape(re.sub(r"<[^>]+>", "", without_drawings(page)))
    assert 'price = "$5"' in shown
    assert 'print("$a and $b", price, r"\\(x\\) \\[y\\] $$")' in shown
    assert r"$a and $b $5 \(x\) \[y\] $$" in shown
    assert "FileNotFoundError" in shown
    assert page.count("<mjx-container") == 10
    assert WORDS[language]["price"] in shown
