"""The page that shows a notebook: what mkdocs-jupyter's converter makes of it, in the course's own dress.

The converter gets a skeleton: text as it is, with tokens for formulas and names in place of code and outputs. What it
gives back holds the cells; scripts, styles and everything that would load something are left behind, and formulas, code
and figures are drawn as in the lesson.
"""

from __future__ import annotations

import html
import posixpath
import re
from dataclasses import dataclass

from lessonkit.languages import LANGUAGES, Language
from lessonkit.notebook_conversion import ConversionError
from lessonkit.notebooks import (
    Addresses,
    CodeCell,
    LessonNotebook,
    MarkdownCell,
    NotebookCell,
    QuotedCell,
    as_notebook,
)
from lessonkit.pages import TOKEN_END, TOKEN_START, Page
from lessonkit.rendering import code_html, outputs_html, put_items

CODE = "lessoncode"
_PLACE = re.compile(rf"<p>{TOKEN_START}c(\d+){TOKEN_END}</p>")
_CELL = re.compile(
    r'(?=<div class="jp-Cell jp-MarkdownCell|<div class="jp-Cell jp-CodeCell[^"]*">\s*<div class="jp-Cell jp-CodeCell)'
)
_TEXT = re.compile(r'data-mime-type="text/markdown">(.*?)(?:</div>\s*){4}\Z', re.S)
_CODE = re.compile(rf"{CODE}(\d+)")
_PROMPT = re.compile(r"In(?:\s|&nbsp;|&#160;)*\[(\d+)\]")
_HEADING = re.compile(
    rf'<h(?P<level>[1-6]) id="[^"]*">(?P<title>(?:(?!</h\d>).)*?)(?:{TOKEN_START}s(?P<section>\d+){TOKEN_END})?'
    r'<a class="anchor-link"[^>]*>¶</a></h(?P=level)>',
    re.S,
)


def skeleton_of(lesson: LessonNotebook) -> dict:
    """The notebook that the converter sees."""
    return as_notebook([_bare(cell, number) for number, cell in enumerate(lesson.cells_for_site)], lesson.language)


def _bare(cell: NotebookCell, number: int) -> NotebookCell:
    if isinstance(cell, CodeCell):
        return CodeCell(cell.id, f"{CODE}{number}", "")
    return cell if isinstance(cell, MarkdownCell) else MarkdownCell(cell.id, _token(number))


def _token(number: int) -> str:
    return f"{TOKEN_START}c{number}{TOKEN_END}"


def article_of(converted: str, lesson: LessonNotebook) -> str:
    """What stands in the article of the notebook's page; `converted` is the converter's HTML of the skeleton.

    Raises ConversionError if that does not hold the skeleton's cells.
    """
    page, cells = lesson.page, lesson.cells_for_site
    drawn = _Drawn(cells, lesson.language)
    pieces = [piece for piece in _CELL.split(converted) if piece.strip()]
    if len(pieces) != len(cells):
        raise ConversionError(f"the {len(cells)} cells of {page.name} became {len(pieces)}")
    text = "".join(map(drawn.prepare, pieces))
    text = put_items(_HEADING.sub(lambda found: _heading(found, page), text), page, lesson.course)
    return _head(page, text) + _PLACE.sub(lambda found: drawn.cell(int(found[1])), text)


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
    return f'{heading}<p class="lesson-facts lesson-notebook">{said}</p>'


class _Drawn:
    """Cells as they stand on the page, by their number in the notebook."""

    def __init__(self, cells: list[NotebookCell], language: Language) -> None:
        self.cells, self.language = cells, language
        self.prompts: dict[int, str] = {}

    def prepare(self, piece: str) -> str:
        """A converted cell: text without the boxes around it; a token for code, whose prompt is remembered."""
        if "jp-MarkdownCell" in piece.partition(">")[0]:
            text = _TEXT.search(piece)
        else:
            text = None
            if code := _CODE.search(piece):
                prompt = _PROMPT.search(piece)
                self.prompts[int(code[1])] = f"In [{prompt[1]}]" if prompt else ""
                return f"<p>{_token(int(code[1]))}</p>"
        if text is None:
            raise ConversionError(f"a cell of mkdocs-jupyter has a form of its own: {piece[:200]!r}")
        return text[1]

    def cell(self, number: int) -> str:
        cell = self.cells[number]
        quoted = isinstance(cell, QuotedCell)
        parts = []
        if not quoted:
            label = f'<span class="lesson-label">{self.prompts.get(number, "")}</span>'
            parts.append(label + self._folded(code_html(cell.source), cell.hides_code))
        elif cell.show != "output":
            parts.append(code_html(cell.cell.code))
        if cell.result and (not quoted or cell.show != "code"):
            outputs = outputs_html(cell.result, self.language, f"{cell.id}-", iter(cell.alts))
            parts.append(self._folded(outputs, not quoted and cell.hides_output) if outputs else "")
        return f'<div class="lesson-snippet{"" if quoted else " lesson-cell"}">{"".join(parts)}</div>'

    def _folded(self, shown: str, folds: bool) -> str:
        name = self.language.in_notebook.folded
        return f'<details class="lesson-folded"><summary>{name}</summary>{shown}</details>' if folds else shown


# -- around the article ------------------------------------------------------------------------------------------

_LANGUAGE_LINK = re.compile(rb'(<a class="course-languages__link" href=")([^"]*)(")')
_TITLE = re.compile(rb"<title>")
_INDEXED = re.compile(rb' data-pagefind-body(?:="[^"]*")?')
_HEAD = '<meta name="robots" content="noindex"><link rel="stylesheet" href="{style}"><title>{notebook}: '
"""The lesson is what search engines should know."""
STYLE = "assets/css/notebook.css"


@dataclass(frozen=True)
class LessonPage:
    """A lesson's page as the theme wrote it, in parts."""

    before: bytes
    attributes: bytes
    """Of the article."""
    article: memoryview
    after: bytes

    @classmethod
    def of(cls, page: bytes) -> LessonPage:
        """Raises ValueError if the page has no article."""
        start, end = page.find(b"<article"), page.rfind(b"</article>")
        if start < 0 or end < start:
            raise ValueError("the theme's page has no <article>, in whose place a notebook could stand")
        inside = page.index(b">", start) + 1
        attributes = page[start + len(b"<article") : inside - 1]
        return cls(page[:start], attributes, memoryview(page)[inside:end], page[end:])


def with_article(lesson: LessonPage, article: bytes, page: Page, addresses: Addresses) -> bytes:
    """The page of a lesson with the notebook in place of its article."""
    words = LANGUAGES[page.name.language].in_notebook
    style = posixpath.relpath(STYLE, addresses.pages[page.name])
    head = _HEAD.format(style=style, notebook=words.notebook).encode()
    before = _TITLE.sub(lambda _: head, _INDEXED.sub(b"", lesson.before), count=1)
    if len({name.language for name in addresses.pages if name.slug == page.name.slug}) > 1:
        before = _LANGUAGE_LINK.sub(rb"\1\2notebook.html\3", before)
    attributes = _INDEXED.sub(b"", lesson.attributes)
    return b"".join([before, b"<article", attributes, b' data-pagefind-ignore="all">', article, lesson.after])
