"""A page's items as HTML: programs with what they printed and drew, formulas, numbers, problems in their place."""

from __future__ import annotations

import ast
import functools
import html
import itertools
import posixpath
import re
from collections.abc import Iterable, Iterator

import pygments
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from lessonkit import figures, formulas
from lessonkit.course import Course
from lessonkit.languages import LANGUAGES, Language
from lessonkit.pages import TOKEN, TOKEN_END, TOKEN_START, Page
from lessonkit.problems import Problem
from lessonkit.results import CellResult

# A token that has a paragraph for itself: what it stands for may be a block. A footnote's link back may follow it.
OWN_PARAGRAPH = (
    rf"<p>\s*{TOKEN_START}(?P<block>[dnf])(?P<number>\d+){TOKEN_END}\s*(?P<rest>(?:(?!</p>|{TOKEN_START}).)*)</p>"
)
ITEM = re.compile(f"{OWN_PARAGRAPH}|{TOKEN.pattern}", re.S)


def put_items(content: str, page: Page, course: Course) -> str:
    """`content` (the HTML of `page.markdown`) with every token replaced by what it stands for."""
    items = _Items(page, course)
    content = ITEM.sub(items.put, content)  # once: what is put in is not searched, whatever a program printed
    content = figures.share_outlines(content)
    if page.formulas:
        content = formulas.share_glyphs(formulas.keep_punctuation(content))
    return items.head() + _with_newer_noted(content, page, course)


def _with_newer_noted(content: str, page: Page, course: Course) -> str:
    """Below the heading of each section that is behind, a line that leads to the newer one."""
    for id_, newer in course.ahead_of(page.name).items():
        heading = f'<h[2-6] id="{re.escape(id_)}".*?</h[2-6]>' if id_ else "<h1.*?</h1>"
        address = posixpath.relpath(newer.site_path, page.name.site_path)
        note = (
            f'<p class="lesson-newer">{LANGUAGES[page.name.language].newer_elsewhere} '
            f'<a href="{address}/#{id_}" hreflang="{newer.language}" lang="{newer.language}">'
            f"{LANGUAGES[newer.language].name}</a></p>"
        )
        content = re.sub(heading, lambda found, note=note: found[0] + note, content, count=1, flags=re.S)
    return content


def put_text(text: str, page: Page) -> str:
    """`text` with every token replaced by readable plain text, for contents lists and titles."""
    return TOKEN.sub(lambda match: _plain(page, match["kind"], int(match["index"])), text)


def _plain(page: Page, kind: str, index: int) -> str:
    if kind == "n":
        return page.bounds[index].text
    if kind == "f":
        return formulas.plain_text(page.formulas[index].formula.tex)
    return ""


