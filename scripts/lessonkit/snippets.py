"""A lesson program and its cells: the only reader of `# %%` lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lessonkit.problems import Problem
from lessonkit.project import ProgramName, Project
from lessonkit.sources import read_source

MARKER = re.compile(r"^# %%(?:[ \t]+(?P<rest>.*))?$")
MOVE_CELL = "Move the `# %%` line to where a new statement begins, without indentation around it."
CODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*(?P<name>[-\w.]+)")
"""What Python takes in a file's first two lines for its encoding (PEP 263)."""
NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*$")
OPTION = re.compile(r"""(?P<key>[a-z]+)=(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s"]+))(?:\s+|$)""")


@dataclass(frozen=True)
class Cell:
    """A part of a program, from its `# %%` line to the next one."""

    index: int
    name: str | None
    """None for what stands before the first `# %%` line."""
    line: int
    """Line of the cell's first line of code in the file, from 1."""
    code: str
    """The code without the `# %%` line, with the blank lines around it taken off."""
    tolerance: float | None = None
    raises: str | None = None
    stdin: tuple[str, ...] | None = None
    stderr: str = "fail"
    """"show", "hide" or "fail"."""
    native: bool = False
    reads: tuple[str, ...] = ()
    """Patterns, relative to the program's folder."""
    processes: bool = False
    browser: bool = True
    reason: str | None = None
    hide: bool = False


@dataclass(frozen=True)
class Snippet:
    """A program as it was read."""

    name: ProgramName
    text: str
    """The whole file, without byte-order mark, with LF line ends."""
    docstring: str | None
    cells: tuple[Cell, ...]
    problems: tuple[Problem, ...] = field(default=(), compare=False)
    """What is wrong with the file. A program with problems is not run."""

    def cell(self, name: str) -> Cell | None:
        return next((cell for cell in self.cells if cell.name == name), None)

    @property
    def processes(self) -> bool:
        """Whether any cell may start processes."""
        return any(cell.processes for cell in self.cells)

    @property
    def reads(self) -> tuple[str, ...]:
        return tuple(pattern for cell in self.cells for pattern in cell.reads)


def read_snippet(project: Project, name: ProgramName, known: Snippet | None = None) -> Snippet:
    """Read a program; what is wrong with it is in `problems`, never an exception.

    `known` is the program as it was read before: it is given back if the text is still the same.
    """
    text, problem = read_source(project, name.path, rule="program-encoding")
    if problem := problem or _other_encoding(name, text):
        return Snippet(name, "", None, (), (problem,))
    return known if known and known.text == text and known.cells else parse_snippet(name, text)


def _other_encoding(name: ProgramName, text: str) -> Problem | None:
    """What is wrong with a line that tells Python to read the file as something else than it is."""
    for number, line in enumerate(text.split("\n", 2)[:2], 1):
        declared = CODING.match(line)
        if declared and declared["name"].lower().replace("_", "-") not in ("utf-8", "utf8", "utf-8-sig"):
            return Problem(
                name.path,
                number,
                "program-encoding",
                f"This line declares the encoding {declared['name']}, and the file is UTF-8",
                "Take the line out: Python reads UTF-8 by itself.",
            )
    return None


def parse_snippet(name: ProgramName, text: str) -> Snippet:
    problems: list[Problem] = []
    docstring = None
    body_start = 1
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 0
        what = getattr(error, "msg", None) or str(error)
        problems.append(
            Problem(
                name.path,
                line,
                "program-syntax",
                f"Python cannot read this program: {what}",
                "Mend the line; `python " + name.path + "` shows the same error.",
            )
        )
        return Snippet(name, text, None, (), tuple(problems))
    if ast.get_docstring(tree, clean=False) is not None:
        docstring = ast.get_docstring(tree)
        body_start = tree.body[0].end_lineno + 1
    lines = text.split("\n")
    markers = {number: match for number, line in enumerate(lines, 1) if (match := MARKER.match(line.rstrip()))}
    holding = [node for node in tree.body if not markers.keys().isdisjoint(_lines_inside(node))]
    inside_statements = {line for node in holding for line in _lines_inside(node)}
    inside_strings = lines_inside_strings(holding)
    markers = {number: match for number, match in markers.items() if number not in inside_strings}
    cells = _split(name, lines, body_start, markers, problems)
    problems += [
        Problem(name.path, number, "cell-place", "A cell cannot begin inside a statement", MOVE_CELL)
        for number in sorted(markers.keys() & inside_statements)
    ]
    if not cells and not problems:
        problems.append(
            Problem(name.path, 0, "program-empty", "This program has no code", "Write it, or delete the file.")
        )
    return Snippet(name, text, docstring, tuple(cells), tuple(problems))


def lines_inside_strings(statements: Iterable[ast.stmt]) -> set[int]:
    """Lines that a multi-line string literal covers: a `# %%` there is text, not a marker."""
    covered: set[int] = set()
    for node in (part for statement in statements for part in ast.walk(statement)):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno != node.lineno:
            covered.update(range(node.lineno + 1, node.end_lineno + 1))
    return covered


