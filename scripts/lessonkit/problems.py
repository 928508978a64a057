"""What is wrong with the sources: one type for every module, printed the same way everywhere."""

from __future__ import annotations

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


def report(problems: Iterable[Problem]) -> str:
    """All problems, sorted by place, each once, with their number at the end."""
    found = sorted(set(problems))
    if not found:
        return ""
    count = "1 problem" if len(found) == 1 else f"{len(found)} problems"
    return "\n".join([*map(str, found), count])
