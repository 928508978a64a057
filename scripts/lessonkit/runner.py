"""Runs lesson programs in processes of their own, as many at once as there are cores.

The caller's process may have threads (`mkdocs serve`), so it never forks: it starts the zygote, a small
process of its own, which does (see `zygote`). Programs run while the caller does something else::

    with Runner(project) as runner:
        batch = runner.begin(jobs)
        ...
        runs = batch.finish()
"""

from __future__ import annotations

import ast
import itertools
import json
import math
import os
import secrets
import shutil
import signal
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

from lessonkit.journal import End, Limits, Run, read_run
from lessonkit.machine_paths import MachinePaths
from lessonkit.progress import Progress
from lessonkit.project import ProgramName, Project
from lessonkit.snippets import Snippet
from lessonkit.versions import python_digest

SCRIPT = Path(__file__).with_name("zygote_script.py")
MARK = "LESSONKIT_RUN"
"""Environment variable by which everything that a runner started is found if its zygote was killed."""
PASSED_ON = (
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_L2_SIZE",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
)
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
MOST_ATTEMPTS = 2
USUAL_LIMITS = Limits()


@dataclass(frozen=True)
class Job:
    """A program, and what the pages ask of it."""

    snippet: Snippet
    questions: tuple[tuple[int, str], ...] = ()
    """(index of the cell after which it is asked, expression), sorted, each once."""


class RunnerError(Exception):
    """Programs cannot be run at all on this machine; the text says why."""


@dataclass
class _Pending:
    """A job on its way, and what became of it."""

    id: str
    job: Job
    folder: Path
    attempts: int = 0
    started: bool = False
    run: Run | None = None


class Batch:
    """Programs that run. `finish` waits for them."""

    def __init__(self, runner: Runner, pending: list[_Pending]) -> None:
        self._runner = runner
        self._pending = pending

    def finish(self, progress: Progress | None = None) -> dict[ProgramName, Run]:
        """Wait, and give the runs in the order of the jobs. `progress` is told of each program that starts or ends.

        If anything interrupts the wait, such as Ctrl+C, all programs are ended and the exception goes on.
        """
        started: set[str] = set()
        ended: set[str] = set()
        try:
            while True:
                for pending in self._pending:
                    if progress and pending.started and pending.id not in started:
                        started.add(pending.id)
                        progress.started(pending.job.snippet.name)
                    if pending.run and pending.id not in ended:
                        ended.add(pending.id)
                        if progress:
                            progress.ended(pending.job.snippet.name, pending.run)
                if len(ended) == len(self._pending):
                    break
                self._runner._take_message()
        except BaseException:
            self._runner.stop()
            raise
        return {pending.job.snippet.name: pending.run for pending in self._pending if pending.run}

    def cancel(self) -> None:
        """End the programs of this batch that still run; `finish` gives those that had ended."""
        self._runner._cancel(self._pending)
        self._pending = [pending for pending in self._pending if pending.run]


