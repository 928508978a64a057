"""Refuses what a program could do to others: starting processes, signals, writing into the checkout.

Works inside the process of one program, through audit events. It keeps accidents away, not attackers.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from lessonkit.dependencies import ProjectFiles
from lessonkit.tracing import WRITING, Handler

try:
    import _posixsubprocess
except ImportError:  # Windows
    _posixsubprocess = None


class Refused(PermissionError):
    """What the program wanted is not allowed. A library that can do without it may go on."""

    def __init__(self, rule: str, text: str, cure: str) -> None:
        super().__init__(text)
        self.rule = rule
        self.text = text
        self.cure = cure


class Guard:
    def __init__(self, files: ProjectFiles, protected: set[int], note_signal: Callable[[int], None]) -> None:
        """`protected` are processes that no program may end.

        `note_signal` hears of signals to the program itself.
        """
        self.processes = False
        """Whether the cell that runs may start processes."""
        self._files = files
        self._protected = protected | {-1, 1}
        self._note_signal = note_signal
        self._program = os.getpid()

    def handlers(self) -> list[tuple[str, Handler]]:
        return [
            ("open", self._opens),
            *(
                (event, self._changes_first)
                for event in (
                    "os.mkdir",
                    "os.remove",
                    "os.rmdir",
                    "os.truncate",
                    "os.chmod",
                    "os.chown",
                    "os.utime",
                )
            ),
            *((event, self._changes_both) for event in ("os.rename", "os.link")),
            ("os.symlink", lambda source, target, *_: self._changes_first(target)),
            ("os.fork", lambda: self._starts("os.fork()")),
            ("os.forkpty", lambda: self._starts("a terminal")),
            ("os.system", self._starts),
            ("os.posix_spawn", lambda path, *_: self._starts(path)),
            ("os.spawn", lambda mode, path, *_: self._starts(path)),
            ("os.startfile", lambda path, *_: self._starts(path)),
            ("subprocess.Popen", lambda executable, arguments, *_: self._starts(arguments or executable)),
            ("os.exec", self._becomes),
            ("os.kill", self._signals),
            ("os.killpg", self._signals),
        ]

    def watch_multiprocessing(self) -> None:
        """`multiprocessing` starts processes below the audit events."""
        if _posixsubprocess:
            fork_exec = _posixsubprocess.fork_exec

            def guarded_fork_exec(*arguments):
                self._starts("multiprocessing")
                return fork_exec(*arguments)

            _posixsubprocess.fork_exec = guarded_fork_exec

    def enter_copy(self) -> None:
        """This process is a fork of the program's own, made by the engine."""
        self._program = os.getpid()

    # -- processes --

    def _starts(self, command: object) -> None:
        if not self.processes:
            raise Refused(
                "program-process",
                f"The program starts a process ({_shorten(command)})",
                "Do it in Python, or declare processes=true in the cell's # %% line.",
            )

    def _becomes(self, path: object, *_: object) -> None:
        self._starts(path)
        if os.getpid() == self._program:
            raise Refused(
                "program-process",
                f"The program replaces itself by another one ({_shorten(path)})",
                "Start it with subprocess.run, so that the lesson can go on.",
            )

    def _signals(self, process: int, number: int) -> None:
        if process in (0, self._program):
            if number:
                self._note_signal(number)
        elif process in self._protected or not self.processes:
            raise Refused(
                "program-process",
                f"The program sends {_signal_name(number)} to processes that are not its own",
                "Take it out: a program may only end itself and what it started.",
            )

    # -- files --

    def _opens(self, path: object, mode: str | None, flags: int) -> None:
        if flags & WRITING:
            self._changes_first(path)

    def _changes_first(self, path: object, *_: object) -> None:
        place = self._files.place(path)
        if place is not None and not os.path.isabs(place):
            raise Refused(
                "program-write",
                f"The program writes {place}",
                'Write open("result.txt", "w"), without a folder: programs run in a scratch folder.',
            )

    def _changes_both(self, source: object, target: object, *_: object) -> None:
        self._changes_first(source)
        self._changes_first(target)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _shorten(command: object) -> str:
    if isinstance(command, (list, tuple)):
        command = b" ".join(map(os.fsencode, command)) if command else ""
    text = os.fsdecode(command) if isinstance(command, (str, bytes, os.PathLike)) else str(command)
    return text if len(text) <= 60 else text[:59] + "…"
