"""The whole course: its pages and programs as read, and what running and drawing them gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lessonkit.formulas import Drawing, Formula
from lessonkit.freshness import SectionState, read_record, section_states
from lessonkit.glossary import PAGE as GLOSSARY_PAGE
from lessonkit.glossary import Glossary, check_pages, read_glossary
from lessonkit.languages import LANGUAGES
from lessonkit.links import check_links
from lessonkit.navigation import check_navigation, stray_pages
from lessonkit.numbers import check_bound
from lessonkit.pages import Bound, Directive, Page, read_page
from lessonkit.parity import missing_pages
from lessonkit.problems import Problem, closest, suggestion
from lessonkit.project import PageName, ProgramName, Project
from lessonkit.results import Failure, Result, Value
from lessonkit.runner import Job
from lessonkit.snippets import Cell, Snippet, read_snippet

Item = tuple[str, int]
"""Kind and index of an item of a page, as in its token: ("d", 0) is its first directive."""


@dataclass(frozen=True)
class Sources:
    """All pages and programs, as read, and what is wrong with them before anything runs."""

    project: Project
    pages: Mapping[PageName, Page]
    snippets: Mapping[ProgramName, Snippet]
    sections: Sequence[SectionState] = ()
    """The sections that all languages have, against what was confirmed; none if the course keeps no record."""
    record_problem: Problem | None = None
    glossary: Glossary = field(default_factory=Glossary)

    def jobs(self) -> list[Job]:
        """The programs that pages show or ask, each with what is asked of it."""
        wanted: dict[ProgramName, set[tuple[int, str]]] = {}
        for page in self.pages.values():
            for directive in page.directives:
                wanted.setdefault(directive.program, set())
            for bound in page.bounds:
                if bound.program is None or bound.cited:
                    continue
                cell = self.cell_index(bound.program, bound.after)
                if cell is not None:
                    wanted.setdefault(bound.program, set()).add((cell, bound.expression))
        return [
            Job(snippet, tuple(sorted(wanted[name])))
            for name, snippet in sorted(self.snippets.items())
            if name in wanted and not snippet.problems
        ]

    def cell_index(self, program: ProgramName, cell: str | None) -> int | None:
        """Index of the cell named `cell`, of the last one for None; None if there is no such program or cell."""
        snippet = self.snippets.get(program)
        if snippet is None or not snippet.cells:
            return None
        if cell is None:
            return len(snippet.cells) - 1
        found = snippet.cell(cell)
        return found.index if found else None

    def formulas(self) -> list[Formula]:
        return sorted(
            {item.formula for page in self.pages.values() for item in page.formulas},
            key=lambda formula: (formula.tex, formula.display),
        )

    def has_glossary(self, language: str) -> bool:
        """Whether lessons in this language have definitions to lead to."""
        page = self.pages.get(PageName(language, GLOSSARY_PAGE))
        return bool(page and page.glossary_line and self.glossary.terms)

    def shown_cells(self, directive: Directive) -> tuple[Cell, ...]:
        """The cells that a directive puts on the page, hidden ones left out."""
        snippet = self.snippets.get(directive.program)
        if snippet is None:
            return ()
        if directive.cell is None:
            return tuple(cell for cell in snippet.cells if not cell.hide)
        cell = snippet.cell(directive.cell)
        return (cell,) if cell else ()


def read_sources(project: Project, before: Sources | None = None) -> Sources:
    """Read everything; what has the same text as `before` is taken from there."""
    old_pages, old_snippets = (before.pages, before.snippets) if before else ({}, {})
    pages = {name: read_page(project, name, old_pages.get(name)) for name in project.pages()}
    snippets = {name: read_snippet(project, name, old_snippets.get(name)) for name in project.programs()}
    record, problem = read_record(project)
    states = section_states(pages, record) if record is not None else ()
    glossary = read_glossary(project, before.glossary if before else None)
    return Sources(project, pages, snippets, states, problem, glossary)


@dataclass(frozen=True)
class Course:
    """Sources and results. Everything that makes a page wrong is in `problems`."""

    sources: Sources
    results: Mapping[ProgramName, Result]
    drawings: Mapping[Formula, Drawing]
    faults: Mapping[PageName, tuple[tuple[Item | None, Problem], ...]]
    """For each page its problems, each with the item in whose place it is shown; None for the page's head."""
    elsewhere: tuple[Problem, ...]
    """Problems of programs that no page shows, and of missing pages."""
    notes: Mapping[ProgramName, tuple[Problem, ...]] = field(default_factory=dict)
    """What a contributor should see beside a program's output though the page is not wrong: it differs from the golden
    file."""

    def ahead_of(self, page: PageName) -> dict[str, PageName]:
        """The sections of a page, by id, that another language's page has in a newer form, with that page."""
        return {
            state.id: PageName(state.changed[0], page.file)
            for state in self.sources.sections
            if state.file == page.file and page.language in state.behind
        }

    @property
    def problems(self) -> list[Problem]:
        on_pages = (problem for faults in self.faults.values() for _, problem in faults)
        return sorted({*on_pages, *self.elsewhere})


