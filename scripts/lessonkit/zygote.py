"""The parent of all programs: a small process that starts them, watches them and ends them.

It is started as a process of its own, never as a fork of the process that builds, which may have threads.
It loads third-party libraries once and forks a child for each program; nothing of the project is loaded
before the fork, since a program's dependencies are seen only from then on. Where forking is unsafe it
starts a fresh interpreter a program.

It reads lines from stdin: `batch <file>`, `cancel <ids>`; it writes `start <id>` and
`end <id> <how> <status> <seconds>`. When stdin closes, the builder is gone: everything is ended.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import io
import json
import os
import queue
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from lessonkit import child, tracing

SCRIPT = os.path.join(child.ENGINE, "zygote_script.py")
POLL = 0.05
"""Seconds between two looks at running programs; their end wakes the zygote at once."""
IDLE = 2.0
"""Seconds between two looks whether the builder still lives."""
GRACE = 0.3
"""Seconds for Python to say where it was when it is ended."""
NUMPY = ("numpy", "numpy.random", "numpy.linalg")
MATPLOTLIB = ("matplotlib", "matplotlib.pyplot", "matplotlib.backends.backend_svg")
WORTH_LOADING = (
    # What a program names, and what is then loaded before the fork.
    (re.compile(r"\b(?:numpy|nanotorch|vis|matplotlib)\b"), NUMPY),
    (re.compile(r"\bmatplotlib\b"), MATPLOTLIB),
)


@dataclass
class Running:
    id: str
    folder: str
    process: int
    poll: Callable[[], int | None]
    """Exit status, minus the signal, or None while it runs."""
    limits: dict
    processes: bool
    """Whether it may start processes."""
    alone: bool
    """Whether nothing else may run meanwhile: it is suspected of having ended a zygote."""
    started: float
    how: str = "exit"
    ended_at: float | None = None
    """When it was asked to end."""
    measured_at: float = 0.0


class Zygote:
    def __init__(
        self, commands: Commands, send: Callable[[str], None], workers: int, scratch: str, fork: bool
    ) -> None:
        self._commands = commands
        self._send = send
        self._workers = workers
        self._scratch = scratch
        self._fork = fork
        self._waiting: deque[dict] = deque()
        self._running: dict[str, Running] = {}
        self._builder = os.getppid()

    def serve(self) -> None:
        """Until the builder is gone."""
        while True:
            self._start_programs()
            lines = self._commands.wait(POLL if self._running else IDLE)
            if lines is None or os.getppid() != self._builder:
                break
            for line in lines:
                self._obey(*line.split(" ", 1))
            self._watch()
        for running in self._running.values():
            self._kill(running)
        while any(running.poll() is None for running in self._running.values()):
            time.sleep(0.005)
        self._end_orphans()

    def _obey(self, command: str, argument: str) -> None:
        if command == "batch":
            with open(argument, encoding="utf-8") as file:
                orders = json.load(file)
            os.remove(argument)
            self._waiting.extend(orders)
            if self._fork:
                self._prepare_forks(orders)
        elif command == "load":
            load_what_is_named([argument])
        elif command == "cancel":
            ids = set(argument.split())
            self._waiting = deque(order for order in self._waiting if order["id"] not in ids)
            for running in self._running.values():
                if running.id in ids:
                    self._kill(running)

    def _prepare_forks(self, orders: list[dict]) -> None:
        """Do once what all programs need; it stays out of their garbage collection."""
        load_what_is_named([order["order"]["text"] for order in orders])
        for root in {order["order"]["root"] for order in orders}:
            files, _ = child.places_of(root, self._scratch)
            refuse_project_modules(files)
            tracing.compile_ahead(os.path.join(root, "snippets", name) for name in child.LIBRARIES)
        child.python_as_it_is.cache_clear()
        child.python_as_it_is()
        gc.collect()
        gc.freeze()

    # -- starting --

    def _start_programs(self) -> None:
        while self._waiting and len(self._running) < self._workers:
            alone = self._waiting[0]["alone"] or any(running.alone for running in self._running.values())
            if alone and self._running:
                return
            self._start(self._waiting.popleft())

    def _start(self, job: dict) -> None:
        self._send(f"start {job['id']}")
        order = job["order"]
        os.makedirs(order["folder"], exist_ok=True)
        started = time.monotonic()
        process, poll = self._start_fork(order) if self._fork else start_interpreter(order)
        processes = any(cell["processes"] for cell in order["cells"])
        self._running[job["id"]] = Running(
            job["id"], order["folder"], process, poll, order["limits"], processes, job["alone"], started
        )

    def _start_fork(self, order: dict) -> tuple[int, Callable[[], int | None]]:
        process = os.fork()
        if process == 0:
            try:
                self._commands.close()
                child.run_order(child.Order.from_json(order), forks=True)
            finally:
                os._exit(70)
        status: list[int] = []

        def poll() -> int | None:
            if not status:
                ended, how = os.waitpid(process, os.WNOHANG)
                if ended:
                    status.append(os.waitstatus_to_exitcode(how))
            return status[0] if status else None

        return process, poll

    # -- watching --

    def _watch(self) -> None:
        for running in list(self._running.values()):
            status = running.poll()
            now = time.monotonic()
            if status is not None:
                del self._running[running.id]
                if running.processes or status or not self._running:
                    kill_group(running.process)
                    self._end_orphans()
                self._send(f"end {running.id} {running.how} {status} {now - running.started:.3f}")
            elif running.ended_at is not None:
                if now - running.ended_at > GRACE:
                    self._kill(running)
            else:
                self._hold_to_limits(running, now)

    def _hold_to_limits(self, running: Running, now: float) -> None:
        limits = running.limits
        how = ""
        if is_over_time(running.process, now - running.started, limits["seconds"]):
            how = "time"
        elif (
            size_of(os.path.join(running.folder, "out"), os.path.join(running.folder, "err"))
            > limits["output"]
        ):
            how = "output"
        elif now - running.measured_at > 20 * POLL and now - running.started > 10 * POLL:
            running.measured_at = now
            if (
                size_below(os.path.join(running.folder, "work"), os.path.join(running.folder, "tmp"))
                > limits["files"]
            ):
                how = "files"
        if how:
            running.how = how
            running.ended_at = now
            with suppress(OSError):
                os.kill(running.process, signal.SIGABRT)  # Python writes down where it was (faulthandler)

    def _kill(self, running: Running) -> None:
        kill_group(running.process)
        with suppress(OSError):
            os.kill(running.process, getattr(signal, "SIGKILL", signal.SIGTERM))

    def _end_orphans(self) -> None:
        """End what a program started and left behind: as the nearest subreaper the zygote has inherited it.

        Orphans of programs that still run are theirs, not the zygote's.
        """
        known = {running.process for running in self._running.values()}
        if not known and not has_children():
            return
        for _ in range(1000):  # each round ends a generation
            orphans = children_of(os.getpid()) - known
            if not orphans:
                return
            for process in orphans:
                with suppress(OSError):
                    os.kill(process, signal.SIGKILL)
                    os.waitpid(process, 0)


def is_over_time(process: int, elapsed: float, limit: float) -> bool:
    """Whether a program has had its time: it computed that long, or waited that long for something.

    On a busy machine a program that computes gets a share of a core, and is given as much longer, up to four times;
    where the system does not tell what it got (only Linux is asked), the clock decides.
    """
    if elapsed <= limit:
        return False
    computed = computing_seconds(process)
    return computed is None or computed > limit or computed < elapsed / 10 or elapsed > 4 * limit


def computing_seconds(process: int) -> float | None:
    """Processor time of a process, user and system; None if the system does not tell."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()  # a program's name may hold spaces
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def refuse_project_modules(files: child.ProjectFiles) -> None:
    """What is loaded here is missing from the dependencies of every program."""
    paths = {name: getattr(module, "__dict__", {}).get("__file__") for name, module in sys.modules.items()}
    places = {name: files.place(path) for name, path in paths.items()}
    loaded = [name for name, place in places.items() if place is not None and not os.path.isabs(place)]
    if loaded:
        raise RuntimeError(f"modules of the project were loaded before any program: {', '.join(loaded)}")


