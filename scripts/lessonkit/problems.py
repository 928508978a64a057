"""What is wrong with the sources: one type for every module, printed the same way everywhere."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """One fault, at one place, with its cure.

    Problems sort by place, so that a report reads from the top of the first file to the end of the last.
    """

    path: str
    """File, relative to the project's root, with forward slashes."""
    line: int
    """Line in that file, from 1; 0 if the file as a whole is meant."""
    rule: str
    """The rule's code, as in FORMATS: `bound-number`."""
    text: str
    """What is wrong, in one sentence without a final full stop."""
    cure: str
    """What to do about it, in one sentence."""
    detail: str = ""
    """Further lines shown below, such as the end of a traceback or a difference."""

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path

    def __str__(self) -> str:
        lines = [f"{self.place}: {self.text} [{self.rule}]"]
        lines += ["    " + line for line in [*self.detail.splitlines(), self.cure] if line]
        return "\n".join(lines)


def report(problems: Iterable[Problem], noun: str = "problem") -> str:
    """All problems, sorted by place, each once, with their number at the end.

    `noun` is what one of them is called there; more than one are its first word with an s.
    """
    found = sorted(set(problems))
    if not found:
        return ""
    name, space, rest = noun.partition(" ")
    count = f"{len(found)} {name}{'s' if len(found) > 1 else ''}{space}{rest}"
    return "\n".join([*map(str, found), count])


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant: of paths, the last part must be alike."""
    by_last_part: dict[str, list[str]] = {}
    for candidate in sorted(known):
        by_last_part.setdefault(candidate.rpartition("/")[2], []).append(candidate)
    parts = difflib.get_close_matches(name.rpartition("/")[2], by_last_part, n=3, cutoff=0.6)
    candidates = [candidate for part in parts for candidate in by_last_part[part]]
    return max(candidates, key=lambda c: difflib.SequenceMatcher(None, name, c).ratio(), default=None)


def suggestion(name: str, known: Iterable[str], otherwise: str) -> str:
    """A cure for a name that does not exist."""
    close = closest(name, known)
    return f"Did you mean {close}?" if close else otherwise