def judge(sources: Sources, results: Mapping[ProgramName, Result], drawings: Mapping[Formula, Drawing]) -> Course:
    """Hold the pages against what the programs gave: all that makes a page wrong, with its place."""
    faults: dict[PageName, list[tuple[Item | None, Problem]]] = {
        name: [*((None, problem) for problem in page.problems), *_page_faults(sources, page, results, drawings)]
        for name, page in sources.pages.items()
    }
    others = (
        *check_links(sources.project, sources.pages, sources.glossary),
        *check_pages(sources.glossary, sources.pages),
    )
    for name, problem in others:
        faults[name].append((None, problem))
    return Course(
        sources,
        results,
        drawings,
        {name: tuple(found) for name, found in faults.items()},
        tuple(_elsewhere(sources, results)),
    )


def _page_faults(sources, page: Page, results, drawings) -> Iterable[tuple[Item | None, Problem]]:
    for index, directive in enumerate(page.directives):
        for problem in _directive_faults(sources, page, directive, results):
            yield ("d", index), problem
    for index, bound in enumerate(page.bounds):
        problem = _bound_fault(sources, page, bound, results)
        if problem:
            yield _shown_at(page, index), problem
    for index, item in enumerate(page.formulas):
        drawing = drawings.get(item.formula)
        if drawing is not None and drawing.problem:
            yield (
                ("f", index),
                Problem(
                    page.name.path,
                    item.line,
                    "formula",
                    f"MathJax cannot draw ${_shorten(item.formula.tex)}$: {drawing.problem}",
                    "Mend the TeX.",
                ),
            )
    for problem in _front_matter_faults(sources, page):
        yield None, problem


def _front_matter_faults(sources: Sources, page: Page) -> Iterable[Problem]:
    def fault(key: str, rule: str, text: str, cure: str) -> Problem:
        lines = page.text.split("\n")
        line = next((number for number, text in enumerate(lines, 1) if text.startswith(f"{key}:")), 1)
        return Problem(page.name.path, line, rule, text, cure)

    program = page.meta.get("snippet")
    if isinstance(program, str) and page.name.program(program) not in sources.snippets:
        yield fault("snippet", *_program_missing(sources, page.name.program(program)))
    needs = page.meta.get("needs")
    slugs = {other.slug for other in sources.pages if other.language == page.name.language}
    for slug in needs if isinstance(needs, list) else ():
        if slug not in slugs:
            yield fault("needs", "front-matter", f"There is no page “{slug}”", _did_you_mean(str(slug), slugs))


def _program_missing(sources: Sources, program: ProgramName) -> tuple[str, str, str]:
    """(rule, text, cure)"""
    text = f"There is no program {program.path}"
    shown = {directive.program for page in sources.pages.values() for directive in page.directives}
    own = [name for name in sources.snippets if (name.language, name.slug) == (program.language, program.slug)]
    unused = [name.path for name in own if name not in shown]
    if unused and not closest(program.path, [name.path for name in own]):
        return "program-missing", text, f"Was it renamed? No page shows {' and '.join(unused)}."
    others = [name for name in sources.snippets if (name.slug, name.name) == (program.slug, program.name)]
    if others:
        return "program-missing", text, f"Write it: its counterpart is {others[0].path}."
    known = own or [name for name in sources.snippets if name.language == program.language]
    return "program-missing", text, _did_you_mean(program.path, [name.path for name in known])


