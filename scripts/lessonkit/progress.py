"""What a contributor sees while programs run: one line in a terminal, nothing in a pipe or a file."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import TextIO

from lessonkit.journal import Run
from lessonkit.project import ProgramName

PATIENCE = 0.7
"""Seconds before the line appears: most builds are over by then."""
PERIOD = 0.25
"""Seconds between two lines."""
ERASE = "\r\x1b[K"


class Progress:
    """`with Progress(stream, total) as progress:` shows, from time to time, what runs and how many are left."""

    def __init__(self, stream: TextIO, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._total, self._clock = stream, total, clock
        self._running: dict[ProgramName, float] = {}
        self._done = 0
        self._slowest: tuple[float, str] = (0.0, "")
        self._changing = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if self._total and _is_terminal(self._stream):
            self._thread = threading.Thread(target=self._tick, name="progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()

    def started(self, program: ProgramName) -> None:
        with self._changing:
            self._running[program] = self._clock()

    def ended(self, program: ProgramName, run: Run) -> None:
        with self._changing:
            self._running.pop(program, None)
            self._done += 1
            self._slowest = max(self._slowest, (run.seconds, str(program)))

    def line(self) -> str:
        """`37 of 144 programs · es/alignment/train 12 s · slowest so far: es/sqrt-d/draws, 3.1 s`"""
        with self._changing:
            now = self._clock()
            running = [f"{name} {now - since:.0f} s" for name, since in self._running.items()]
            seconds, name = self._slowest
            done = self._done
        parts = [f"{done} of {self._total} programs ran", ", ".join(running)]
        if name:
            parts.append(f"slowest so far: {name}, {seconds:.1f} s")
        return " · ".join(part for part in parts if part)

    @property
    def slowest(self) -> tuple[float, str]:
        """(seconds, program); (0, "") if none ran."""
        return self._slowest

    def _tick(self) -> None:
        shown = False
        wait = PATIENCE
        while not self._over.wait(wait):
            wait = PERIOD
            width = shutil.get_terminal_size().columns - 1
            shown = self._write(ERASE + self.line()[:width])
        if shown:
            self._write(ERASE)

    def _write(self, text: str) -> bool:
        with suppress(OSError, ValueError):  # the terminal was closed: the build goes on
            self._stream.write(text)
            self._stream.flush()
        return True


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"