class _Items:
    """Looks up by kind and index what stands on one page."""

    def __init__(self, page: Page, course: Course) -> None:
        self.page = page
        self.course = course
        self.language = LANGUAGES[page.name.language]
        self.faults: dict[tuple[str, int] | None, list[Problem]] = {}
        for item, problem in course.faults.get(page.name, ()):
            self.faults.setdefault(item, []).append(problem)

    def head(self) -> str:
        return self._problems(self.faults.get(None, ()))

    def put(self, match: re.Match) -> str:
        return self.paragraph(match) if match["block"] else self.anywhere(match)

    def paragraph(self, match: re.Match) -> str:
        kind, index, rest = match["block"], int(match["number"]), match["rest"].strip()
        if kind == "n" or (kind == "f" and not self.page.formulas[index].formula.display):
            return f"<p>{self.html(kind, index)}{match['rest']}</p>"
        return self.html(kind, index) + (f"<p>{rest}</p>" if rest else "")

    def anywhere(self, match: re.Match) -> str:
        inside_tag = match.string.rfind("<", 0, match.start()) > match.string.rfind(">", 0, match.start())
        replace = self.text if inside_tag else self.html  # inside a tag stands an attribute: plain text
        return replace(match["kind"], int(match["index"]))

    def html(self, kind: str, index: int) -> str:
        faults = self.faults.get((kind, index), ())
        if kind == "d":
            return self._problems(faults) + self.directive(index)
        if kind == "n":
            shown = html.escape(self.page.bounds[index].text, quote=False)
            return self._marked(shown, faults)
        drawing = self.course.drawings.get(self.page.formulas[index].formula)
        if drawing is None or drawing.problem:
            return self._marked(f"<code>{html.escape(self.page.formulas[index].source)}</code>", faults)
        return self._marked(drawing.html, faults)

    def text(self, kind: str, index: int) -> str:
        return html.escape(_plain(self.page, kind, index))

    # -- programs --

    def directive(self, index: int) -> str:
        directive = self.page.directives[index]
        snippet = self.course.sources.snippets.get(directive.program)
        if snippet is None or snippet.problems:
            return ""
        result = self.course.results.get(directive.program)
        alts = (alt.text for alt in directive.alts)
        parts = []
        for cell in self.course.sources.shown_cells(directive):
            done = result.cells[cell.index] if result and cell.index < len(result.cells) else None
            prefix = f"d{index}c{cell.index}f"
            if directive.show != "output":
                parts.append(code_html(cell.code))
            if directive.show != "code" and done:
                parts.append(outputs_html(done, self.language, prefix, alts))
        notes = "".join(_paragraph(problem) for problem in self.course.notes.get(directive.program, ()))
        return (
            f'<div class="lesson-snippet" data-program="{html.escape(str(directive.program))}">{"".join(parts)}</div>'
            + (f'<div class="lesson-note" role="status">{notes}</div>' if notes else "")
        )

    # -- problems --

    def _problems(self, problems: Iterable[Problem]) -> str:
        shown = "".join(map(_paragraph, problems))
        return (
            f'<div class="lesson-problem" role="alert"><p><strong>{self.language.page_error}</strong></p>{shown}</div>'
            if shown
            else ""
        )

    def _marked(self, shown: str, faults: Iterable[Problem]) -> str:
        """Inline content with its problem in view, in a page that is wrong."""
        said = " ".join(str(problem) for problem in faults)
        if not said:
            return shown
        said = html.escape(said, quote=False)
        return f'<mark class="lesson-problem-inline">{shown} <small role="alert">{said}</small></mark>'


def code_html(code: str) -> str:
    return f'<div class="highlight lesson-code"><pre><span></span><code>{highlight(code)}</code></pre></div>'


def outputs_html(done: CellResult, language: Language, prefix: str, alts: Iterator[str]) -> str:
    """What a cell printed and drew. The ids of its figures begin with `prefix`; each takes the next alt text."""
    parts = [_output(language.output, done.output)] if done.output else []
    if done.planned_error:
        parts.append(_output(language.planned_error, done.planned_error, kind=" lesson-error"))
    for number, svg in enumerate(done.figures):
        parts.append(figures.figure_html(figures.inline(svg, prefix=f"{prefix}{number}-"), next(alts, "")))
    return "".join(parts)


def _output(label: str, text: str, kind: str = "") -> str:
    return (
        f'<div class="lesson-output{kind}"><span class="lesson-label">{label}</span>'
        f'<pre tabindex="0"><samp>{html.escape(text.rstrip(chr(10)), quote=False)}</samp></pre></div>'
    )


def _paragraph(problem: Problem) -> str:
    return f"<pre>{html.escape(str(problem), quote=False)}</pre>"


def highlight(code: str) -> str:
    """Python code with the classes that Material's theme colours.

    Statement by statement: programs of a course share most of theirs, and a notebook shows those of its page again.
    """
    return "\n".join(map(_highlight_statement, _statements(code.removesuffix("\n"))))


def _statements(code: str) -> list[str]:
    """The lines of each statement with what follows until the next; all lines together if Python cannot read them."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError):
        return [code]
    starts = {min(item.lineno for item in [node, *getattr(node, "decorator_list", ())]) for node in body}
    lines = code.split("\n")
    edges = [0, *sorted(start - 1 for start in starts if start > 1), len(lines)]
    return ["\n".join(lines[begin:end]) for begin, end in itertools.pairwise(edges)]


@functools.lru_cache(maxsize=16384)
def _highlight_statement(code: str) -> str:
    return pygments.highlight(code + "\n", _LEXER, _FORMATTER).removesuffix("\n")


_LEXER = PythonLexer(stripnl=False)
_FORMATTER = HtmlFormatter(nowrap=True)
