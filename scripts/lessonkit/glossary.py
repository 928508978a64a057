"""The glossary as contributors write it: `docs/glossary.tsv`, a row a term, its columns in all languages.

`id` is the anchor of the term on each language's glossary page. `find_<language>` says by which phrases the term is
found in lessons; phrases are separated by semicolons and stand in any inflected form:

- `*` is the term as its own column has it, `producto escalar` another name of it;
- `consulta y [clave]`: only what stands in brackets is the term, the rest is what shows that it is meant;
- `clave $`: the word right before a formula;
- `-signo de puntuación`: this is not the term;
- nothing: the word has an everyday meaning too, so the term is found only where it is bold (or linked by hand).
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lessonkit.languages import LANGUAGES
from lessonkit.pages import Page
from lessonkit.problems import Problem, suggestion
from lessonkit.project import PageName, Project
from lessonkit.sources import read_source

PATH = "docs/glossary.tsv"
PAGE = "glossary.md"
"""File of the glossary page below a language's folder."""
COLUMNS = ("id", "en", "usage")
LANGUAGE_COLUMNS = ("{}", "{}_alt", "def_{}", "find_{}", "avoid_{}")
ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
STRAIGHT_QUOTE = re.compile(r"[\"'`]")
PHRASE = re.compile(r"-?[^\[\]$*;-][^\[\]$*;]*|[^\[\]$*;-][^\[\]$*;]* \$|[^\[\]$*;]*\[[^\[\]$*;]+\][^\[\]$*;]*")


@dataclass(frozen=True)
class Entry:
    """A term in one language."""

    name: str
    alternatives: tuple[str, ...]
    """Other names in use."""
    definition: str
    phrases: tuple[str, ...]
    """By which it is found anywhere in a lesson; see the module."""


@dataclass(frozen=True)
class Term:
    id: str
    line: int
    english: str
    entries: Mapping[str, Entry]
    """Its entry in each language."""
    avoid: Mapping[str, tuple[str, ...]]
    """For each language the words that this course does not use for it."""
    usage: str
    """For authors: how the course uses it."""


@dataclass(frozen=True)
class Glossary:
    text: str = ""
    """The whole file."""
    terms: tuple[Term, ...] = ()
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(term.id for term in self.terms)

    @functools.cached_property
    def digests(self) -> dict[str, str]:
        """For each language a digest of what `shown` gives."""
        return {code: hashlib.sha256(repr(self.shown(code)).encode()).hexdigest() for code in LANGUAGES}

    def shown(self, language: str) -> tuple[tuple[str, str, Entry], ...]:
        """All that a lesson's page in this language shows or is searched for: (id, English name, entry)."""
        return tuple((term.id, term.english, term.entries[language]) for term in self.terms if language in term.entries)

    def avoided(self, language: str) -> dict[str, str]:
        """The words that the course does not use in this language, each with the term it uses."""
        return {word: term.entries[language].name for term in self.terms for word in term.avoid.get(language, ())}


def read_glossary(project: Project, known: Glossary | None = None) -> Glossary:
    """The course's glossary, an empty one if there is no file; `known` is given back if the text is still the same."""
    if not (project.root / PATH).exists():
        return Glossary()
    text, problem = read_source(project, PATH, rule="glossary")
    if problem:
        return Glossary(problems=(problem,))
    return known if known and known.text == text else parse_glossary(text)


def parse_glossary(text: str) -> Glossary:
    return _Reader(text).read()


def check_pages(glossary: Glossary, pages: Mapping[PageName, Page]) -> Iterator[tuple[PageName, Problem]]:
    """What pages say of the glossary and is not so."""
    for name, page in pages.items():
        if page.glossary_line and not glossary.text and not glossary.problems:
            text, cure = f"There is no {PATH} with the terms to show", "Write it, or take the block out."
            yield name, Problem(name.path, page.glossary_line, "glossary", text, cure)
        if name.file == PAGE and glossary.text and not page.glossary_line and not page.unreadable:
            text, cure = "This page does not show the terms", "Write /// glossary and, on the next line, ///."
            yield name, Problem(name.path, page.body_line, "glossary", text, cure)
        yield from ((name, problem) for problem in _check_not_terms(glossary, page))


