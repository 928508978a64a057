"""Freshness: which sections say the same in all languages, as somebody confirmed it last.

`docs/.translations.json` keeps, for each section of a page, a digest of its text in every language, taken when somebody
said that they teach the same. A section that changed since then in one language only is behind in the others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lessonkit.languages import LANGUAGES
from lessonkit.pages import Page
from lessonkit.problems import Problem
from lessonkit.project import PageName, Project
from lessonkit.sources import read_source

RECORD = "docs/.translations.json"
COMMAND = "python scripts/lessons.py translations"

Digests = Mapping[str, str]
"""Language → digest of a section's text."""
Record = Mapping[str, Mapping[str, Digests]]
"""Page (path below its language's folder) → section's id, "" for what stands above the first one → digests."""


@dataclass(frozen=True)
class SectionText:
    """A section's own words in one language: everything from its heading to the next one that has an id."""

    id: str
    """"" for the page's head: title, description, and what stands above the first heading with an id."""
    line: int
    source: str
    """As written."""
    said: str
    """What the digest is taken of: white space and the digits of bound numbers, which come from code, do not count."""

    @property
    def digest(self) -> str:
        return hashlib.blake2b(self.said.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class SectionState:
    """A section of a page, in all its languages, against what was confirmed."""

    file: str
    """Path of the page below its language's folder."""
    id: str
    texts: Mapping[str, SectionText]
    confirmed: Digests | None
    """None: nobody ever confirmed it."""

    @property
    def changed(self) -> tuple[str, ...]:
        """Languages whose text is not the one that was confirmed."""
        confirmed = self.confirmed or {}
        return tuple(code for code, text in self.texts.items() if confirmed.get(code) != text.digest)

    @property
    def behind(self) -> tuple[str, ...]:
        """Languages that have not followed a change of another one."""
        changed = self.changed
        return tuple(code for code in self.texts if code not in changed) if changed else ()

    @property
    def unconfirmed(self) -> bool:
        """Whether all languages changed, or are new, and nobody said yet that they say the same."""
        return len(self.changed) == len(self.texts)

    def place(self, language: str) -> str:
        return f"{PageName(language, self.file).path}:{self.texts[language].line}"

    @property
    def slug(self) -> str:
        return PageName("", self.file).slug

    @property
    def name(self) -> str:
        """What the command calls it: `masks#causal`, `masks#` for a page's head."""
        return f"{self.slug}#{self.id}"


def section_texts(page: Page) -> list[SectionText]:
    """The sections of a page that have ids, in order, after its head."""
    blanked = list(page.text)
    for bound in page.bounds:
        if not bound.cited:
            blanked[bound.start : bound.start + len(bound.text)] = " " * len(bound.text)
    said, source = "".join(blanked).split("\n"), page.text.split("\n")
    starts = [(page.body_line, ""), *((section.line, section.id) for section in page.sections if section.id)]
    ends = [line for line, _ in starts[1:]] + [len(source) + 1]
    found = []
    for (line, id_), end in zip(starts, ends, strict=True):
        head = [str(page.meta.get("title")), str(page.meta.get("description"))] if not id_ else []
        words = " ".join("\n".join([*head, *said[line - 1 : end - 1]]).split())
        found.append(SectionText(id_, line, "\n".join([*head, *source[line - 1 : end - 1]]), words))
    return found


def section_states(pages: Mapping[PageName, Page], record: Record) -> list[SectionState]:
    """Every section that all languages of its page have, page by page, in the order of the first language."""
    texts = {name: {text.id: text for text in section_texts(page)} for name, page in pages.items() if page.text}
    languages = [code for code in LANGUAGES if any(name.language == code for name in texts)]
    found = []
    for file in sorted({name.file for name in texts}):
        here = {code: texts[name] for code in languages if (name := PageName(code, file)) in texts}
        for id_ in next(iter(here.values())):
            if len(here) > 1 and all(id_ in own for own in here.values()):
                own = {code: sections[id_] for code, sections in here.items()}
                found.append(SectionState(file, id_, own, record.get(file, {}).get(id_)))
    return found


MANY = 4
"""So many sections of one page that are behind are one finding: somebody rewrote the other page."""


def check_freshness(states: Iterable[SectionState]) -> Iterator[Problem]:
    """A problem at each section that is behind, and one a page for those that wait for somebody's word."""
    waiting: dict[str, list[SectionState]] = {}
    behind: dict[PageName, list[SectionState]] = {}
    for state in states:
        for code in state.behind:
            behind.setdefault(PageName(code, state.file), []).append(state)
        if state.unconfirmed:
            waiting.setdefault(state.file, []).append(state)
    for page, old in behind.items():
        yield from [_many_behind(page, old)] if len(old) >= MANY else [_behind(page, state) for state in old]
    for file, unconfirmed in waiting.items():
        yield _waiting(file, unconfirmed)


def _behind(page: PageName, state: SectionState) -> Problem:
    ahead = " and ".join(state.place(other) for other in state.changed)
    text = f"{_called(state)} is behind: {ahead} changed since both were confirmed to say the same"
    return Problem(page.path, state.texts[page.language].line, "freshness", text, _carry_over(state.name))


def _many_behind(page: PageName, states: Sequence[SectionState]) -> Problem:
    others = sorted({PageName(code, page.file).path for state in states for code in state.changed})
    called = ", ".join(map(_called, states))
    text = (f"{len(states)} sections are behind: {called}. They changed in {' and '.join(others)} since all were "
            "confirmed to say the same")
    return Problem(page.path, states[0].texts[page.language].line, "freshness", text, _carry_over(states[0].slug))


def _carry_over(name: str) -> str:
    return f"Carry the change over (`{COMMAND} --diff {name}` shows it), then `{COMMAND} --confirm {name}`."


def _waiting(file: str, states: Sequence[SectionState]) -> Problem:
    first = states[0]
    language = next(iter(first.texts))
    called = ", ".join(_called(state) for state in states[:5]) + (", …" if len(states) > 5 else "")
    verb = "were" if len(states) > 1 else "was"
    text = f"{called} {verb} written or changed in all languages, and nobody has said yet that they say the same"
    name = first.name if len(states) == 1 else first.slug
    cure = f"Read them side by side, then `{COMMAND} --confirm {name}`."
    return Problem(PageName(language, file).path, first.texts[language].line, "freshness", text, cure)


def _called(state: SectionState) -> str:
    return f"{{#{state.id}}}" if state.id else "The head"


# -- the record ----------------------------------------------------------------------------------------------


def read_record(project: Project) -> tuple[Record | None, Problem | None]:
    """What was confirmed; None if this course keeps no record. A damaged one is a problem."""
    if not (project.root / RECORD).exists():
        return None, None
    text, problem = read_source(project, RECORD, rule="freshness")
    if problem:
        return None, problem
    try:
        return _checked(json.loads(text)), None
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        return None, Problem(
            RECORD,
            line,
            "freshness",
            f"This record cannot be read: {error}",
            "Take both sides' lines of a merge, or restore the file from its last commit.",
        )


def _checked(data: object) -> Record:
    """`data` if it has the form of a record; a `ValueError` says where not."""
    for file, sections in _entries(data, "the record"):
        for id_, digests in _entries(sections, file):
            for code, digest in _entries(digests, f"{file}#{id_}"):
                if not isinstance(digest, str):
                    raise ValueError(f"{file}#{id_} has no digest for {code}")
    return data


def _entries(value: object, what: str) -> Iterable[tuple[str, object]]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is not a table")
    return value.items()


def confirmed(states: Iterable[SectionState], chosen: Iterable[SectionState]) -> Record:
    """The record in which the chosen sections are as they are now, and the others as they were."""
    chosen = {(state.file, state.id) for state in chosen}
    record: dict[str, dict[str, Digests]] = {}
    for state in states:
        now = {code: text.digest for code, text in state.texts.items()}
        digests = now if (state.file, state.id) in chosen else state.confirmed
        if digests:
            record.setdefault(state.file, {})[state.id] = digests
    return record


def write_record(project: Project, record: Record) -> None:
    """One line a section, so that two contributors' changes merge."""
    pages = ",\n".join(
        f"  {json.dumps(file)}: {{\n"
        + ",\n".join(f"    {json.dumps(id_)}: {json.dumps(dict(own))}" for id_, own in sections.items())
        + "\n  }"
        for file, sections in sorted(record.items())
    )
    (project.root / RECORD).write_text(f"{{\n{pages}\n}}\n", encoding="utf-8", newline="\n")
