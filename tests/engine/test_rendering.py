"""Pages as HTML, through the real Markdown extension: what stands where, escaped, once, in every container."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import markdown
import pygments
import pytest
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from lessonkit.course import Sources, judge
from lessonkit.formulas import Drawing
from lessonkit.markup import LessonExtension
from lessonkit.pages import TOKEN_START, parse_page, token
from lessonkit.problems import Problem
from lessonkit.project import PageName, ProgramName, Project
from lessonkit.rendering import highlight, put_items
from lessonkit.results import CellResult, Failure, Result, Value
from lessonkit.snippets import parse_snippet
from tests.conftest import ROOT

PAGE = PageName("es", "lessons/masks.md")
NOWHERE = Project(Path("no-such-folder"))
FRONT = "---\ntitle: T\ndescription: D\nminutes: 20\nneeds: []\n---\n"
EXTENSIONS = ["admonition", "attr_list", "footnotes", "md_in_html", "tables", "toc", "pymdownx.details", "pymdownx.superfences",
              "pymdownx.tabbed"]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10" width="20pt" height="10pt"><path id="a" d="M0 0L9 9"/></svg>'
PROGRAM = '"""Doc."""\nimport math\n\n# %% one\nif True:\n    x = "<b>&"\n\nprint(x)\n\n# %% two\ny = 2\n'


def course_of(text, *, program=PROGRAM, cells=None, failure=None, values=()):
    page = parse_page(PAGE, FRONT + text)
    name = PAGE.program("causal")
    snippets = {name: parse_snippet(name, program)}
    if cells is None:
        cells = (CellResult(), CellResult(output="<b>&\n", figures=(SVG,), values=values), CellResult(values=values))
    results = {name: Result(cells, failure)}
    sources = Sources(NOWHERE, {PAGE: page}, snippets)
    drawings = {f.formula: Drawing(f"<mjx-container data-tex='{html.escape(f.formula.tex)}'></mjx-container>")
                for f in page.formulas}
    return page, judge(sources, results, drawings)


def render(text, *, keep=False, **options):
    page, course = course_of(text, **options)
    extension = LessonExtension()
    md = markdown.Markdown(extensions=[*EXTENSIONS, extension])
    with extension.converting(page, course):
        content = md.convert(page.markdown)
    assert keep or TOKEN_START not in content
    return content, md, course


BLOCK = "/// snippet | causal\nUna línea.\n///\n"


def test_code_output_and_figure_in_order():
    content, _, course = render(BLOCK)
    assert re.findall(r"lesson-(code|output|figure)\b", content) == ["code", "code", "output", "figure", "code"]
    assert "Doc." not in content
    assert "# %%" not in content
    assert [p.rule for p in course.problems if p.rule != "page-missing"] == []


def test_one_cell_and_one_side():
    assert "math" not in render("/// snippet | causal:one\nUna.\n///\n")[0]
    only_code = render("/// snippet | causal:one\n    show: code\n///\n")[0]
    assert "lesson-code" in only_code
    assert "lesson-output" not in only_code
    only_output = render("/// snippet | causal:one\n    show: output\nUna.\n///\n")[0]
    assert "lesson-code" not in only_output
    assert "lesson-output" in only_output


def test_hidden_cell_is_not_shown():
    content = render("/// snippet | causal\n///\n", program="# %% a hide=true\nsecret = 1\n\n# %% b\nx = 2\n",
                     cells=(CellResult("no\n"), CellResult("sí\n")))[0]
    assert "secret" not in content
    assert "no" not in re.sub(r"<[^>]+>", "", content)
    assert "sí" in content


PRINTED = ["<class 'int'>", "<b>x</b> & <script>alert(1)</script>", "</code></pre><h1>oops</h1>", "# título\n* uno\n1. dos\n---",
           "| a | b |\n|---|---|", ":smile: [x](y) **z**", "```\n````\n", "/// snippet | otra\n///", "$a and $b $$ \\(x\\) \\[y\\]",
           "  sangría\n\n\nlíneas", "[1]{= x}", "&amp; &lt;"]


@pytest.mark.case(number="C07")
@pytest.mark.case(number="C24")
@pytest.mark.parametrize("text", PRINTED)
def test_output_shows_exactly_what_was_printed(text):
    content = render("/// snippet | causal\n///\n", program="print(1)\n", cells=(CellResult(output=text + "\n"),))[0]
    shown = re.search(r"<samp>(.*?)</samp>", content, re.S)[1]
    assert "<" not in shown
    assert html.unescape(shown) == text.rstrip("\n")


CONTAINERS = {
    "top": "{0}", "admonition": "!!! note\n\n{1}", "fold": "??? note\n\n{1}", "tab": '=== "Uno"\n\n{1}', "list": "1. uno\n\n{1}",
    "two levels": '=== "Uno"\n\n    1. dos\n\n{2}', "div": '<div markdown>\n\n{0}\n</div>',
}


@pytest.mark.case(number="C15")
@pytest.mark.parametrize("container", CONTAINERS)
def test_same_block_in_every_container(container):
    indented = ["".join("    " * n + line for line in BLOCK.splitlines(True)) for n in range(3)]
    content = render(CONTAINERS[container].format(*indented) + "\n")[0]
    plain = render(BLOCK)[0]
    block = re.search(r'<div class="lesson-snippet".*', plain, re.S)[0].rstrip()
    assert block.removesuffix("</div>") in content
    ElementTree.fromstring(f"<div>{content.replace(' tabindex', ' data-t').replace('checked', '').replace(' markdown', '')}</div>"
                           if container not in ("tab", "two levels") else "<div/>")


def test_inline_text_out_of_order_keeps_its_numbers():
    text = ("[1]{causal= a}[^n]\n\n[^n]: nota [2]{causal= b}\n\n| t |\n|---|\n| [3]{causal= c} $x$ |\n\n- [4]{causal= d}\n\n"
            '!!! note "[5]{causal= e}"\n    [6]{causal= f} $y$\n\n## T [7]{causal= g} {#t}\n')
    values = tuple((name, Value(numbers=(number,))) for number, name in enumerate("abcdefg", 1))
    content, md, course = render(text, values=values)
    assert not [p for p in course.problems if p.rule == "bound-number"]
    words = re.sub(r"<[^>]+>", " ", content).split()
    assert [w for w in words if w in "34567"] == ["3", "4", "5", "6", "7"]
    assert "1" in words
    assert re.search(r"nota 2", content)
    assert [t["name"] for t in md.toc_tokens[0]["children"]] == ["T 7"]


@pytest.mark.case(number="C73")
def test_formula_in_heading_contents_and_attribute():
    content, md, _ = render("## Ряд $\\alpha_i$ {#row}\n\n![a $x$ b](c.png)\n")
    assert content.count("<mjx-container") == 1
    assert 'alt="a x b"' in content
    assert md.toc_tokens[0]["children"][0]["name"] == "Ряд α_i"
    assert md.toc_tokens[0]["children"][0]["id"] == "row"


def test_display_formula_is_no_paragraph_and_keeps_a_footnotes_link_back():
    content = render("Texto[^a]\n\n$$\nx\n$$\n\n[^a]: nota\n\n    $$y$$\n")[0]
    assert "<p><mjx-container" not in content
    assert "footnote-backref" in content


def test_a_failing_program_shows_in_its_place_and_the_rest_stays():
    failure = Failure("program-error", 5, "ZeroDivisionError: division by zero", "Mend it.", "  line 5 <x>")
    content, _, course = render(f"Antes\n\n{BLOCK}\nDespués\n", cells=(CellResult(),), failure=failure)
    assert "snippets/es/masks/causal.py:5: ZeroDivisionError: division by zero [program-error]" in content
    assert "line 5 &lt;x&gt;" in content
    assert content.index("Antes") < content.index("lesson-problem") < content.index("Después")
    assert [p.rule for p in course.problems] == ["program-error"]


@pytest.mark.case(number="C06")
def test_wrong_number_and_missing_program_show_in_their_place():
    content, _, course = render("/// snippet | causl\n///\n\n[1]{causal= a}\n", values=(("a", Value(numbers=(2,))),))
    assert [(p.line, p.rule) for p in course.problems if p.path == PAGE.path] == [(7, "program-missing"), (10, "bound-number")]
    assert "Did you mean snippets/es/masks/causal.py?" in content
    assert 'class="lesson-problem-inline"' in content


@pytest.mark.case(number="C90")
@pytest.mark.parametrize(("alts", "message"), [
    ("", "This block shows 1 figure and has no alt text"),
    ("Una.\n\nDos.\n", "This block shows 1 figure and has 2 alt texts"),
])
def test_alt_texts_and_figures_must_agree(alts, message):
    course = render(f"/// snippet | causal\n{alts}///\n")[2]
    assert [(p.line, p.rule, p.text) for p in course.problems if p.path == PAGE.path] == [(7, "alt-text", message)]


@pytest.mark.case(number="C90")
def test_alt_text_without_figure():
    course = render("/// snippet | causal:two\nUna.\n///\n\n/// snippet | causal:one\nx\n///\n")[2]
    assert [p.text for p in course.problems] == ["This block shows no figure and has 1 alt text"]


@pytest.mark.case(number="C90")
def test_alt_text_is_escaped_and_reaches_the_figure():
    content = render('/// snippet | causal:one\nUn "mapa" <b> & más.\n///\n')[0]
    assert "Un &quot;mapa&quot; &lt;b&gt; &amp; más." in content


def test_bad_formula_names_page_and_line():
    page, _ = course_of("texto\n\n$\\foo$\n")
    sources = Sources(NOWHERE, {PAGE: page}, {})
    course = judge(sources, {}, {page.formulas[0].formula: Drawing("", "\\foo is no command; mend it")})
    assert str(course.problems[0]).startswith("docs/es/lessons/masks.md:9: MathJax cannot draw $\\foo$: \\foo is no command")


@pytest.mark.case(number="C06")
def test_unused_program_is_an_error():
    _, course = course_of("texto\n")
    assert [(p.path, p.rule) for p in course.problems] == [("snippets/es/masks/causal.py", "program-unused")]


@pytest.mark.case(number="C31")
def test_planned_error_is_shown_as_such():
    content = render("/// snippet | causal\n///\n", program="# %% a raises=ValueError\nint('x')\n",
                     cells=(CellResult(planned_error="ValueError: <x>"),))[0]
    assert "Error previsto" in content
    assert "ValueError: &lt;x&gt;" in content


def test_program_names_are_the_pages_language():
    assert course_of(BLOCK)[0].directives[0].program == ProgramName("es", "masks", "causal")


def test_golden_differences_are_noted_below_the_program():
    page, course = course_of(BLOCK)
    name = PAGE.program("causal")
    noted = replace(course, notes={name: (Problem(name.golden_path, 2, "golden", "differs", "Accept it."),)})
    content = put_items(f"<p>{token('d', 0)}</p>", page, noted)
    assert content.index("lesson-figure") < content.index("snippets/es/masks/causal.out:2: differs [golden]")


@pytest.mark.case(number="C24")
@pytest.mark.parametrize("printed", ["\ue000d0\ue001", "\ue000n99\ue001", "<p>\ue000d0\ue001</p>"])
def test_what_a_program_prints_is_never_taken_for_an_item(printed):
    content, _, _ = render("/// snippet | causal\n///\n", program="print(1)\n", cells=(CellResult(output=printed + "\n"),), keep=True)
    assert html.unescape(re.search(r"<samp>(.*?)</samp>", content, re.S)[1]) == printed
    assert content.count("lesson-snippet") == 1


@pytest.mark.case(number="C15")
@pytest.mark.parametrize("block", ["$$a_1$$", "/// snippet | causal:two\n    ///"])
def test_a_block_in_a_footnote_stays_there(block):
    content = render(f"Nota[^zz].\n\n[^zz]: Uno.\n\n    {block}\n\n    Dos.\n")[0]
    note = content[content.index('<div class="footnote">'):]
    assert "<pre><code>" not in content
    assert "Dos." in note
    assert ("mjx-container" in note) or ("lesson-snippet" in note)


def test_an_empty_corner_of_a_table_is_no_heading():
    content, _, _ = render("| | uno |\n|---|---|\n| a | 1 |\n")
    assert re.findall(r"<(t[hd])\b", content) == ["td", "th", "td", "td"]


@pytest.mark.parametrize(("text", "contents"), [
    ("## Uno {#one}\n", [("page-title", "T", ["one"])]),
    ("Nada.\n", [("page-title", "T", [])]),
    ("# Título propio {#own}\n\n## Uno {#one}\n", [("own", "Título propio", ["one"])]),
])
def test_the_contents_begin_with_the_title(text, contents):
    """The theme's link over the header leads there; otherwise it would leave out all before the first section."""
    _, md, _ = render(text)
    assert [(entry["id"], entry["name"], [child["id"] for child in entry["children"]]) for entry in md.toc_tokens] == contents


@pytest.mark.parametrize("code", [
    "",
    "\n\n# only a comment\n",
    "# before\n\nimport numpy as np  # beside\n# after",
    "@cache\n@wraps(f)\ndef f(x):\n    'doc'\n    return x\n\n\nclass A: pass",
    "a = 1; b = 2\nprint(a)",
    'text = """\n# %% no\n  def f():\n"""\nprint(text)',
    "if x:\n    y = (1,\n  2)\nelse:\n\n    pass\n",
    "%config InlineBackend.figure_formats\nprint(1)",
    "def broken(:\n",
])
def test_code_is_highlighted_by_statements_as_if_it_were_whole(code):
    assert highlight(code) == pygments.highlight(code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)).removesuffix("\n")


def test_all_programs_are_highlighted_as_if_they_were_whole():
    for file in sorted((ROOT / "snippets").rglob("*.py")):
        code = file.read_text(encoding="utf-8")
        whole = pygments.highlight(code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)).removesuffix("\n")
        assert highlight(code) == whole, file
