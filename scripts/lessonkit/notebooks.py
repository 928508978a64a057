"""A lesson as a notebook: made of its page and the stored results, nothing is run.

Text becomes Markdown cells. A program's cells become code cells with what they printed and drew, each run once and in
order, so that the notebook runs from top to bottom and prints what the page shows. What a page does not show but a
later cell needs is there too, folded; what a page shows a second time is quoted. The programs of a page share one
kernel and yet run as if alone: each has names of its own (see `notebook_setup`).
"""

from __future__ import annotations

import ast
import base64
import functools
import html
import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from lessonkit import figures
from lessonkit.course import Course
from lessonkit.formulas import standard_tex
from lessonkit.jupyter_markdown import Shown, Text, Writing, parts_of
from lessonkit.languages import LANGUAGES, Language
from lessonkit.notebook_setup import SWITCH, Setup
from lessonkit.pages import TOKEN_END, TOKEN_START, Page, Section
from lessonkit.project import PageName, ProgramName
from lessonkit.results import CellResult, Result
from lessonkit.snippets import Cell, Snippet, lines_inside_strings

PREPARE = "prepare"
"""Id of the first code cell."""


@dataclass(frozen=True)
class Addresses:
    """Where the site's pages are, as links from a notebook need it."""

    site_url: str
    """Ends in a slash; empty if the site does not know its own address: then links are relative."""
    pages: Mapping[PageName, str]
    """Relative to the site's root: `es/lessons/masks/`."""

    def of(self, url: str, page: Page, *, whole: bool = True) -> str:
        """An address as `page` has it → the address from the folder of that page, whole if it can be."""
        parts = urlsplit(url)
        if parts.scheme or parts.netloc or not (parts.path or parts.fragment):
            return url
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.name.path), unquote(parts.path)))
        path = (path if parts.path else page.name.path).removeprefix("docs/")
        name = PageName.of(path)
        here = self.pages[page.name]
        target = self.pages.get(name, path) if name else path
        if not (self.site_url and whole):
            target = posixpath.relpath(target, here) + ("/" if target.endswith("/") else "")
        else:
            target = self.site_url + target
        return target + (f"#{parts.fragment}" if parts.fragment else "")


@dataclass(frozen=True)
class MarkdownCell:
    id: str
    text: str


@dataclass(frozen=True)
class CodeCell:
    """A cell of a program, or what prepares the notebook."""

    id: str
    source: str
    """As it stands in the notebook."""
    script: str
    """As it stands in the program for plain Python."""
    program: ProgramName | None = None
    """None for the cell that prepares the notebook."""
    cell: Cell | None = None
    result: CellResult | None = None
    """None if the program did not come so far."""
    alts: tuple[str, ...] = ()
    hides_code: bool = False
    hides_output: bool = False


@dataclass(frozen=True)
class QuotedCell:
    """A cell that ran further up and is shown once more: text, not code."""

    id: str
    cell: Cell
    result: CellResult | None
    alts: tuple[str, ...]
    show: str


NotebookCell = MarkdownCell | CodeCell | QuotedCell


@dataclass(frozen=True)
class LessonNotebook:
    """A page as a notebook."""

    page: Page
    course: Course
    addresses: Addresses

    @property
    def language(self) -> Language:
        return LANGUAGES[self.page.name.language]

    @functools.cached_property
    def cells(self) -> list[NotebookCell]:
        return _Maker(self.page, self.course, self.addresses, for_site=False).cells()

    @functools.cached_property
    def cells_for_site(self) -> list[NotebookCell]:
        """For the page that shows the notebook: formulas stay tokens and headings are marked (`section_token`)."""
        return _Maker(self.page, self.course, self.addresses, for_site=True).cells()


def has_notebook(page: Page) -> bool:
    """Whether a page is a lesson, or a card, with something to run; a home's figure is none."""
    return bool(page.directives) and page.name.slug != "index"


def notebook_of(lesson: LessonNotebook) -> dict:
    """A page's notebook in Jupyter's own format (nbformat 4.5)."""
    return as_notebook(lesson.cells, lesson.language)


def script_of(lesson: LessonNotebook) -> str:
    """The notebook as a program for plain Python, its text as comments (the percent format of editors)."""
    pieces = []
    for cell in lesson.cells:
        if isinstance(cell, CodeCell):
            pieces.append(f"# %%\n{cell.script}")
        else:
            text = cell.text if isinstance(cell, MarkdownCell) else _quoted_text(cell, pictures=False)
            lines = "\n".join(f"# {line}".rstrip() for line in text.split("\n"))
            pieces.append(f"# %% [markdown]\n{lines}")
    return "\n\n".join(pieces) + "\n"


