"""The page that shows a notebook: what mkdocs-jupyter's converter makes of it, in the course's own dress.

The converter gets a skeleton: text as it is, with tokens for formulas and names in place of code and outputs. What it
gives back holds the cells; scripts, styles and everything that would load something are left behind, and formulas, code
and figures are drawn as in the lesson.
"""

from __future__ import annotations

import html
import re

from lessonkit.course import Course
from lessonkit.languages import LANGUAGES, Language
from lessonkit.notebooks import (
    Addresses,
    CodeCell,
    MarkdownCell,
    NotebookCell,
    QuotedCell,
    as_notebook,
    cells_of,
)
from lessonkit.pages import TOKEN_END, TOKEN_START, Page
from lessonkit.rendering import code_html, outputs_html, put_items

CODE, OUTPUT = "lessoncode", "lessonoutput"
_QUOTE = re.compile(rf"<p>{TOKEN_START}c(\d+){TOKEN_END}</p>")
_INPUT = re.compile(
    rf'<div class="jp-CodeMirrorEditor(?:(?!jp-CodeMirrorEditor).)*?{CODE}(\d+)\s*</div>\s*</div>\s*</div>', re.S
)
_OUTPUT_AREA = re.compile(
    rf'<div class="jp-OutputArea-child(?:(?!jp-OutputArea-child).)*?{OUTPUT}(\d+)\s*</pre>\s*</div>\s*</div>', re.S
)
_COLLAPSER = re.compile(r'<div class="jp-Collapser[^>]*>\s*</div>\s*')
_TAB_STOP = re.compile(r'(<div class="jp-[^>]*) tabindex="0"')  # a place that does nothing
_HEADING = re.compile(
    rf'<h(?P<level>[1-6]) id="[^"]*">(?P<title>(?:(?!</h\d>).)*?)(?:{TOKEN_START}s(?P<section>\d+){TOKEN_END})?'
    r'<a class="anchor-link"[^>]*>¶</a></h(?P=level)>',
    re.S,
)
_TABLE = re.compile(r"<table>.*?</table>", re.S)


def skeleton_of(page: Page, course: Course, addresses: Addresses) -> dict:
    """The notebook that the converter sees."""
    cells = cells_of(page, course, addresses, for_site=True)
    skeleton = as_notebook(map(_bare, cells), LANGUAGES[page.name.language])
    for number, (cell, written) in enumerate(zip(cells, skeleton["cells"], strict=True)):
        if isinstance(cell, CodeCell):
            shows = cell.result and (cell.result.output or cell.result.figures or cell.result.planned_error)
            name = f"{OUTPUT}{number}\n"
            written["source"] = [f"{CODE}{number}"]
            written["outputs"] = [{"name": "stdout", "output_type": "stream", "text": [name]}] if shows else []
            written["metadata"] = {}
        elif isinstance(cell, QuotedCell):
            written["source"] = [f"{TOKEN_START}c{number}{TOKEN_END}"]
    return skeleton


def _bare(cell: NotebookCell) -> NotebookCell:
    """The cell without what the skeleton does not show: figures are large."""
    return cell if isinstance(cell, MarkdownCell) else MarkdownCell(cell.id, "") if isinstance(cell, QuotedCell) else (
        CodeCell(cell.id, "", "")
    )


def article_of(converted: str, page: Page, course: Course, addresses: Addresses) -> str:
    """What stands in the article of the notebook's page; `converted` is the converter's HTML of the skeleton."""
    cells = cells_of(page, course, addresses, for_site=True)
    drawn = _Drawn(cells, LANGUAGES[page.name.language])
    text = _COLLAPSER.sub("", converted)
    text = _TAB_STOP.sub(r"\1", text)
    text = _HEADING.sub(lambda found: _heading(found, page), text)
    text = _TABLE.sub(r'<div class="md-typeset__scrollwrap"><div class="md-typeset__table">\g<0></div></div>', text)
    text = put_items(text, page, course)
    text = _INPUT.sub(drawn.code, text)
    text = _OUTPUT_AREA.sub(drawn.outputs, text)
    text = _QUOTE.sub(drawn.quote, text)
    return f'{_head(page, text)}<div class="lesson-cells">{text}</div>'