def _check_not_terms(glossary: Glossary, page: Page) -> Iterator[Problem]:
    excluded = page.meta.get("not_terms", [])
    line = next((n for n, line in enumerate(page.text.split("\n"), 1) if line.startswith("not_terms:")), 1)
    if not isinstance(excluded, list):
        cure = "Write ids of the glossary, as in not_terms: [value, norm]."
        yield Problem(page.name.path, line, "front-matter", "In the front matter “not_terms” is not a list", cure)
    elif not glossary.problems:
        for term_id in excluded:
            if term_id not in glossary.ids:
                text = f"The glossary has no term “{term_id}”"
                cure = suggestion(str(term_id), glossary.ids, "Take it out.")
                yield Problem(page.name.path, line, "front-matter", text, cure)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[Problem] = []
        self.taken: dict[tuple[str, str], int] = {}  # (column, text) -> its line

    def read(self) -> Glossary:
        header, *rows = self.text.split("\n")
        columns = header.split("\t")
        if self._check_header(columns):
            terms = [self._term(number, dict(zip(columns, cells, strict=True)))
                     for number, row in enumerate(rows, 2)
                     if row.strip() and self._has_cells(number, cells := row.split("\t"), columns)]
            return Glossary(self.text, tuple(filter(None, terms)), tuple(self.problems))
        return Glossary(self.text, (), tuple(self.problems))

    def _problem(self, line: int, text: str, cure: str) -> None:
        self.problems.append(Problem(PATH, line, "glossary", text, cure))

    def _check_header(self, columns: list[str]) -> bool:
        known = [*COLUMNS, *(name.format(code) for code in LANGUAGES for name in LANGUAGE_COLUMNS)]
        for name in known:
            if name not in columns:
                self._problem(1, f"There is no column “{name}”", f"The columns are: {', '.join(known)}.")
        for name in columns:
            if name not in known:
                self._problem(1, f"There is no use for a column “{name}”", suggestion(name, known, "Take it out."))
            elif columns.count(name) > 1:
                self._problem(1, f"The column “{name}” stands there twice", "Take one out.")
        return not self.problems

    def _has_cells(self, line: int, cells: list[str], columns: list[str]) -> bool:
        if len(cells) == len(columns):
            return True
        cure = f"Separate them by single tabs, an empty one too: {', '.join(columns)}."
        self._problem(line, f"This row has {len(cells)} cells, the header {len(columns)}", cure)
        return False

    def _term(self, line: int, cells: dict[str, str]) -> Term | None:
        before = len(self.problems)
        for column, cell in cells.items():
            self._check_cell(line, column, cell)
        self._check_unique(line, "id", cells["id"])
        entries = {code: self._entry(line, code, cells) for code in LANGUAGES}
        if len(self.problems) > before:
            return None
        avoid = {code: _split(cells[f"avoid_{code}"]) for code in LANGUAGES}
        return Term(cells["id"], line, cells["en"], entries, avoid, cells["usage"])

    def _check_cell(self, line: int, column: str, cell: str) -> None:
        if cell != cell.strip():
            self._problem(line, f"“{column}” begins or ends with a space", "Take it out.")
        if column == "id" and cell and not ID.fullmatch(cell):
            self._problem(line, f"“{cell}” is no id", "Use small Latin letters, digits and single hyphens.")
        must = column in ("id", "en", *LANGUAGES) or column.startswith("def_")
        if must and not cell.strip():
            self._problem(line, f"“{column}” is empty", "Write it: each term has a name and a definition everywhere.")
        if STRAIGHT_QUOTE.search(cell):
            self._problem(line, f"There is a straight quote in “{column}”", "Write «…», or take it out.")
        if column.startswith("def_") and cell.strip() and not (cell[0].isupper() and cell.endswith(".")):
            self._problem(line, f"“{column}” is no sentence", "Begin with a capital letter, end with a full stop.")

    def _entry(self, line: int, code: str, cells: dict[str, str]) -> Entry:
        name = cells[code]
        self._check_unique(line, code, name)
        phrases = []
        for phrase in _split(cells[f"find_{code}"]):
            phrase = name if phrase == "*" else phrase
            if not PHRASE.fullmatch(phrase):
                cure = "Write words; [ ] around those that are the term; $ at the end; or * for the term itself."
                self._problem(line, f"“{phrase}” in “find_{code}” cannot be read", cure)
            self._check_unique(line, f"find_{code}", phrase)
            phrases.append(phrase)
        return Entry(name, _split(cells[f"{code}_alt"]), cells[f"def_{code}"], tuple(phrases))

    def _check_unique(self, line: int, column: str, text: str) -> None:
        first = self.taken.setdefault((column, text.casefold()), line)
        if text and first != line:
            taken = f"“{text}” in “{column}” is taken by line {first}"
            self._problem(line, taken, "Let one term have it, and give the other another.")


def _split(cell: str) -> tuple[str, ...]:
    return tuple(part for part in (part.strip() for part in cell.split(";")) if part)
