"""What a run of a program gives: one type for runner, cache, rendering, golden files and notebooks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Value:
    """What an expression of a page gave in the program's namespace. Exactly one field is set."""

    numbers: tuple[int | float, ...] | None = None
    """The value's numbers, flattened in order (numbers, arrays, tensors, nested lists)."""
    text: str | None = None
    """The value, if it is a string."""
    error: str | None = None
    """Why there is no value, in plain words: "NameError: name 'w' is not defined"."""


@dataclass(frozen=True)
class CellResult:
    """What one cell printed and drew, and the values asked for after it."""

    output: str = ""
    """Printed text in order, LF line ends; carriage returns and terminal codes already resolved."""
    figures: tuple[str, ...] = ()
    """Raw SVG of each figure, in drawing order."""
    values: tuple[tuple[str, Value], ...] = ()
    """(expression, value) in the order asked."""
    planned_error: str = ""
    """Short traceback of the error that the cell declares with `raises=`."""


@dataclass(frozen=True)
class Failure:
    """Why a program did not end as it should."""

    rule: str
    """The rule's code: `program-error`, `program-time`, `program-memory`, `program-output`, …"""
    line: int
    """Line in the program, from 1; 0 if unknown."""
    text: str
    """What happened, in one sentence without a final full stop."""
    cure: str
    traceback: str = ""
    """The end of the traceback, with the program's own lines; paths relative to the root."""


@dataclass(frozen=True)
class Result:
    """A whole run. After a failure the cells up to and including the failing one are there."""

    cells: tuple[CellResult, ...]
    failure: Failure | None = None
    files: tuple[str, ...] = ()
    """The project's files that a whole run opened, but for the course's libraries; relative to the root."""

    def value(self, after: int, expression: str) -> Value | None:
        """The value of `expression` after cell `after` (index), if it was asked for and the run came so far."""
        if after < len(self.cells):
            return dict(self.cells[after].values).get(expression)
        return None
