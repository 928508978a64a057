"""The line of a long build: what it says, that it goes away, and that a pipe never sees it."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys

import pytest

from lessonkit.journal import Run
from lessonkit.progress import ERASE, Progress
from lessonkit.project import ProgramName
from lessonkit.results import Result
from tests.conftest import clean_environment

FIRST, SECOND = ProgramName("es", "masks", "causal"), ProgramName("ru", "sqrt-d", "draws")


def test_the_line_tells_what_runs_how_many_are_left_and_the_slowest() -> None:
    now = [100.0]
    progress = Progress(io.StringIO(), 7, clock=lambda: now[0])
    progress.started(FIRST)
    progress.started(SECOND)
    now[0] = 112.0
    assert progress.line() == "0 of 7 programs ran · es/masks/causal 12 s, ru/sqrt-d/draws 12 s"
    progress.ended(FIRST, Run(Result(()), seconds=11.96))
    assert progress.line() == "1 of 7 programs ran · ru/sqrt-d/draws 12 s · slowest so far: es/masks/causal, 12.0 s"
    progress.ended(SECOND, Run(Result(()), seconds=0.2))
    assert progress.slowest == (11.96, "es/masks/causal")


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix's")
def test_a_terminal_sees_it_come_and_go_and_a_pipe_never(checkout) -> None:
    checkout.edit("snippets/es/other/count.py", "print(", "import time\ntime.sleep(2)\nprint(")
    command = [sys.executable, "scripts/lessons.py", "run", "--fresh", "es/other/count"]

    piped = checkout.run(*command)
    assert "programs ran" not in piped.stdout + piped.stderr
    assert "\x1b" not in piped.stdout + piped.stderr

    parent, child = pty.openpty()
    done = subprocess.run(command, cwd=checkout.root, env=clean_environment(TERM="xterm", COLUMNS="200"),
                          stdout=subprocess.PIPE, stderr=child, timeout=60, check=False)
    os.close(child)
    seen = b""
    while True:
        try:
            part = os.read(parent, 65536)
        except OSError:  # Linux tells the end so
            break
        if not part:
            break
        seen += part
    os.close(parent)
    assert done.returncode == 0
    assert b"of 4 programs ran \xc2\xb7 es/other/count" in seen
    assert seen.decode().endswith(ERASE)