def section_token(index: int) -> str:
    """What marks a heading on the site: `index` of its section in `Page.sections`."""
    return f"{TOKEN_START}s{index}{TOKEN_END}"


# -- cells -------------------------------------------------------------------------------------------------------


class _Maker:
    def __init__(self, page: Page, course: Course, addresses: Addresses, for_site: bool) -> None:
        self.page, self.course, self.addresses, self.for_site = page, course, addresses, for_site
        self.language = LANGUAGES[page.name.language]
        self.ran: dict[ProgramName, int] = {}  # program -> how many of its cells stand in the notebook
        self.ids: dict[str, int] = {}
        self.several = len(self._programs()) > 1

    def cells(self) -> list[NotebookCell]:
        writing = Writing(self._formula, self._link, self._heading, self.language.in_notebook.notes)
        parts = parts_of(self.page, writing)
        body: list[NotebookCell] = []
        for part in parts:
            if isinstance(part, Text):
                body.append(MarkdownCell(self._id(part.section or "text"), part.markdown))
            else:
                body += self._shown(part)
        setup = self._setup()
        prepare = [CodeCell(self._id(PREPARE), setup.code(script=False), setup.code(script=True))]
        if switch := setup.switch():
            prepare.append(CodeCell(self._id(SWITCH), switch, switch, hides_code=True))
        return [*self._head(), *prepare, *body]

    def _programs(self) -> list[ProgramName]:
        """The programs that run in the notebook, in the order in which they are first shown."""
        shown = dict.fromkeys(directive.program for directive in self.page.directives)
        return [name for name in shown if self._snippet(name)]

    def _snippet(self, name: ProgramName) -> Snippet | None:
        snippet = self.course.sources.snippets.get(name)
        return snippet if snippet and not snippet.problems else None

    def _head(self) -> list[NotebookCell]:
        """Title and what this is; the page that shows the notebook says both itself."""
        if self.for_site:
            return []
        title = str(self.page.meta.get("title") or self.page.name.slug)
        link = f"[{title}]({self.addresses.of(posixpath.basename(self.page.name.file), self.page)})"
        said = self.language.in_notebook.of_lesson.format(lesson=link)
        heading = [] if any(section.level == 1 for section in self.page.sections) else [f"# {title}"]
        return [MarkdownCell(self._id("lesson"), "\n\n".join([*heading, said]))]

    # -- text --

    def _formula(self, index: int) -> str:
        formula = self.page.formulas[index].formula
        if self.for_site:
            return f"{TOKEN_START}f{index}{TOKEN_END}"
        tex = standard_tex(formula.tex)
        return f"$$\n{tex}\n$$" if formula.display else f"${' '.join(tex.split())}$"

    def _link(self, url: str) -> str:
        if self.for_site:
            return url if url.startswith("#") else self.addresses.of(url, self.page, whole=False)
        section = next((one for one in self.page.sections if url == f"#{one.id}"), None)
        if section and re.fullmatch(r"[^$`*_\[\]{}<>\\]+", section.title):  # Jupyter's own name of a heading
            return "#" + section.title.replace(" ", "-").replace("(", "%28").replace(")", "%29")
        return self.addresses.of(url, self.page)

    def _heading(self, section: Section | None, level: int, title: str) -> str:
        mark = section_token(self.page.sections.index(section)) if section and self.for_site else ""
        return f"{'#' * level} {title}{mark}"

    def _id(self, name: str) -> str:
        """A cell's id: the name, with a number if it is taken."""
        name = re.sub(r"[^A-Za-z0-9_-]", "-", name)[:56]
        count = self.ids[name] = self.ids.get(name, 0) + 1
        return name if count == 1 else f"{name}-{count}"

    # -- code --

    def _shown(self, shown: Shown) -> Iterator[NotebookCell]:
        directive = self.page.directives[shown.directive]
        snippet = self._snippet(directive.program)
        if snippet is None:
            return
        result = self.course.results.get(directive.program, Result(()))
        wanted = {cell.index for cell in self.course.sources.shown_cells(directive)}
        done = self.ran.get(directive.program, 0)
        last = len(snippet.cells) - 1 if directive.cell is None else max(wanted, default=-1)
        self.ran[directive.program] = max(done, last + 1)
        alts = iter(directive.alts if directive.show != "code" else ())
        for cell in snippet.cells[: last + 1]:
            if (cell.index < done and cell.index not in wanted) or not without_future(cell.code):
                continue
            ran = result.cells[cell.index] if cell.index < len(result.cells) else None
            has_alts = cell.index in wanted and directive.show != "code"
            # The figures first: zip takes from its first argument before it sees that the second has ended.
            texts = tuple(alt.text for _, alt in zip(ran.figures, alts, strict=False)) if has_alts and ran else ()
            if cell.index < done:
                yield QuotedCell(self._id(_name(cell, snippet)), cell, ran, texts, directive.show)
                continue
            unseen = cell.index not in wanted or shown.folded
            yield CodeCell(
                self._id(_name(cell, snippet)),
                self._source(cell, snippet),
                self._script(cell, snippet),
                directive.program,
                cell,
                ran,
                texts,
                hides_code=unseen or directive.show == "output",
                hides_output=unseen or directive.show == "code",
            )

    def _source(self, cell: Cell, snippet: Snippet) -> str:
        return self._with_context(silence(without_future(cell.code)), cell, snippet)

    def _script(self, cell: Cell, snippet: Snippet) -> str:
        return self._with_context(going_on(without_future(cell.code)) if cell.raises else without_future(cell.code),
                                  cell, snippet)

    def _with_context(self, code: str, cell: Cell, snippet: Snippet) -> str:
        lines = [f'{SWITCH}("{self._path(snippet.name)}")'] if self.several else []
        if cell.stdin is not None:
            answers = json.dumps(cell.stdin, ensure_ascii=False)
            lines.append(ANSWERS.format(answers=answers, why=self.language.in_notebook.answers))
        return "\n".join([*lines, code])

    def _path(self, program: ProgramName) -> str:
        """A program as a path from the lesson's folder: `causal`; `../masks/causal` for another page's."""
        return posixpath.relpath(f"{program.slug}/{program.name}", self.page.name.slug)

    def _setup(self) -> Setup:
        programs = self._programs()
        snippets = [self.course.sources.snippets[name] for name in programs]
        files = sorted({file for snippet in snippets for file in self._files(snippet)})
        asks = any(re.search(r"\b__file__\b", snippet.text) for snippet in snippets)
        return Setup(
            language=self.language,
            site_url=self.addresses.site_url,
            lesson=f"{self.page.name.language}/{self.page.name.slug}",
            programs=[self._path(name) for name in programs],
            files=files,
            module_folders=sorted({
                posixpath.dirname(name.path).removeprefix("snippets/")
                for name in programs
                if any(file.endswith(".py") for file in self._files(self.course.sources.snippets[name]))
            }),
            needs_place=asks or bool(files),
            future=sorted({name for snippet in snippets for name in future_of(snippet.text)}),
        )

    def _files(self, snippet: Snippet) -> list[str]:
        return files_of(self.course, snippet)