def _heading(found: re.Match, page: Page) -> str:
    level, title = found["level"], found["title"]
    if found["section"] is None:
        return f"<h{level}>{title}</h{level}>"
    name = html.escape(page.sections[int(found["section"])].id or "")
    return f'<h{level} id="{name}">{title}<a class="headerlink" href="#{name}">¶</a></h{level}>'


def _head(page: Page, text: str) -> str:
    """Title, the way back to the lesson, and the downloads."""
    words = LANGUAGES[page.name.language].in_notebook
    title = html.escape(str(page.meta.get("title") or page.name.slug), quote=False)
    name = page.name.slug.rpartition("/")[2]
    said = words.on_site.format(
        lesson=f'<a href="./">{title}</a>',
        ipynb=f'<a href="{name}.ipynb" download>{name}.ipynb</a>',
        py=f'<a href="{name}.py" download>{name}.py</a>',
    )
    heading = "" if "<h1" in text else f'<h1 id="page-title">{title}</h1>'
    return f'{heading}<p class="lesson-notebook">{said}</p>'


class _Drawn:
    """Cells as they stand on the page, by their number in the notebook."""

    def __init__(self, cells: list[NotebookCell], language: Language) -> None:
        self.cells, self.language = cells, language

    def code(self, found: re.Match) -> str:
        cell = self.cells[int(found[1])]
        return self._folded(code_html(cell.source), cell.hides_code)

    def outputs(self, found: re.Match) -> str:
        cell = self.cells[int(found[1])]
        return self._folded(outputs_html(cell.result, self.language, f"{cell.id}-", iter(cell.alts)), cell.hides_output)

    def quote(self, found: re.Match) -> str:
        cell = self.cells[int(found[1])]
        code = code_html(cell.cell.code) if cell.show != "output" else ""
        shows = cell.show != "code" and cell.result
        return code + (outputs_html(cell.result, self.language, f"{cell.id}-", iter(cell.alts)) if shows else "")

    def _folded(self, shown: str, folds: bool) -> str:
        name = self.language.in_notebook.folded
        return f'<details class="lesson-folded"><summary>{name}</summary>{shown}</details>' if folds else shown


# -- around the article ------------------------------------------------------------------------------------------

_LANGUAGE_LINK = re.compile(rb'(<a class="course-languages__link" href=")([^"]*)(")')
_TITLE = re.compile(rb"<title>")
_INDEXED = re.compile(rb' data-pagefind-body(?:="[^"]*")?')
_HIDDEN = b'<meta name="robots" content="noindex">'
"""The lesson is what search engines should know."""


def with_article(lesson: bytes, article: bytes, page: Page, addresses: Addresses) -> bytes:
    """The page of a lesson, as the site has it, with the notebook in place of its article.

    Raises ValueError if the theme's page has no article.
    """
    before, mark, rest = lesson.partition(b"<article")
    opening, _, rest = rest.partition(b">")
    _, end, after = rest.rpartition(b"</article>")
    if not (mark and end):
        raise ValueError(f"{page.name}: the theme's page has no <article>, in whose place the notebook would stand")
    words = LANGUAGES[page.name.language].in_notebook
    before = _INDEXED.sub(b"", before)
    before = _TITLE.sub(_HIDDEN + b"<title>" + words.notebook.encode() + b": ", before, count=1)
    if len({name.language for name in addresses.pages if name.slug == page.name.slug}) > 1:
        before = _LANGUAGE_LINK.sub(rb"\1\2notebook.html\3", before)
    opening = _INDEXED.sub(b"", opening)
    return b"".join([before, mark, opening, b' data-pagefind-ignore="all">', article, end, after])