def load_what_is_named(texts: Iterable[str]) -> None:
    for name, modules in WORTH_LOADING:
        if any(name.search(text) for text in texts):
            load_libraries(modules)


def load_libraries(modules: tuple[str, ...]) -> None:
    missing = [module for module in modules if module not in sys.modules]
    for module in missing:
        try:
            importlib.import_module(module)
        except Exception:
            traceback.print_exc()
            return
    if "matplotlib.pyplot" in missing:
        draw_once()


def draw_once() -> None:
    """Let matplotlib load what it only loads with the first figure (fonts, scales, images, the SVG writer)."""
    pyplot = sys.modules["matplotlib.pyplot"]
    figure, axes = pyplot.subplots()
    axes.imshow([[0, 1]])
    axes.plot([0, 1], [0, 1], label="a")
    axes.set_title("a")
    axes.legend()
    figure.savefig(io.BytesIO(), format="svg")
    pyplot.close("all")


def start_interpreter(order: dict) -> tuple[int, Callable[[], int | None]]:
    path = os.path.join(order["folder"], "order")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(order, file)
    process = subprocess.Popen(
        [sys.executable, "-X", "utf8", SCRIPT, "--program", path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    return process.pid, process.poll


def kill_group(process: int) -> None:
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(process, signal.SIGKILL)


def size_of(*paths: str) -> int:
    size = 0
    for path in paths:
        with suppress(OSError):
            size += os.stat(path).st_size
    return size


def size_below(*folders: str) -> int:
    return sum(
        size_of(os.path.join(place, name))
        for folder in folders
        for place, _, names in os.walk(folder)
        for name in names
    )


def has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (ChildProcessError, AttributeError):  # none; a system without waitid
        return False
    return True


def children_of(parent: int) -> set[int]:
    """Processes whose parent is `parent`; none where the system does not tell."""
    with suppress(OSError), open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
        return set(map(int, file.read().split()))
    found = set()
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        if name.isdecimal():
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                if int(file.read().rpartition(b")")[2].split()[1]) == parent:
                    found.add(int(name))
    return found


class Commands:
    """Lines from the builder, without threads, so that forking is safe.

    The end of a child interrupts the wait.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._rest = b""
        self._wake, write = os.pipe()
        for pipe in (self._wake, write):
            os.set_blocking(pipe, False)
        self._own = [handle, self._wake, write]
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def keep_from_children(self, handle: int) -> None:
        self._own.append(handle)

    def close(self) -> None:
        """In a child: let go of what is the zygote's."""
        signal.set_wakeup_fd(-1)
        for handle in self._own:
            os.close(handle)

    def wait(self, seconds: float) -> list[str] | None:
        """Lines that came; None if no more will come."""
        ready, _, _ = select.select([self._handle, self._wake], [], [], seconds)
        if self._wake in ready:
            os.read(self._wake, 4096)
        if self._handle not in ready:
            return []
        data = os.read(self._handle, 1 << 16)
        if not data:
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [line.decode() for line in lines]


class ThreadedCommands:
    """The same where `select` knows no pipes: a thread reads. Only for zygotes that do not fork."""

    def __init__(self, handle: int) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, args=[handle], daemon=True).start()

    def keep_from_children(self, handle: int) -> None:
        """Fresh interpreters inherit nothing."""

    def _read(self, handle: int) -> None:
        with open(handle, encoding="utf-8") as stream:
            for line in stream:
                self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def wait(self, seconds: float) -> list[str] | None:
        try:
            line = self._lines.get(timeout=min(seconds, POLL))
        except queue.Empty:
            return []
        return None if line is None else [line]


def main(mode: str, *arguments: str) -> None:
    """`--program <file>` runs one program; `fork` or `spawn`, workers and scratch folder serve a builder."""
    if mode == "--program":
        child.main(*arguments)
    else:
        serve(mode, *arguments)


def serve(mode: str, workers: str, scratch: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the builder's, which then ends the zygote
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(child.PR_SET_CHILD_SUBREAPER, 1)
    messages = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints while it is loaded is no message
    child.set_filters()
    try:
        importlib.import_module("lessonkit.figures")
    except ImportError:  # the program that draws will say so
        traceback.print_exc()
    commands = Commands(0) if mode == "fork" else ThreadedCommands(0)
    commands.keep_from_children(messages)

    def send(line: str) -> None:
        with suppress(OSError):  # the builder is gone: its closed pipe ends the loop
            os.write(messages, (line + "\n").encode("ascii"))

    Zygote(commands, send, int(workers), scratch, fork=mode == "fork").serve()
    shutil.rmtree(scratch, ignore_errors=True)