def files_of(course: Course, snippet: Snippet) -> list[str]:
    """The files that a program reads, below snippets/: those opened, and those that it declares."""
    result = course.results.get(snippet.name)
    root = course.sources.project.root
    folder = (root / snippet.name.path).parent
    found = set(result.files if result else ())
    for pattern in snippet.reads:
        found |= {course.sources.project.relative(file.resolve()) for file in folder.glob(pattern) if file.is_file()}
    below = "snippets/"
    return sorted(file.removeprefix(below) for file in found if file.startswith(below) and file != snippet.name.path)


def _name(cell: Cell, snippet: Snippet) -> str:
    return f"{snippet.name.name}-{cell.name or cell.index}"


# -- code that runs elsewhere ------------------------------------------------------------------------------------

ANSWERS = '''answers = iter({answers})


def input(prompt=""):
    """{why}"""
    answer = next(answers)
    print(f"{{prompt}}{{answer}}")
    return answer

'''
QUIET_CALLS = {"print", "input"}


@functools.lru_cache(maxsize=4096)
def silence(code: str) -> str:
    """Code whose last value a notebook does not show: the page does not show it either."""
    tree = ast.parse(code)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        return code
    call = last.value.func if isinstance(last.value, ast.Call) else None
    if isinstance(call, ast.Name) and call.id in QUIET_CALLS:
        return code
    lines = code.split("\n")
    line = lines[last.end_lineno - 1].encode()
    lines[last.end_lineno - 1] = (line[: last.end_col_offset] + b";" + line[last.end_col_offset :]).decode()
    return "\n".join(lines) if not line[last.end_col_offset :].lstrip().startswith(b";") else code