def _lines_inside(statement: ast.stmt) -> range:
    """The lines that a statement covers, but for its first."""
    return range(statement.lineno + 1, statement.end_lineno + 1)


def _split(name, lines, body_start, markers, problems) -> list[Cell]:
    starts: list[tuple[int, str | None, dict]] = [(body_start, None, {})]
    taken: dict[str, int] = {}
    for number, marker in markers.items():
        cell_name, options = _read_marker(name, number, marker["rest"] or "", problems)
        if cell_name and cell_name in taken:
            problems.append(
                Problem(
                    name.path,
                    number,
                    "cell-name",
                    f"A cell named “{cell_name}” begins at line {taken[cell_name]} already",
                    "Give each cell a name of its own.",
                )
            )
        if cell_name:
            taken[cell_name] = number
        starts.append((number + 1, cell_name, options))
    ends = [start - 1 for start, _, _ in starts[1:]] + [len(lines) + 1]
    cells: list[Cell] = []
    for (start, cell_name, options), end in zip(starts, ends, strict=True):
        first, code = _trim(lines[start - 1 : end - 1])
        if not code:
            if cell_name:
                problems.append(
                    Problem(
                        name.path,
                        start - 1,
                        "cell-empty",
                        f"The cell “{cell_name}” has no code",
                        "Write it, or delete its `# %%` line.",
                    )
                )
            continue
        only_comments = all(not x.strip() or x.lstrip().startswith("#") for x in code.split("\n"))
        if cell_name is None and only_comments and len(starts) > 1:
            continue  # before the first cell: a note to contributors
        cells.append(Cell(index=len(cells), name=cell_name, line=start + first, code=code, **options))
    return cells


def _trim(lines: list[str]) -> tuple[int, str]:
    """(number of blank lines before the code, the code)."""
    first = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    return first, "\n".join(lines[first:]).rstrip()


def _read_marker(name, number, rest, problems) -> tuple[str | None, dict]:
    cell_name, _, tail = rest.strip().partition(" ")
    if not NAME.match(cell_name):
        problems.append(
            Problem(
                name.path,
                number,
                "cell-name",
                f"“{cell_name}” is not a cell name" if cell_name else "This cell has no name",
                "Name it in kebab-case: `# %% first-weights`, then its options as key=value.",
            )
        )
        return None, {}
    options: dict = {}
    tail = tail.strip()
    while tail:
        match = OPTION.match(tail)
        if not match:
            problems.append(
                Problem(
                    name.path,
                    number,
                    "cell-option",
                    f"“{tail}” is not an option",
                    "Write key=value, and quotes around a value with spaces.",
                )
            )
            break
        raw = match["plain"] if match["quoted"] is None else _unescape(match["quoted"])
        _set_option(name, number, match["key"], raw, options, problems)
        tail = tail[match.end() :]
    if options.get("browser") is False and not options.get("reason"):
        problems.append(
            Problem(
                name.path,
                number,
                "cell-option",
                "browser=false needs a reason",
                'Say why readers cannot run it: browser=false reason="reads 90 MB".',
            )
        )
    return cell_name, options


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)


def _set_option(name, number, key, raw, options, problems) -> None:
    kind, wanted = OPTIONS.get(key, (None, ""))
    if kind is None:
        problems.append(
            Problem(
                name.path,
                number,
                "cell-option",
                f"There is no cell option “{key}”",
                f"The options are {', '.join(OPTIONS)}.",
            )
        )
        return
    try:
        options[key] = kind(raw)
    except ValueError:
        problems.append(
            Problem(name.path, number, "cell-option", f"{key}={raw} is not possible", f"Write {key}={wanted}.")
        )


def _tolerance(raw: str) -> float:
    value = float(raw)
    if not 0 < value < float("inf"):
        raise ValueError
    return value


def _error_name(raw: str) -> str:
    if not all(part.isidentifier() for part in raw.split(".")):
        raise ValueError
    return raw


def _boolean(raw: str) -> bool:
    return _one_of("true", "false")(raw) == "true"


def _one_of(*words: str) -> Callable[[str], str]:
    def read(raw: str) -> str:
        if raw not in words:
            raise ValueError
        return raw

    return read


OPTIONS = {
    "tolerance": (_tolerance, "0.02, a positive number"),
    "raises": (_error_name, "ValueError, the name of an exception"),
    "stdin": (lambda raw: tuple(raw.split("\n")), '"3", one answer a line (\\n between them)'),
    "stderr": (_one_of("show", "hide"), "show or hide"),
    "native": (_boolean, "true or false"),
    "reads": (lambda raw: tuple(raw.split(",")), "data/*.txt, patterns from the program's folder, commas between"),
    "processes": (_boolean, "true or false"),
    "browser": (_boolean, "true or false"),
    "reason": (str, '"why"'),
    "hide": (_boolean, "true or false"),
}
