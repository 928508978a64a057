"""What the process of a program writes down while it runs, and the `Result` made of it.

The program's process may vanish at any moment (killed, crashed, `os._exit`), so each step is on disk before
the next one begins. A run's folder holds `out` (all that was printed), `err` (stderr of cells that may not
use it), `journal` (one JSON object a line) and `fault` (where Python stood when it was killed or crashed).
"""

from __future__ import annotations

import json
import os
import re
import signal
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lessonkit.dependencies import Dependencies
from lessonkit.machine_paths import MachinePaths
from lessonkit.project import LIBRARIES
from lessonkit.results import CellResult, Failure, Result, Value
from lessonkit.terminal import plain_text

if TYPE_CHECKING:  # the zygote needs no reader of programs
    from lessonkit.snippets import Snippet


THREAD = "The program reached its end, but a thread that it started"


@dataclass(frozen=True)
class Limits:
    """What one program may use."""

    seconds: float = 60
    """Of computing, or of waiting for something."""
    memory: int = 2 << 30
    """Bytes."""
    output: int = 1_000_000
    """Bytes printed."""
    files: int = 100_000_000
    """Bytes written to files."""


@dataclass(frozen=True)
class End:
    """How the process of a program ended."""

    how: str
    """`exit` by itself; `time`, `output` or `files` if it was ended for going beyond that limit; `lost` if it
    took the process that runs programs with it.
    """
    status: int = 0
    """Exit status; the negative number of the signal that killed it."""
    seconds: float = 0.0


@dataclass(frozen=True)
class Run:
    """A result, and what it takes to store it."""

    result: Result
    dependencies: Dependencies | None = None
    """None if the run must not be stored: it failed, or what it read changed meanwhile."""
    seconds: float = 0.0


class Journal:
    """The writing side. The file is opened for each entry: a program may close all files."""

    def __init__(self, path: str) -> None:
        self._path = path
        # A program may replace these by its own.
        self._open, self._write, self._close, self._dumps = os.open, os.write, os.close, json.dumps

    def note(self, kind: str, **entry: object) -> None:
        data = (self._dumps({"kind": kind, **entry}) + "\n").encode("ascii")
        handle = self._open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            while data:
                data = data[self._write(handle, data) :]
        finally:
            self._close(handle)


def read_run(
    folder: Path,
    snippet: Snippet,
    questions: tuple[tuple[int, str], ...],
    end: End,
    limits: Limits,
    paths: MachinePaths,
) -> Run:
    """The run whose traces lie in `folder`."""
    entries = _read_entries(folder / "journal")
    printed = _read(folder / "out", limits.output + 1)
    failure = next((_failure(entry) for entry in entries if entry["kind"] == "failure"), None)
    finished = bool(entries) and entries[-1]["kind"] == "end"
    engine_fault = _read(folder / "engine-fault").decode("utf-8", "replace")
    changed = _read(folder / "changed-python").decode("utf-8", "replace")
    if changed:
        failure = Failure(
            "program-error",
            0,
            f"The program changed Python itself ({changed}) so far that its result could not be written down",
            "Undo the change within the cell that makes it.",
            paths.shorten(engine_fault),
        )
    elif engine_fault:
        failure = Failure(
            "engine",
            0,
            f"The engine failed while it ran this program: {engine_fault.splitlines()[-1]}",
            "Does the program change Python itself? If not, this is a fault of scripts/lessonkit.",
            paths.shorten(engine_fault),
        )
    elif failure is None and end.how != "exit":
        failure = _explain_limit(end, limits, *_last_step(entries, snippet, questions, folder))
    elif failure is None and not finished:
        failure = _explain_death(end, limits, entries, *_last_step(entries, snippet, questions, folder))
    cells, faults = _read_cells(entries, printed, snippet, paths)
    if len(printed) > limits.output and (failure is None or failure.rule == "program-files"):
        failure = _explain_limit(
            replace(end, how="output"), limits, *_last_step(entries, snippet, questions, folder)
        )
    failure = failure or next(iter(faults), None)
    if failure:
        return Run(Result(tuple(cells), failure), None, end.seconds)
    if len(cells) < len(snippet.cells):
        cells += _cells_not_reached(len(cells), snippet, questions)
    dependencies = entries[-1]["dependencies"]
    unanswered = any(value.error for cell in cells for _, value in cell.values)
    return Run(
        Result(tuple(cells), files=_files_read(dependencies)),
        Dependencies.from_json(dependencies) if dependencies and not unanswered else None,
        end.seconds,
    )