def going_on(code: str) -> str:
    """Code whose error is shown and does not end the program."""
    inside = lines_inside_strings(ast.parse(code).body)
    lines = [line if number in inside or not line else f"    {line}" for number, line in enumerate(code.split("\n"), 1)]
    return "\n".join(["try:", *lines, "except Exception:", "    import traceback", "", "    traceback.print_exc()"])


def future_of(code: str) -> list[str]:
    """Names that code imports from `__future__`."""
    if "__future__" not in code:
        return []
    return [alias.name for node in ast.parse(code).body if _is_future(node) for alias in node.names]


@functools.lru_cache(maxsize=4096)
def without_future(code: str) -> str:
    """Code without its `from __future__` lines, which may stand only at the very beginning."""
    if "__future__" not in code:
        return code
    gone = {
        line for node in ast.parse(code).body if _is_future(node) for line in range(node.lineno, node.end_lineno + 1)
    }
    return "\n".join(line for number, line in enumerate(code.split("\n"), 1) if number not in gone).strip("\n")


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


# -- Jupyter's format --------------------------------------------------------------------------------------------


def as_notebook(cells: Iterable[NotebookCell], language: Language) -> dict:
    """Cells in Jupyter's format, with outputs and the numbers of a run from top to bottom."""
    written, count = [], 0
    for cell in cells:
        if isinstance(cell, CodeCell):
            count += 1
            written.append(_code_cell(cell, count))
        else:
            text = cell.text if isinstance(cell, MarkdownCell) else _quoted_text(cell)
            written.append({"cell_type": "markdown", "id": cell.id, "metadata": {}, "source": _lines(text)})
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
        "lesson": {"language": language.code},
    }
    return {"cells": written, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def write_notebook(notebook: dict) -> str:
    """As Jupyter itself writes it, so that saving it unchanged changes nothing."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _code_cell(cell: CodeCell, count: int) -> dict:
    metadata: dict = {}
    if cell.program and cell.cell:
        metadata["lesson"] = {"program": str(cell.program), "cell": cell.cell.index}
        if cell.cell.raises:
            metadata["tags"] = ["raises-exception"]
    folded = {"source_hidden": cell.hides_code, "outputs_hidden": cell.hides_output and bool(cell.result)}
    if any(folded.values()):
        metadata["jupyter"] = {key: True for key, value in folded.items() if value}
    return {
        "cell_type": "code",
        "execution_count": count,
        "id": cell.id,
        "metadata": metadata,
        "outputs": list(_outputs(cell)),
        "source": _lines(cell.source),
    }


def _outputs(cell: CodeCell) -> Iterator[dict]:
    result = cell.result
    if result is None or cell.cell is None:
        return
    if result.output:
        yield {"name": "stdout", "output_type": "stream", "text": _lines(result.output)}
    for svg, alt in _figures(cell.id, result, cell.alts):
        data = {"image/svg+xml": _lines(svg), "text/plain": _lines(alt)}
        yield {"data": data, "metadata": {}, "output_type": "display_data"}
    if result.planned_error:
        lines = result.planned_error.rstrip("\n").split("\n")
        name, _, said = lines[-1].partition(": ")
        yield {"ename": name, "evalue": said, "output_type": "error", "traceback": lines}


def _figures(prefix: str, result: CellResult, alts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number, svg in enumerate(result.figures):
        alt = alts[number] if number < len(alts) else ""
        yield figures.standalone(svg, prefix=f"{prefix}-{number}-", alt=alt), alt


def _quoted_text(cell: QuotedCell, *, pictures: bool = True) -> str:
    """A cell shown again, as Markdown."""
    parts = []
    if cell.show != "output":
        parts.append(_fenced(cell.cell.code, "python"))
    if cell.show != "code" and cell.result:
        texts = (cell.result.output, cell.result.planned_error)
        parts += [_fenced(text.rstrip("\n"), "text") for text in texts if text]
        for svg, alt in _figures(cell.id, cell.result, cell.alts) if pictures else ():
            data = base64.b64encode(svg.encode()).decode()
            parts.append(f'<img alt="{html.escape(alt)}" src="data:image/svg+xml;base64,{data}">')
    return "\n\n".join(parts)


def _fenced(text: str, kind: str) -> str:
    longest = max((len(ticks) for ticks in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{kind}\n{text}\n{fence}"


def _lines(text: str) -> list[str]:
    """Text as notebooks keep it, a line an entry."""
    return text.splitlines(keepends=True)