class Runner:
    """Keeps the zygote alive between batches; it starts with the first one."""

    def __init__(
        self,
        project: Project,
        *,
        limits: Limits = USUAL_LIMITS,
        workers: int | None = None,
        start: str | None = None,
        hash_seed: int = 0,
    ) -> None:
        """`start` is "fork" (the default on Linux) or "spawn": a fresh interpreter a program.

        Sets have the order that `hash_seed` gives them.
        """
        self._project = project
        self._limits = limits
        self._workers = workers or available_cores()
        self._hash_seed = hash_seed
        self._start = start or ("fork" if sys.platform == "linux" else "spawn")
        self._numbers = itertools.count(1)
        self._pending: dict[str, _Pending] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._scratch: Path | None = None
        self._mark = ""
        self._python = ""

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the zygote and everything that runs."""
        self.stop()

    def begin(self, jobs: Iterable[Job]) -> Batch:
        """Start running `jobs`.

        Returns at once. None of them may have problems of its own (`snippet.problems`).
        """
        jobs = list(jobs)
        if jobs and not self._pending and self._python != python_digest():
            self.stop()  # its libraries are not those that are installed now
        found = []
        for job in jobs:
            number = str(next(self._numbers))
            found.append(_Pending(number, job, self._scratch_folder() / number))
        self._pending.update((pending.id, pending) for pending in found)
        if found:
            self._send_orders(found, alone=False)
        return Batch(self, found)

    def start(self) -> None:
        """Start the zygote if it does not run: it takes a moment, which may be spent elsewhere."""
        if self._process is not None and self._process.poll() is None:
            return
        scratch = self._scratch_folder()
        self._mark = secrets.token_hex(8)
        self._python = python_digest()
        with open(scratch / "log", "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-X", "utf8", str(SCRIPT), self._start, str(self._workers), str(scratch)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=scratch,
                env=self._environment(scratch),
                start_new_session=True,  # Ctrl+C reaches the caller only, which then ends the zygote
            )

    def load_libraries(self) -> None:
        """Start the zygote and let it load what most programs need, while the caller finds out which are to run."""
        if self._start == "fork":
            self.start()
            self._send("load numpy matplotlib")

    def stop(self) -> None:
        """End the zygote and everything that runs; the next batch starts another one."""
        process, self._process = self._process, None
        self._pending.clear()
        if process is not None:
            _close(process.stdin)  # tells it to end everything
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
            if process.wait():
                end_marked(self._mark)
            _close(process.stdout)
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None

    def _scratch_folder(self) -> Path:
        if self._scratch is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="lessons-"))
        return self._scratch

    def _environment(self, scratch: Path) -> dict[str, str]:
        """The same for everyone who builds: of the caller's only where programs and libraries are."""
        matplotlib = self._project.cache / "matplotlib"
        try:
            matplotlib.mkdir(parents=True, exist_ok=True)
        except OSError:  # then it keeps its list of fonts in the scratch folder, and makes it each time
            matplotlib = scratch
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment |= dict.fromkeys(ONE_THREAD, "1")
        if site.ENABLE_USER_SITE:
            environment["PYTHONUSERBASE"] = site.getuserbase()
        environment |= {
            "PYTHONHASHSEED": str(self._hash_seed),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "HOME": str(scratch),
            "TMPDIR": str(scratch),
            "MPLBACKEND": "agg",
            "MPLCONFIGDIR": str(matplotlib),
            MARK: self._mark,
        }
        if os.name == "nt":
            environment |= {"USERPROFILE": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
        return environment

    # -- talking to the zygote --

    def _send_orders(self, found: list[_Pending], *, alone: bool) -> None:
        self.start()
        path = self._scratch_folder() / f"batch-{found[0].id}-{found[0].attempts}"
        orders = [{"id": pending.id, "alone": alone, "order": self._order(pending)} for pending in found]
        path.write_text(json.dumps(orders), encoding="utf-8")
        self._send(f"batch {path}")

    def _order(self, pending: _Pending) -> dict:
        """What `child.Order` holds."""
        snippet = pending.job.snippet
        lines = snippet.text.split("\n")
        return {
            "root": str(self._project.root.absolute()),
            "place": snippet.name.path,
            "folder": str(pending.folder),
            "text": snippet.text,
            "docstring": ast.get_docstring(ast.parse(snippet.text), clean=False)
            if snippet.docstring is not None
            else None,
            "cells": [
                {
                    "line": cell.line,
                    "code": "\n".join(lines[cell.line - 1 : cell.line + cell.code.count("\n")]),
                    "raises": cell.raises,
                    "stdin": cell.stdin,
                    "stderr": cell.stderr,
                    "processes": cell.processes,
                }
                for cell in snippet.cells
            ],
            "reads": snippet.reads,
            "questions": pending.job.questions,
            "limits": asdict(self._limits),
            "builder": os.getpid(),
        }

    def _send(self, line: str) -> None:
        try:
            self._process.stdin.write((line + "\n").encode())
            self._process.stdin.flush()
        except OSError:  # it has ended; reading its messages shows that, and what to do
            pass

    def _take_message(self) -> None:
        if self._process is None:
            raise RunnerError("The programs were ended before they had finished")
        line = self._process.stdout.readline()
        if not line:
            self._replace_zygote()
            return
        kind, number, *rest = line.decode("ascii").split()
        pending = self._pending.get(number)
        if pending is None:  # cancelled
            return
        if kind == "start":
            pending.started = True
        elif kind == "end":
            self._conclude(pending, End(rest[0], int(rest[1]), float(rest[2])))

    def _conclude(self, pending: _Pending, end: End) -> None:
        job = pending.job
        pending.run = read_run(
            pending.folder,
            job.snippet,
            job.questions,
            end,
            self._limits,
            MachinePaths(self._project.root, [self._scratch_folder()]),
        )
        del self._pending[pending.id]
        shutil.rmtree(pending.folder, ignore_errors=True)

    def _replace_zygote(self) -> None:
        """The zygote was killed, and its programs with it.

        One of those that ran may have done it: they run again, each alone, and whoever does it twice has
        failed.
        """
        self._process.wait()
        _close(self._process.stdin)
        _close(self._process.stdout)
        self._process = None
        end_marked(self._mark)
        suspects = [pending for pending in self._pending.values() if pending.started]
        if not suspects:
            log = (self._scratch_folder() / "log").read_text(encoding="utf-8", errors="replace").strip()
            raise RunnerError("The process that runs programs does not start. " + (log or "It says nothing."))
        for pending in suspects:
            pending.attempts += 1
            pending.started = False
            shutil.rmtree(pending.folder, ignore_errors=True)
            if pending.attempts == MOST_ATTEMPTS:
                self._conclude(pending, End("lost"))
        others = [pending for pending in self._pending.values() if not pending.attempts]
        if others:
            self._send_orders(others, alone=False)
        for pending in [pending for pending in self._pending.values() if pending.attempts]:
            self._send_orders([pending], alone=True)

    def _cancel(self, found: list[_Pending]) -> None:
        ids = [pending.id for pending in found if self._pending.pop(pending.id, None)]
        if ids and self._process is not None:
            self._send("cancel " + " ".join(ids))


def _close(pipe: IO[bytes]) -> None:
    with suppress(OSError):  # what was still to be sent has no reader any more
        pipe.close()


def end_marked(mark: str) -> None:
    """End whatever still carries the mark of a zygote that is gone: what its programs had started."""
    if sys.platform != "linux" or not mark:
        return
    wanted = f"{MARK}={mark}".encode()
    for name in os.listdir("/proc"):
        if name.isdecimal() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if wanted in file.read().split(b"\0"):
                        os.kill(int(name), signal.SIGKILL)
            except OSError:  # another user's, or gone
                pass


def available_cores() -> int:
    """Cores that this process may use: those it is bound to, and no more than its container's share."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, math.ceil(_container_share() or cores)))


def _container_share(
    groups: Path = Path("/proc/self/cgroup"), tree: Path = Path("/sys/fs/cgroup")
) -> float | None:
    """Processors that the control group and the groups around it allow; None if there is no limit."""
    shares = []
    try:
        lines = groups.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        for mount in [tree] if not controllers else [tree / "cpu", tree / controllers]:
            folder = mount / group.lstrip("/")
            for place in [folder, *folder.parents]:
                shares.append(_quota(place))
                if place == mount:
                    break
    return min((share for share in shares if share), default=None)


def _quota(folder: Path) -> float | None:
    try:
        quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        try:
            quota = (folder / "cpu.cfs_quota_us").read_text(encoding="ascii").strip()
            period = (folder / "cpu.cfs_period_us").read_text(encoding="ascii").strip()
        except OSError:
            return None
    return int(quota) / int(period) if quota != "max" and int(quota) > 0 else None