def _files_read(dependencies: dict | None) -> tuple[str, ...]:
    """Data and modules that a copy of the program elsewhere would need too."""
    libraries = tuple(f"snippets/{name}/" for name in LIBRARIES)
    files = dependencies["files"] if dependencies else {}
    return tuple(sorted(file for file, digest in files.items() if digest and not file.startswith(libraries)))


def _read_entries(path: Path) -> list[dict]:
    entries = []
    for line in _read(path).split(b"\n"):
        try:
            entry = json.loads(line)
        except ValueError:  # cut off when the process was killed
            continue
        if isinstance(entry, dict) and "kind" in entry:
            entries.append(entry)
    return entries


def _read(path: Path, size: int = -1) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(size)
    except OSError:
        return b""


def _failure(entry: dict) -> Failure:
    return Failure(**{key: value for key, value in entry.items() if key != "kind"})


# -- cells --


def _read_cells(
    entries: list[dict], printed: bytes, snippet: Snippet, paths: MachinePaths
) -> tuple[list[CellResult], list[Failure]]:
    """The cells that ran, and what is wrong with what they printed and drew."""
    spans: list[list[tuple[int, int]]] = []
    contents: list[dict] = []
    start = None
    for entry in entries:
        if entry["kind"] == "cell":
            spans.append([])
            contents.append({})
        if entry["kind"] in ("cell", "closing"):
            start = entry["out"]
        elif entry["kind"] in ("code", "closed") and start is not None:
            spans[-1].append((start, entry["out"]))
            start = None
        elif entry["kind"] == "cell-end":
            contents[-1] = entry
    if start is not None and spans:
        spans[-1].append((start, len(printed)))
    cells: list[CellResult] = []
    faults: list[Failure] = []
    for cell, parts, content in zip(snippet.cells, spans, contents, strict=False):
        raw = b"".join(printed[begin:end] for begin, end in parts)
        output = plain_text(raw.decode("utf-8", "replace"))
        if cell.stderr == "show":  # warnings and tracebacks name files
            output = paths.shorten_root(output)
        figures = tuple(content.get("figures", ()))
        values = tuple((question, _value(value)) for question, value in content.get("values", ()))
        cells.append(CellResult(output, figures, values, content.get("planned_error", "")))
        faults += _output_faults(raw, output, figures, cell.line, paths)
    return cells, faults


def _value(data: dict) -> Value:
    numbers = data.get("numbers")
    return Value(None if numbers is None else tuple(numbers), data.get("text"), data.get("error"))


def _output_faults(
    raw: bytes, output: str, figures: tuple[str, ...], line: int, paths: MachinePaths
) -> list[Failure]:
    faults = []
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        shown = raw[max(0, error.start - 20) : error.start + 4]
        faults.append(
            Failure(
                "program-bytes",
                line,
                f"This cell prints bytes that are not UTF-8: {shown!r}",
                "Print text; encode bytes as UTF-8 before you write them to sys.stdout.buffer.",
            )
        )
    path = paths.find(output)
    if path:
        faults.append(
            Failure(
                "machine-path",
                line,
                f"This cell prints a path of this machine: {path}",
                "Print what is the same everywhere, such as Path(…).name.",
            )
        )
    for number, figure in enumerate(figures, 1):
        path = paths.find(figure)
        if path:
            faults.append(
                Failure(
                    "machine-path",
                    line,
                    f"Figure {number} of this cell shows a path of this machine: {path}",
                    "Show what is the same everywhere, such as Path(…).name.",
                )
            )
    return faults


def _cells_not_reached(
    first: int, snippet: Snippet, questions: tuple[tuple[int, str], ...]
) -> list[CellResult]:
    """Cells after a `sys.exit()` that ended the program in good order."""
    reason = Value(error="the program ended before this cell")
    return [
        CellResult(values=tuple((question, reason) for after, question in questions if after == cell.index))
        for cell in snippet.cells[first:]
    ]


# -- programs that did not end by themselves --


