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


WORKING = ("work", "home", "tmp")
"""Folders in a run's folder in which its program may do as it likes."""


class Refused(PermissionError):
    """What the program wanted is not allowed. A library that can do without it may go on."""

    def __init__(self, rule: str, text: str, cure: str) -> None:
        super().__init__(text)
        self.rule = rule
        self.text = text
        self.cure = cure


class Guard:
    def __init__(
        self, files: ProjectFiles, folder: str, protected: set[int], note_signal: Callable[[int], None]
    ) -> None:
        """`folder` is the run's own, beside those of other programs; a program works in folders below it.

        `protected` are processes that no program may end. `note_signal` hears of signals to the program
        itself.
        """
        self._folder = os.path.realpath(folder)
        self._own = tuple(os.path.join(self._folder, name) for name in WORKING)
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
                    "os.truncate",
                    "os.chmod",
                    "os.chown",
                    "os.utime",
                )
            ),
            *((event, self._removes) for event in ("os.remove", "os.rmdir")),
            ("shutil.rmtree", self._removes_tree),
            ("os.rename", lambda source, target, *_: self._removes(source)),
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

    def _removes(self, path: object, folder: int = -1) -> None:
        """`folder`: the open folder that the path is relative to, as `shutil.rmtree` does."""
        path = _absolute(path, folder)
        if path is None:
            return
        self._changes_first(path)
        if _lies_in(path, os.path.dirname(self._folder)) and not self._is_own(path):
            raise _refusal_to_remove()

    def _removes_tree(self, path: object, folder: int | None = None) -> None:
        """A whole folder outside of the program's own is a mistake, even where nobody would notice."""
        path = _absolute(path, -1 if folder is None else folder)
        if path is None:
            return
        self._changes_first(path)
        if not self._is_own(path):
            raise _refusal_to_remove()

    def _is_own(self, path: str) -> bool:
        return any(_lies_in(path, own) for own in self._own)

    def _changes_both(self, source: object, target: object, *_: object) -> None:
        self._changes_first(source)
        self._changes_first(target)


def _refusal_to_remove() -> Refused:
    return Refused(
        "program-write",
        "The program removes what lies outside of its scratch folder",
        "Remove only what the program itself has made, by a name without a folder.",
    )


def _absolute(path: object, folder: int) -> str | None:
    """A path with links in its folders resolved; None if it is none, or relative to who knows what."""
    try:
        name = os.fsdecode(path)  # type: ignore[arg-type]
        if folder >= 0 and not os.path.isabs(name):
            name = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), name)
        place, last = os.path.split(os.path.abspath(name))
        return os.path.join(os.path.realpath(place), last)
    except (TypeError, ValueError, OSError):
        return None


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


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