def _directive_faults(sources, page: Page, directive: Directive, results) -> Iterable[Problem]:
    def fault(rule: str, text: str, cure: str, detail: str = "") -> Problem:
        return Problem(page.name.path, directive.line, rule, text, cure, detail)

    program = directive.program
    snippet = sources.snippets.get(program)
    if snippet is None:
        yield fault(*_program_missing(sources, program))
        return
    if snippet.problems:
        yield from snippet.problems
        return
    if directive.cell is not None and snippet.cell(directive.cell) is None:
        names = [cell.name for cell in snippet.cells if cell.name]
        yield fault(
            "cell-missing", f"{program.path} has no cell “{directive.cell}”", _did_you_mean(directive.cell, names)
        )
        return
    result = results.get(program)
    if result is None:
        return
    if result.failure:
        yield _failed(program, result.failure)
        return
    figures = len(shown_figures(sources, directive, result))
    if figures != len(directive.alts):
        yield fault(
            "alt-text",
            f"This block shows {_count(figures, 'figure')} and has {_count(len(directive.alts), 'alt text')}",
            "Write one paragraph for each figure, in their order, that says what a reader sees in it."
            if figures > len(directive.alts)
            else "Take out the text that belongs to no figure.",
        )


def _failed(program: ProgramName, failure: Failure) -> Problem:
    return Problem(program.path, failure.line, failure.rule, failure.text, failure.cure, failure.traceback)


def shown_figures(sources: Sources, directive: Directive, result: Result) -> list[str]:
    """Raw SVG of each figure that a directive puts on the page."""
    if directive.show == "code":
        return []
    return [
        svg
        for cell in sources.shown_cells(directive)
        if cell.index < len(result.cells)
        for svg in result.cells[cell.index].figures
    ]


def value_of(sources: Sources, results: Mapping[ProgramName, Result], bound: Bound) -> Value | None:
    """What a bound number's expression gave; None for a quoted number, or if the program did not get so far."""
    result = results.get(bound.program) if bound.program else None
    cell = sources.cell_index(bound.program, bound.after) if result else None
    return None if bound.cited or cell is None else result.value(cell, bound.expression)


def _bound_fault(sources: Sources, page: Page, bound: Bound, results: Mapping) -> Problem | None:
    program, value = bound.program, value_of(sources, results, bound)
    if program and not bound.cited:
        if program not in sources.snippets:
            if any(directive.program == program for directive in page.directives):
                return None  # the block tells
            return Problem(page.name.path, bound.line, *_program_missing(sources, program))
        result = results.get(program)
        if value is None and (result is None or result.failure or sources.cell_index(program, bound.after) is None):
            return None  # one cause, one problem: the program tells, or the block that shows it
    return check_bound(bound, value, LANGUAGES[page.name.language], page.name.path)


def _shown_at(page: Page, bound: int) -> Item:
    """The item in whose place a bound number's problem is shown: itself, or the formula or block it stands in."""
    for index, formula in enumerate(page.formulas):
        if bound in formula.bounds:
            return "f", index
    for index, directive in enumerate(page.directives):
        if any(bound in alt.bounds for alt in directive.alts):
            return "d", index
    return "n", bound


def _elsewhere(sources: Sources, results) -> Iterable[Problem]:
    used = {directive.program for page in sources.pages.values() for directive in page.directives}
    asked = {bound.program for page in sources.pages.values() for bound in page.bounds if bound.program}
    asked |= {program for page in sources.pages.values() for program in page.mentioned}
    unreadable = {page.name.language for page in sources.pages.values() if page.unreadable}
    for name, snippet in sources.snippets.items():
        if name in used:
            continue
        yield from snippet.problems
        result = results.get(name)
        if result and result.failure:
            yield _failed(name, result.failure)
        if name not in asked and name.language not in unreadable:
            yield Problem(
                name.path,
                0,
                "program-unused",
                "No page shows this program",
                f"Show it with /// snippet | {name.name}, or delete it.",
            )
    yield from sources.glossary.problems
    yield from missing_pages(sources.pages)
    yield from stray_pages(sources.project)
    yield from check_navigation(sources.project, sources.pages)


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    known = sorted(known)
    there_are = f"There are: {', '.join(known[:8])}." if known else "Create it, or take the name out."
    return suggestion(name, known, there_are)


def _count(number: int, what: str) -> str:
    return f"no {what}" if number == 0 else f"1 {what}" if number == 1 else f"{number} {what}s"


def _shorten(tex: str, width: int = 60) -> str:
    tex = " ".join(tex.split())
    return tex if len(tex) <= width else tex[: width - 1] + "…"
