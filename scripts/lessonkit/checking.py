"""Everything that can be wrong with the course and can be found without a browser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lessonkit import figures, golden, numbers
from lessonkit.course import Course, shown_figures, value_of
from lessonkit.freshness import check_freshness
from lessonkit.languages import LANGUAGES
from lessonkit.lints import check_prose
from lessonkit.pages import Page
from lessonkit.parity import check_parity
from lessonkit.problems import Problem
from lessonkit.project import PageName, ProgramName, Project
from lessonkit.sources import read_source


def check_course(course: Course) -> list[Problem]:
    """All problems: those that make a page wrong, differences from the golden files, unequal languages,
    sections that are behind, and what the lints find in the prose."""
    goldens, unreadable = read_goldens(course.sources.project, course.sources.snippets)
    sources = course.sources
    return sorted(
        {
            *course.problems,
            *unreadable,
            *([sources.record_problem] if sources.record_problem else []),
            *check_freshness(sources.sections),
            *(
                problem
                for name, page in sources.pages.items()
                for problem in check_prose(
                    page, sources.glossary.avoided(name.language), _words_in_figures(course, page)
                )
            ),
            *_orphans(sources.project, sources.snippets),
            *(problem for found in golden_problems(course, goldens).values() for problem in found),
            *_own_differences(check_parity(sources.pages, sources.snippets, goldens), course.problems),
        }
    )


def _words_in_figures(course: Course, page: Page) -> dict[int, list[str]]:
    """What the figures of each block say, by the line on which it begins."""
    return {
        directive.line: [
            text for svg in shown_figures(course.sources, directive, result) for text in figures.words(svg)
        ]
        for directive in page.directives
        if (result := course.results.get(directive.program))
    }


IN_BLOCKS = frozenset({"parity-directive", "parity-number", "parity-formula"})
FOLLOWING = {"directive": IN_BLOCKS, "fence": IN_BLOCKS | {"parity-link", "parity-section"}}
"""For each rule of problems that keep the reader from a part of a page: the differences that this brings about."""


def _own_differences(differences: Iterable[Problem], problems: Iterable[Problem]) -> Iterator[Problem]:
    """The differences without those of a page that, or whose counterpart, was not read as it is meant.

    A misspelled directive is one problem, told at its line, not also as a block that only one language has.
    """
    following = {
        (_page_file(problem.path), rule) for problem in problems for rule in FOLLOWING.get(problem.rule, ())
    }
    for difference in differences:
        if (_page_file(difference.path), difference.rule) not in following:
            yield difference


def _page_file(path: str) -> str:
    """The path of a page below its language's folder, the same for its counterparts."""
    return path.split("/", 2)[-1]


def read_goldens(project: Project, programs: Iterable[ProgramName]) -> tuple[dict[ProgramName, str], list[Problem]]:
    """The golden files that are there, and what keeps others from being read."""
    goldens, problems = {}, []
    for name in programs:
        if (project.root / name.golden_path).exists():
            text, problem = read_source(project, name.golden_path, rule="golden-encoding")
            if problem:
                problems.append(problem)
            else:
                goldens[name] = text
    return goldens, problems


def golden_problems(course: Course, goldens: Mapping[ProgramName, str]) -> dict[ProgramName, tuple[Problem, ...]]:
    """For each program that ran well and prints something else than its golden file: what differs."""
    found = {}
    for name, result in course.results.items():
        if result.failure is None:
            problems = tuple(golden.compare(course.sources.snippets[name], result, goldens.get(name)))
            if problems:
                found[name] = problems
    return found


def _orphans(project: Project, programs: Iterable[ProgramName]) -> Iterable[Problem]:
    known = {name.golden_path for name in programs}
    for language in project.languages:
        for file in sorted((project.snippets / language.code).rglob("*.out")):
            path = project.relative(file)
            if path not in known:
                yield Problem(path, 0, "golden-orphan", "No program belongs to this golden file", "Delete it.")


def corrections(course: Course) -> dict[PageName, dict[int, str]]:
    """For each page the bound numbers whose digits are wrong, by index, with what they should say."""
    found: dict[PageName, dict[int, str]] = {}
    for name, page in course.sources.pages.items():
        language = LANGUAGES[name.language]
        for index, bound in enumerate(page.bounds):
            value = value_of(course.sources, course.results, bound)
            if numbers.check_bound(bound, value, language, name.path) is None:
                continue
            text = numbers.corrected(bound, value, language)
            if text is not None and text != bound.text:
                found.setdefault(name, {})[index] = text
    return found
