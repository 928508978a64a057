"""Tracebacks with the project's own lines only, and what to say about an exception."""

from __future__ import annotations

import errno
import os
import traceback
from types import TracebackType

from lessonkit.dependencies import ProjectFiles
from lessonkit.guard import Refused
from lessonkit.journal import Limits
from lessonkit.machine_paths import MachinePaths
from lessonkit.results import Failure

MOST_FRAMES = 12


class NoInput(EOFError):
    """The program asks for input and its cell declares none."""

    def __init__(self) -> None:
        super().__init__("the program asks for input, and its cell declares no answers")


class Tracebacks:
    """Knows which frames are the program's, and how to write them without the paths of this machine."""

    def __init__(self, files: ProjectFiles, program: str, path: str, paths: MachinePaths) -> None:
        """`program` is the program's place, `path` its real path."""
        self._files = files
        self._program = program
        self._path = path
        self._paths = paths

    def line(self, error: BaseException) -> int:
        """The program's line where the error was raised, or where it called what raised it; 0 if unknown."""
        lines = [
            number
            for frame, number in traceback.walk_tb(error.__traceback__)
            if frame.f_code.co_filename == self._path
        ]
        return lines[-1] if lines else 0

    def full(self, error: BaseException) -> str:
        """For contributors: frames of project files, paths relative to the root."""
        frames = [
            traceback.FrameSummary(
                self._files.place(frame.filename), frame.lineno, frame.name, line=frame.line or ""
            )
            for frame in self._own_frames(error.__traceback__)
        ]
        shown = "".join(traceback.StackSummary.from_list(frames[-MOST_FRAMES:]).format())
        head = "Traceback (most recent call last):\n" if frames else ""
        return head + shown + self.last_lines(error)

    def short(self, error: BaseException) -> str:
        """For readers of a lesson that plans the error: the program's own lines, no paths.

        A line is quoted, not numbered: the page shows one cell, and the program's numbers are not that cell's.
        """
        lines = ["Traceback (most recent call last):"]
        frames = self._own_frames(error.__traceback__)[-MOST_FRAMES:]
        for index, frame in enumerate(frames):
            if index >= 3 and {(f.filename, f.lineno) for f in frames[index - 3 : index + 1]} == {
                (frame.filename, frame.lineno)
            }:
                continue  # endless recursion
            where = []
            if frame.filename != self._path:
                where += [str(self._files.place(frame.filename)).rpartition("/")[2], f"line {frame.lineno}"]
            if frame.name != "<module>":
                where.append(f"in {frame.name}")
            if where:
                lines.append("  " + ", ".join(where))
            if frame.line:
                lines.append("    " + frame.line)
        return "\n".join(lines) + "\n" + self.last_lines(error)

    def last_lines(self, error: BaseException) -> str:
        """`ValueError: text`, as Python ends a traceback."""
        try:
            lines = "".join(traceback.format_exception_only(type(error), error))
        except Exception:
            lines = f"{type(error).__name__}: <no text: its __str__ fails>"
        return self._paths.shorten(lines).rstrip("\n")

    def _own_frames(self, trace: TracebackType | None) -> list[traceback.FrameSummary]:
        walked = [
            (frame, line)
            for frame, line in traceback.walk_tb(trace)
            if self._files.place(frame.f_code.co_filename) is not None
        ]
        return list(traceback.StackSummary.extract(iter(walked[-3 * MOST_FRAMES :]), capture_locals=False))

    # -- what to say --

    def explain(self, error: BaseException, limits: Limits) -> Failure:
        """The failure that an exception means which the program did not catch."""
        line = self.line(error)
        if isinstance(error, Refused):
            return Failure(error.rule, line, error.text, error.cure)
        if isinstance(error, NoInput):
            return Failure(
                "program-input",
                line,
                "The program asks for input, and nobody answers during a build",
                'Declare the answers in the cell\'s # %% line: stdin="3", with \\n between several.',
            )
        if isinstance(error, SyntaxError) and (failure := self._other_encoding(error, line)):
            return failure
        text = self.last_lines(error).split("\n")[-1 if isinstance(error, SyntaxError) else 0]
        full = self.full(error)
        if isinstance(error, SystemExit):
            return Failure(
                "program-exit",
                line,
                f"The program ended with sys.exit({error.code!r})",
                "End with sys.exit(0), or raise an error and declare it with raises=.",
                full,
            )
        if isinstance(error, MemoryError):
            return Failure(
                "program-memory",
                line,
                f"The program needs more memory than the {limits.memory / (1 << 30):g} GiB that it may use",
                "Make the example smaller.",
                full,
            )
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            return Failure(
                "program-files",
                line,
                f"The program writes a file of more than {limits.files / 1e6:g} MB",
                "Write less: the folder of a program is thrown away after the run.",
                full,
            )
        if isinstance(error, ModuleNotFoundError):
            return Failure(
                "program-error",
                line,
                text,
                "Look at the name; if it is right, add the package to requirements.in.",
                full,
            )
        missing = error.filename if isinstance(error, FileNotFoundError) else None
        if isinstance(missing, str) and not os.path.isabs(missing):
            return Failure(
                "program-error",
                line,
                text,
                "A program runs in an empty folder; say where its files are from its own place: "
                'Path(__file__).parent / "../../data/name.csv".',
                full,
            )
        name = type(error).__name__
        return Failure(
            "program-error",
            line,
            text,
            f"Mend the line; if the lesson means to show this error, declare it with raises={name}.",
            full,
        )

    def _other_encoding(self, error: SyntaxError, line: int) -> Failure | None:
        """A module of the project that is not UTF-8: Python quotes what it cannot read, and names no cure."""
        from lessonkit.sources import decode_source  # seldom needed: programs start without it

        place = self._files.place(error.filename or "")
        if place is None or "can't decode" not in str(error.msg):
            return None
        with open(error.filename, "rb") as file:
            _, problem = decode_source(file.read(), place, rule="program-encoding")
        return problem and Failure(problem.rule, line, f"{place}:{problem.line}: {problem.text}", problem.cure)