def _last_step(
    entries: list[dict], snippet: Snippet, questions: tuple[tuple[int, str], ...], folder: Path
) -> tuple[int, str, str]:
    """(line, what was going on, traceback) when the process was ended."""
    cells = [entry["index"] for entry in entries if entry["kind"] == "cell"]
    cell = snippet.cells[cells[-1]] if cells else None
    kind = entries[-1]["kind"] if entries else ""
    trace = fault_trace(folder / "fault", snippet.name.path)
    line = trace[0][0] if trace else (cell.line if cell else 0)
    what = "The program"
    if cell and kind == "question":
        asked = [question for after, question in questions if after == cell.index]
        what = f"The expression “{asked[entries[-1]['index']]}” that a page asks for"
        line = cell.line
    elif kind == "figures":
        what = "Drawing the figures"
    elif kind == "threads":
        what = THREAD
        trace = fault_trace(folder / "fault", snippet.name.path, all_threads=True)
        line = trace[0][0] if trace else line
    elif kind == "exit-functions":
        what = "The program reached its end; what it registered with atexit"
    shown = [
        f'  File "{snippet.name.path}", line {number}, in {function}' for number, function in reversed(trace)
    ]
    return line, what, "\n".join(shown[-5:])


def fault_trace(path: Path, program: str, *, all_threads: bool = False) -> list[tuple[int, str]]:
    """(line, function) of the program's frames when Python was stopped, the innermost first."""
    text = _read(path, 200_000).decode("ascii", "replace")
    current = text if all_threads else text.rpartition("Current thread")[2]
    ending = program.encode("ascii", "backslashreplace").decode()
    frames = re.findall(r'^  File "(.*)", line (\d+) in (.*)$', current, re.MULTILINE)
    return [
        (int(line), function) for file, line, function in frames if file.replace("\\\\", "/").endswith(ending)
    ]


def _cure_for_time(what: str) -> str:
    if what == THREAD:
        return "Give the thread a way to end, and join it; or start it with daemon=True."
    if what.startswith("The expression"):
        return "Let the program compute it, or ask for something smaller."
    return "Look for an endless loop, or make the example smaller."


def _explain_limit(end: End, limits: Limits, line: int, what: str, traceback: str) -> Failure:
    if end.how == "time":
        return Failure(
            "program-time",
            line,
            f"{what} did not end within {limits.seconds:g} seconds",
            _cure_for_time(what),
            traceback,
        )
    if end.how == "output":
        return Failure(
            "program-output",
            line,
            f"{what} prints more than {_size(limits.output)}",
            "Print a part: nobody reads more than a screen.",
            traceback,
        )
    if end.how == "files":
        return Failure(
            "program-files",
            line,
            f"{what} writes more than {_size(limits.files)} to files",
            "Write less: the folder of a program is thrown away after the run.",
            traceback,
        )
    return Failure(
        "program-crash",
        line,
        f"{what} ended the process that runs all programs",
        "Take out what kills processes.",
    )


def _explain_death(
    end: End, limits: Limits, entries: list[dict], line: int, what: str, traceback: str
) -> Failure:
    if end.status >= 0:
        return Failure(
            "program-exit",
            line,
            f"{what} ended at once with status {end.status}, by os._exit or in C code",
            "Let it run to its end, or use sys.exit().",
            traceback,
        )
    name = _signal_name(-end.status)
    if any(entry["kind"] == "signal" and entry["number"] == -end.status for entry in entries):
        return Failure(
            "program-crash", line, f"{what} killed itself with {name}", "Let it run to its end.", traceback
        )
    if -end.status == getattr(signal, "SIGKILL", 9):
        return Failure(
            "program-memory",
            line,
            f"{what} was killed by the system, most likely for want of memory",
            f"Make the example smaller; a program may use {_size(limits.memory)}.",
            traceback,
        )
    return Failure(
        "program-crash",
        line,
        f"{what} crashed ({name})",
        "Look for endless recursion or a fault in a library's C code at this line.",
        traceback,
    )


def _signal_name(number: int) -> str:
    try:
        found = signal.Signals(number)
    except ValueError:
        return f"signal {number}"
    words = {
        "SIGSEGV": "segmentation fault, SIGSEGV",
        "SIGABRT": "aborted, SIGABRT",
        "SIGFPE": "arithmetic fault, SIGFPE",
        "SIGBUS": "bus error, SIGBUS",
        "SIGILL": "illegal instruction, SIGILL",
    }
    return words.get(found.name, found.name)


def _size(count: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MB", 1_000_000), ("kB", 1_000)):
        if count >= size:
            return f"{count / size:g} {unit}" if count % size == 0 else f"{count / size:.1f} {unit}"
    return f"{count} bytes"
