"""A lesson as a page and as a notebook: the same formulas, the same output, in both languages, and nothing of the site's own
notation."""

from __future__ import annotations

import html
import json
import re

import nbformat
import pytest

from lessonkit.jupyter_markdown import _code_without_bars, _without_bars
from lessonkit.terminal import plain_text
from tests import notebooks
from tests.cases.conftest import SITE_URL, WORDS, article, without_drawings

languages = pytest.mark.parametrize("language", ["es", "ru"])


def notebook_of(course, language: str) -> dict:
    return json.loads((course.site / f"{language}/lessons/full/full.ipynb").read_text(encoding="utf-8"))


def source(cell: dict) -> str:
    return "".join(cell["source"])


def text_of(notebook: dict) -> str:
    return "\n\n".join(source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown")


@pytest.mark.case(number="C40")
@languages
def test_as_many_formulas_as_the_lesson_and_none_in_code(full_course, language):
    lesson, notebook = (article(full_course, f"{language}/lessons/full/{file}") for file in ("index.html", "notebook.html"))
    formulas = [[html.unescape(tex) for tex in re.findall(r'<mjx-container[^>]* data-tex="([^"]*)"', page)] for page in (lesson, notebook)]
    assert formulas[0] == formulas[1]
    assert len(formulas[0]) == 10
    assert any(tex.startswith(r"\begin{align}") for tex in formulas[0])
    for page in (lesson, notebook):
        shown = without_drawings(page)
        assert r"<samp>$a and $b $5 \(x\) \[y\] $$</samp>" in shown
        assert "<code>$c$</code>" in shown
        prose = re.sub(r"(?s)<(code|samp|pre)\b.*?</\1>|data-tex=\"[^\"]*\"", "", shown)
        assert prose.count("$") == 1
        assert f"{WORDS[language]['price']} 5$" in prose
        for code in re.findall(r"(?s)<(?:code|samp|pre)\b.*?</(?:code|samp|pre)>", page):
            assert "mjx" not in code


@pytest.mark.case(number="C42")
@languages
def test_a_notebook_is_a_page_of_its_language_and_its_download_is_json(full_course, language):
    """It is written by the course itself: there is no plug-in whose order could be wrong, and none is listed."""
    page = (full_course.site / f"{language}/lessons/full/notebook.html").read_text(encoding="utf-8")
    other = "ru" if language == "es" else "es"
    assert re.search(r'<html lang="(\w+)"', page)[1] == language
    menu = re.search(r'(?s)<nav class="md-nav md-nav--primary.*?</nav>', page)[0]
    assert WORDS[language]["title"] in menu
    assert not re.search(rf'href="[^"]*\b{other}/', menu)
    assert re.findall(r'class="course-languages__link" href="([^"]*)"', page) == [f"../../../{other}/lessons/full/notebook.html"]
    assert "data-pagefind-body" not in page
    nbformat.validate(notebook_of(full_course, language))
    assert "\nplugins: []\n" in full_course.read("mkdocs.yml")


@pytest.mark.case(number="C74")
@languages
def test_a_bar_in_a_cell_of_a_table_ends_no_cell(full_course, language):
    """Seen: Jupyter ends a cell at a bar in code, and the notebook's page showed the whole table as text."""
    for file in ("index.html", "notebook.html"):
        table = without_drawings(re.search(r"(?s)<table>.*?</table>", article(full_course, f"{language}/lessons/full/{file}"))[0])
        rows = [re.findall(r"(?s)<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"(?s)<tr>.*?</tr>", table)]
        assert [len(row) for row in rows] == [2, 2, 2, 2], file
        shown = [re.sub(r'<mjx-container[^>]*data-tex="([^"]*)".*?</mjx-container>', r"\1", cell) for row in rows[1:3] for cell in row]
        assert shown == ["|x|", "P(A|B)", r"\|v\|", "<code>a | b</code>"]
    rows = [line for line in text_of(notebook_of(full_course, language)).split("\n") if line.startswith("|")]
    assert [row.count("|") for row in rows] == [3, 3, 3, 3, 3]
    assert rows[2:4] == [r"| $\vert x\vert$ | $P(A\vert B)$ |", r"| $\Vert v\Vert$ | <code>a &#124; b</code> |"]


@pytest.mark.case(number="C74")
@pytest.mark.parametrize(("tex", "same"), [
    (r"$a|b$", r"$a\vert b$"),
    (r"$\left|x_1\right|$", r"$\left\vert x_1\right\vert$"),
    (r"$a\\|b|$", r"$a\\\vert b\vert$"),
    (r"$\begin{array}{c|c}a&b\end{array}$", r"$\begin{array}{c|c}a&b\end{array}$"),
    (r"$\text{a|b}$", r"$\text{a|b}$"),
])
def test_a_formula_without_bars_says_the_same(tex, same):
    assert _without_bars(tex) == same


def test_code_without_bars_is_read_as_it_stands():
    code = _code_without_bars("``x_1 | *y* `$5` <b>``")
    assert html.unescape(code) == "<code>x_1 | *y* `$5` <b></code>"
    assert not set("|*_`$") & set(code)


@pytest.mark.case(number="C80")
@languages
def test_a_notebook_alone_keeps_everything_readable(full_course, language):
    words, notebook = WORDS[language], notebook_of(full_course, language)
    text = text_of(notebook)
    assert not re.search(r"^(?:!!!|\?\?\?|===|///)|\{[.#:]|\[\^|\ue000|\]\((?!https://|#)", text, re.M)
    for part in (f"> **{words['title']}**\n>\n> {words['price']}.", f"**{words['red']}**\n\n$x_1$", f"**{words['link']}**\n\n{words['price']}.",
                 f"[{words['link']}]({SITE_URL}{language}/lessons/mini/#mixing)", f"[CSV]({SITE_URL}{language}/data/table.csv)",
                 f"![{words['alt']}]({SITE_URL}{language}/data/dot.png)", f"## {words['function']} $f(x)$", "<sup>1</sup>",
                 f"1. {words['price']}.", 'x = "$5"\ny = "$6"\n'):
        assert part in text, part
    figures = [output["data"] for cell in notebook["cells"] for output in cell.get("outputs", ()) if "data" in output]
    assert len(figures) == 4
    assert all("".join(figure["image/svg+xml"]).startswith("<svg") for figure in figures), "a figure is inside the file"


@pytest.mark.case(number="C80")
def test_cells_are_named_after_their_program_never_at_random(full_course):
    names = [cell["id"] for cell in notebook_of(full_course, "es")["cells"]]
    code = [cell["id"] for cell in notebook_of(full_course, "es")["cells"] if cell["cell_type"] == "code"]
    assert code[2:8] == [f"prints-{name}" for name in ("dollars", "colours", "progress", "wide", "long", "fails")]
    assert names == [cell["id"] for cell in notebook_of(full_course, "ru")["cells"]]


@pytest.mark.case(number="C49")
@pytest.mark.case(number="C80")
@pytest.mark.case(number="C81")
@pytest.mark.case(number="C82")
@pytest.mark.slow
def test_in_a_fresh_kernel_the_cells_give_what_the_page_shows(full_course, tmp_path):
    """No value of a last expression (of `plt.plot`, a title, a table), no word of the back end, no figure twice."""
    stored = notebook_of(full_course, "es")
    ran = notebooks.run_in_kernel(stored, tmp_path, libraries=str(full_course.root / "snippets"))
    for (name, _, cell), (_, _, before) in zip(notebooks.program_cells(ran), notebooks.program_cells(stored), strict=True):
        if cell["id"] == "prints-progress":  # the test's client takes away what ends with a carriage return
            continue
        printed = plain_text(notebooks.printed(cell, "stdout", "stderr"))  # colours and progress are drawn by a front end
        if cell["id"] == "prints-colours":  # Jupyter's kernel sets FORCE_COLOR, a build does not
            printed = printed.removeprefix("a terminal\n")
        assert printed == notebooks.printed(before, "stdout"), cell["id"]
        assert notebooks.figures(cell) == notebooks.figures(before), (name, cell["id"])
        assert notebooks.errors(cell) == notebooks.errors(before)
        assert not [output for output in cell["outputs"] if output["output_type"] == "execute_result"]
