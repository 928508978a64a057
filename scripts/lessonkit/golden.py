"""Golden files: what a program is known to print, and whether it still prints it.

A golden file holds the printed lines of each cell, after a line `# %% name` for each named cell. A printed
line that looks like such a line itself gets a backslash before it, and so does one that begins with
backslashes and such a line.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from lessonkit.alignment import align
from lessonkit.problems import Problem
from lessonkit.project import ProgramName
from lessonkit.results import Result
from lessonkit.snippets import Cell, Snippet

MARKER = "# %%"
ESCAPABLE = re.compile(rf"\\*{MARKER}")
DOUBLE_DIGITS = 15
"""Decimal digits that a 64-bit float always holds; those after them differ between machines."""
MOST_LINES = 3
"""Differing lines of a cell that a problem shows."""


@dataclass(frozen=True)
class GoldenCell:
    """The part of a golden file that belongs to one cell."""

    name: str | None
    line: int
    """Line of the first printed line in the file, from 1."""
    lines: tuple[str, ...]
    """The printed lines, without trailing spaces."""


def write(result: Result, snippet: Snippet) -> str:
    """The golden file of a whole run."""
    lines: list[str] = []
    for cell, ran in zip(snippet.cells, result.cells, strict=False):
        if cell.name is not None:
            lines.append(f"{MARKER} {cell.name}")
        lines += ["\\" + line if ESCAPABLE.match(line) else line for line in _printed_lines(ran.output)]
    return "".join(line + "\n" for line in lines)


def read(text: str) -> list[GoldenCell]:
    """The cells of a golden file; lines before its first marker make a cell without a name."""
    cells: list[GoldenCell] = []
    name, first, lines = None, 1, []
    for number, line in enumerate(_printed_lines(text), 1):
        if line.startswith(MARKER):
            if name is not None or lines:
                cells.append(GoldenCell(name, first, tuple(lines)))
            name, first, lines = line[len(MARKER) :].strip(), number + 1, []
        else:
            lines.append(line[1:] if line.startswith("\\") and ESCAPABLE.match(line) else line)
    if name is not None or lines:
        cells.append(GoldenCell(name, first, tuple(lines)))
    return cells


def _printed_lines(text: str) -> list[str]:
    lines = [line.rstrip(" \t") for line in text.replace("\r\n", "\n").split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


# -- comparing -----------------------------------------------------------------------------------------------


def compare(snippet: Snippet, result: Result, golden_text: str | None) -> list[Problem]:
    """What a run prints other than its golden file, and what no output should hold: addresses, NumPy's own
    notation.

    `golden_text` is None if there is no file. A run that failed is not compared: its failure says what is
    wrong.
    """
    if result.failure is not None:
        return []
    name = snippet.name
    outputs = [(cell, _printed_lines(ran.output)) for cell, ran in zip(snippet.cells, result.cells, strict=False)]
    if golden_text is None:
        problems = [
            Problem(
                name.golden_path,
                0,
                "golden-missing",
                f"The program {name} has no golden file",
                f"Look at what it prints: {_accept(name)} shows it and writes the file.",
            )
        ]
        for cell, lines in outputs:
            problems += _faults(name.path, cell, [(cell.line, None, line) for line in lines])[0]
        return problems
    goldens = read(golden_text)
    problems = _compare_cells(snippet, goldens)
    by_name = {golden.name: golden for golden in reversed(goldens)}
    by_name.setdefault(None, GoldenCell(None, 1, ()))
    for cell, lines in outputs:
        if cell.name in by_name:
            problems += _compare_lines(name, cell, by_name[cell.name], lines)
    return problems


def _accept(name: ProgramName) -> str:
    return f"`python scripts/lessons.py accept {name}`"


def _compare_cells(snippet: Snippet, goldens: Sequence[GoldenCell]) -> list[Problem]:
    """Cells that stand only in the program or only in the golden file, or in another order."""
    name = snippet.name
    cure = f"Look at the difference: {_accept(name)} shows it and writes the file."

    def problem(line: int, text: str) -> Problem:
        return Problem(name.golden_path, line, "golden", text, cure)

    wanted = [cell.name for cell in snippet.cells if cell.name is not None]
    found = [golden for golden in goldens if golden.name is not None]
    names = [golden.name for golden in found]
    problems = []
    if goldens and goldens[0].name is None and all(cell.name is not None for cell in snippet.cells):
        problems.append(problem(1, "The golden file has lines before its first cell, where the program prints nothing"))
    if sorted(wanted) == sorted(names):
        if wanted != names:
            problems.append(
                problem(
                    found[0].line - 1,
                    "The cells of the golden file stand in another order than those "
                    f"of the program: {', '.join(wanted)}",
                )
            )
        return problems
    line = 0
    for old, new in align((names, wanted)):
        line = found[old].line - 1 if old is not None else line
        if old is None:
            problems.append(problem(line, f"The golden file has no cell “{wanted[new]}”"))
        elif new is None:
            problems.append(problem(line, f"The golden file has a cell “{names[old]}” that the program has not"))
        elif names[old] != wanted[new]:
            problems.append(
                problem(
                    line,
                    f"The cell “{names[old]}” of the golden file is called “{wanted[new]}” in the program",
                )
            )
    return problems


def _compare_lines(name: ProgramName, cell: Cell, golden: GoldenCell, lines: Sequence[str]) -> list[Problem]:
    pairs = _paired(golden, lines)
    problems, faulty = _faults(name.golden_path, cell, pairs)
    rest = [pair for index, pair in enumerate(pairs) if index not in faulty]
    padded = any(old is not None and new is not None and _widths(old) != _widths(new) for _, old, new in rest)
    differing = [
        (number, old, new, marks)
        for number, old, new in rest
        if (marks := _differences(old, new, cell.tolerance, padded)) is not None
    ]
    if differing:
        what = _what(cell)
        where = "" if len(differing) == 1 else f" in {len(differing)} lines"
        problems.append(
            Problem(
                name.golden_path,
                differing[0][0],
                "golden",
                f"{what} differs from the golden file{where}",
                f"Mend the program, or, if the new output is right, run {_accept(name)}.",
                _detail([(old, new, marks) for _, old, new, marks in differing]),
            )
        )
    return problems


def _what(cell: Cell) -> str:
    return f"The output of the cell “{cell.name}”" if cell.name else "The output"


def _paired(golden: GoldenCell, lines: Sequence[str]) -> list[tuple[int, str | None, str | None]]:
    """(line in the golden file, golden line, new line); None for a line that has no counterpart."""
    texts = (golden.lines, tuple(lines))
    if texts[0] == texts[1]:
        return [(number, line, line) for number, line in enumerate(lines, golden.line)]
    forms = tuple(
        [tuple(token.text if token.value is None else "0" for token in tokens(line)) for line in side] for side in texts
    )
    pairs, number = [], max(golden.line - 1, 1)
    for old, new in align(texts, forms):
        number = golden.line + old if old is not None else number
        pairs.append((number, None if old is None else golden.lines[old], None if new is None else lines[new]))
    return pairs


# -- numbers in printed lines --------------------------------------------------------------------------------

NUMBER = re.compile(
    r"(?<![\w.])[+\-−]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?j?(?!\.?[0-9])(?!_)|(?:nan|inf)(?!\w))"
)
TOKEN = re.compile(rf"(?P<number>{NUMBER.pattern})|(?P<space>\s+)|(?P<text>(?:(?!{NUMBER.pattern})\S)+)")


@dataclass(frozen=True)
class Token:
    """A number of a printed line, or the characters between two numbers or spaces."""

    text: str
    start: int
    space: str
    """The white space before it."""
    value: Fraction | str | None
    """None for text; "nan", "inf" or "-inf" for these."""

    @property
    def whole(self) -> bool:
        """Whether it is a number printed without decimal point and exponent."""
        return self.value is not None and self.text.lstrip("+-−").isdigit()

    @property
    def digit(self) -> int:
        """The power of ten of the last digit printed."""
        mantissa, _, exponent = self.text.rstrip("j").lower().partition("e")
        return int(exponent or 0) - len(mantissa.partition(".")[2])


@functools.lru_cache(maxsize=1 << 15)  # `mkdocs serve` compares the same lines again and again
def tokens(line: str) -> tuple[Token, ...]:
    """The numbers and the text of a printed line. Digits inside a word (x2, 2.4.6, 1_000) are text."""
    found, space = [], ""
    for match in TOKEN.finditer(line):
        if match["space"]:
            space = match[0]
            continue
        found.append(Token(match[0], match.start(), space, _value(match["number"]) if match["number"] else None))
        space = ""
    return tuple(found)


def _value(text: str) -> Fraction | str:
    text = text.replace("−", "-").removeprefix("+").rstrip("j")
    return text.removeprefix("-") if text.endswith("nan") else text if text.endswith("inf") else Fraction(text)


def same_number(old: Token, new: Token, tolerance: float | None = None) -> bool:
    """Whether a printed number is the golden one.

    It is if both differ by less than one unit of the last digit printed (of the finer of both; never finer
    than the 15th significant digit), or by no more than the tolerance. Whole numbers must be equal, and stay
    whole; −0 is 0.
    """
    if isinstance(old.value, str) or isinstance(new.value, str):
        return old.value == new.value
    if old.whole != new.whole or old.text.endswith("j") != new.text.endswith("j"):
        return False
    difference = abs(old.value - new.value)
    if not difference or (tolerance is not None and difference <= Fraction(repr(tolerance))):
        return True
    if old.whole:
        return False
    largest = max(abs(old.value), abs(new.value))
    return difference < max(Fraction(10) ** min(old.digit, new.digit), _last_digit_of_double(largest))


def _last_digit_of_double(value: Fraction) -> Fraction:
    """One unit of the 15th significant digit of a positive value."""
    order = len(str(value.numerator)) - len(str(value.denominator))
    if value < Fraction(10) ** order:
        order -= 1
    return Fraction(10) ** (order - DOUBLE_DIGITS + 1)


def _widths(line: str) -> list[int]:
    return [len(token.text) for token in tokens(line) if token.value is not None]


def _differences(old: str | None, new: str | None, tolerance: float | None, padded: bool) -> str | None:
    """Marks under what differs in `new`, or None if nothing does.

    With `padded` (a number of the cell takes more or less room than before) the spaces beside numbers do not
    count: they only align columns.
    """
    if old is None or new is None:
        return ""
    if old == new:
        return None
    olds, news = tokens(old), tokens(new)
    if len(olds) != len(news):
        return _marks_between(old, new)
    marks = [" "] * (len(new) + 1)
    for index, (left, right) in enumerate(zip(olds, news, strict=True)):
        numbers = left.value is not None and right.value is not None
        if not (same_number(left, right, tolerance) if numbers else left.text == right.text):
            marks[right.start : right.start + len(right.text)] = "^" * len(right.text)
        beside = numbers or (index > 0 and olds[index - 1].value is not None)
        if left.space != right.space and not (padded and beside):
            marks[max(right.start - 1, 0)] = "^"
    return "".join(marks).rstrip() or None


def _marks_between(old: str, new: str) -> str:
    """Marks under `new` from the first to the last character that differs."""
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    room = min(len(old), len(new)) - start
    end = next((i for i in range(room) if old[-1 - i] != new[-1 - i]), room)
    return " " * start + "^" * max(len(new) - end - start, 1)


def _detail(differing: Sequence[tuple[str | None, str | None, str]]) -> str:
    lines = []
    for old, new, marks in differing[:MOST_LINES]:
        lines += [f"golden | {old}" if old is not None else "golden   (no such line)"]
        lines += [f"now    | {new}" if new is not None else "now      (no such line)"]
        if marks:
            lines.append(f"       | {marks}")
    more = len(differing) - MOST_LINES
    if more > 0:
        lines.append(f"… and {more} more")
    return "\n".join(lines)


# -- what no output should hold ------------------------------------------------------------------------------

REPR = re.compile(
    r"\bnp\.(?:(?:float|int|uint|complex|bool|str|bytes|longdouble|clongdouble|longlong|ulonglong|datetime|timedelta|"
    r"void|object)\w*\([^()]*\)?|(?:True|False)_)"
)
ADDRESS = re.compile(
    r"<[^<>\n]*\b0x[0-9A-Fa-f]{5,}[^<>\n]*>?|\bat 0x[0-9A-Fa-f]+"
    r"|\b0x(?:0{4})?(?:7[ef]|5[56])[0-9A-Fa-f]{10}\b|\b0x(?:0{7})?1[0-9A-Fa-f]{8}\b"
)


def _faults(
    path: str, cell: Cell, pairs: Sequence[tuple[int, str | None, str | None]]
) -> tuple[list[Problem], set[int]]:
    """(problems of new lines that hold NumPy's own notation or an address, indexes of their pairs)"""
    problems: list[Problem] = []
    faulty: set[int] = set()
    for pattern, rule, text, cure in (
        (
            REPR,
            "repr",
            "shows {}, a notation of NumPy that changes with its version",
            "Print a plain number: round(float(x), 2), bool(x), or x.tolist() for many.",
        ),
        (
            ADDRESS,
            "address",
            "shows {}, an address in memory, which is another one in each run",
            "Print what matters of the object, or give its class a __repr__.",
        ),
    ):
        hits = [
            (i, number, old, new, match)
            for i, (number, old, new) in enumerate(pairs)
            if new is not None and (match := pattern.search(new))
        ]
        if hits:
            _, number, _, _, match = hits[0]
            detail = [
                (old, new, " " * found.start() + "^" * len(found[0]))
                for _, _, old, new, found in hits
                if old is not None and old != new
            ]
            problems.append(
                Problem(path, number, rule, f"{_what(cell)} {text.format(match[0])}", cure, _detail(detail))
            )
        faulty |= {hit[0] for hit in hits}
    return problems, faulty


HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+).*")

# -- showing -------------------------------------------------------------------------------------------------


def difference(old: str, new: str) -> str:
    """What changes between two golden files: lines with - and + and one line around them; "" if nothing."""
    lines = difflib.unified_diff(_printed_lines(old), _printed_lines(new), n=1, lineterm="")
    return "\n".join(HUNK.sub(r"line \1:", line) for line in islice(lines, 2, None))  # without the two headers
