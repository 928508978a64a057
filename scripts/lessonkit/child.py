"""Runs one program in a process of its own, as `python program.py` would, and writes down what happens.

The process is a fork of the zygote or a fresh interpreter; it never returns. What a program does to its
process (closed files, patched modules, handlers) ends with it.
"""

from __future__ import annotations
import __future__

import atexit
import builtins
import ctypes
import faulthandler
import functools
import gc
import importlib.machinery
import io
import json
import linecache
import os
import re
import signal
import sys
import tempfile
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from types import ModuleType

from lessonkit.dependencies import ENGINE, ProjectFiles
from lessonkit.effects import state_of
from lessonkit.guard import WORKING, Guard
from lessonkit.journal import Journal, Limits
from lessonkit.machine_paths import MachinePaths
from lessonkit.project import LIBRARIES
from lessonkit.results import Failure, Value
from lessonkit.terminal import plain_text
from lessonkit.tracebacks import NoInput, Tracebacks
from lessonkit.tracing import Tracer, install_hook
from lessonkit.values import Questions

try:
    import resource
except ImportError:  # Windows
    resource = None

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
TRACING = Tracer.__init__.__code__.co_filename
FUTURE_FLAGS = functools.reduce(
    int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
KNOWN_LIBRARIES = {"numpy", "matplotlib", "lessonkit", *LIBRARIES}
QUIET_WARNINGS = (
    # Both speak of windows, which a build does not have; notebooks do not show them either.
    "FigureCanvasAgg is non-interactive",
    "More than .* figures have been opened",
)


@dataclass(frozen=True)
class CellOrder:
    """A cell as the child needs it."""

    line: int
    code: str
    raises: str | None
    stdin: tuple[str, ...] | None
    stderr: str
    processes: bool


@dataclass(frozen=True)
class Order:
    """All that the process of a program has to know."""

    root: str
    place: str
    """The program, relative to the root."""
    folder: str
    """Where the run's traces go (see `journal`), and below it the scratch folder."""
    text: str
    docstring: str | None
    cells: tuple[CellOrder, ...]
    reads: tuple[str, ...]
    questions: tuple[tuple[int, str], ...]
    limits: Limits
    builder: int
    """The process that builds: no program may end it."""

    @classmethod
    def from_json(cls, data: dict) -> Order:
        cells = tuple(
            CellOrder(**{**cell, "stdin": None if cell["stdin"] is None else tuple(cell["stdin"])})
            for cell in data["cells"]
        )
        questions = tuple((after, expression) for after, expression in data["questions"])
        return cls(**{**data, "cells": cells, "questions": questions, "limits": Limits(**data["limits"])})


@functools.cache
def places_of(root: str, scratch: str) -> tuple[ProjectFiles, MachinePaths]:
    """What tells files and paths apart; the zygote makes it once for all programs."""
    return ProjectFiles(root, [scratch]), MachinePaths(root, [scratch])


def set_filters() -> None:
    """Silence what only concerns windows; forks inherit it."""
    for message in QUIET_WARNINGS:
        warnings.filterwarnings("ignore", message)


def run_order(order: Order, *, forks: bool = False) -> None:
    """Run the program of `order` and end this process.

    `forks`: whether forking is safe on this system.
    """
    end_process = os._exit  # a program may replace it
    fault = _Fault(order.folder)
    try:
        _Program(order, forks, fault).run()
        end_process(0)
    except BaseException:
        fault.write()
    finally:
        end_process(70)


@functools.cache
def python_as_it_is() -> tuple[list[tuple[ModuleType, dict[str, object]]], dict, tuple[str, ...]]:
    """What a program may not change: modules with what they hold, `sys.modules` and its names.

    The zygote asks once for all programs: to look at everything there is costs a fork two milliseconds.
    """
    modules = [(module, dict(vars(module))) for module in (builtins, os, os.path, io, json)]
    return modules, sys.modules, tuple(sys.modules)


class _Fault:
    """Writes down that the engine failed in this process, with what it needs kept from the program."""

    def __init__(self, folder: str) -> None:
        self._paths = [os.path.join(folder, name) for name in ("changed-python", "engine-fault")]
        self._open, self._write, self._format = os.open, os.write, traceback.format_exc
        self._flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        self._before = python_as_it_is()

    def write(self) -> None:
        try:
            text = self._format()
        except BaseException:  # the program has changed what it is made of
            text = "unknown"
        for path, content in zip(self._paths, (self._changed(), text), strict=True):
            self._write(self._open(path, self._flags, 0o600), content.encode("utf-8", "backslashreplace"))

    def _changed(self) -> str:
        """What the program has changed in Python itself: `builtins.open, sys.modules`."""
        modules, known, names = self._before
        found = [
            f"{module.__name__.replace('posixpath', 'os.path').replace('ntpath', 'os.path')}.{name}"
            for module, before in modules
            for name, value in before.items()
            if vars(module).get(name) is not value and not _is_traced(vars(module).get(name))
        ]
        if sys.modules is not known or any(name not in known for name in names if name != "__main__"):
            found.append("sys.modules")
        return ", ".join(found[:5])


def _is_traced(function: object) -> bool:
    """Whether the tracer has put it in the place of a function of `os`."""
    return getattr(function, "__code__", None) is not None and function.__code__.co_filename == TRACING


class _Answers(io.TextIOBase):
    """Standard input: the answers that a cell declares, echoed as a terminal does."""

    encoding = "utf-8"
    errors = "strict"
    name = "<stdin>"

    def __init__(self) -> None:
        self.left: list[str] = []
        self.declared = False
        self.missed = False
        """Whether the program asked although nothing is declared."""

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 0

    def isatty(self) -> bool:
        return False

    def readline(self, size: int = -1, /) -> str:
        if not self.declared:
            self.missed = True
            raise NoInput
        if not self.left:
            return ""
        line = self.left.pop(0) + "\n"
        sys.stdout.write(line)
        return line

    def read(self, size: int | None = -1, /) -> str:
        return "".join(iter(self.readline, ""))


class _Stderr(io.TextIOWrapper):
    """Remembers which line of the program wrote first."""

    program = ""
    line = 0

    def write(self, text: str, /) -> int:
        if not self.line:
            frame = sys._getframe(1)
            while frame is not None and frame.f_code.co_filename != self.program:
                frame = frame.f_back
            self.line = frame.f_lineno if frame is not None else 0
        return super().write(text)


def _stream(kind: type[io.TextIOWrapper], handle: int, name: str, errors: str) -> io.TextIOWrapper:
    """An unbuffered text stream, as `python -u` makes it."""
    raw = io.FileIO(handle, "w", closefd=False)
    raw.name = name
    return kind(raw, "utf-8", errors, newline="\n", write_through=True)


def _to_json(values: list[Value] | None) -> list[dict] | None:
    return values and [asdict(value) for value in values]


class _Stop(Exception):
    """The program has failed."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure


class _Program:
    def __init__(self, order: Order, forks: bool, fault: _Fault) -> None:
        self._order = order
        self._fault = fault
        self._fork = os.fork if forks else None
        self._wait, self._end_process = getattr(os, "waitpid", None), os._exit
        self._path = os.path.join(order.root, *order.place.split("/"))
        self._out, self._err = (os.path.join(order.folder, name) for name in ("out", "err"))
        self._journal = Journal(os.path.join(order.folder, "journal"))
        self._files, self._paths = places_of(order.root, os.path.dirname(order.folder))
        self._tracebacks = Tracebacks(self._files, order.place, self._path, self._paths)
        self._flags = 0
        self._size = os.stat
        self._point = os.dup2
        self._open = os.open
        self._close = os.close

    def run(self) -> None:
        self._leave_the_parent()
        self._open_streams()
        self._set_limits()
        self._forget_the_parent()
        self._enter_scratch_folder()
        self._set_python_up()
        try:
            self._refuse_hiding_files()
            self._run_cells()
            self._end_as_python_does()
        except _Stop as stop:
            self._journal.note("failure", **asdict(stop.failure))
        dependencies = self._tracer.dependencies()
        self._journal.note("end", dependencies=dependencies.to_json() if dependencies else None)

    # -- the process --

    def _leave_the_parent(self) -> None:
        """Own session; ended when the zygote ends; heir of whatever the program starts."""
        if hasattr(os, "setsid"):
            os.setsid()
        if sys.platform == "linux":
            self._prctl = ctypes.CDLL(None).prctl
            self._prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            self._prctl(PR_SET_CHILD_SUBREAPER, 1)
        self._fflush = getattr(ctypes.CDLL(None), "fflush", None) if os.name == "posix" else None

    def _open_streams(self) -> None:
        """Nothing to read.

        Stdout and stderr go to files, unbuffered, so that all writers keep their order.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        for number, path, mode in (
            (0, os.devnull, os.O_RDONLY),
            (1, self._out, flags),
            (2, self._err, flags),
        ):
            self._redirect(number, path, mode)
        self._stdin = sys.stdin = sys.__stdin__ = _Answers()
        sys.stdout = sys.__stdout__ = _stream(io.TextIOWrapper, 1, "<stdout>", "strict")
        self._stderr = sys.stderr = sys.__stderr__ = _stream(_Stderr, 2, "<stderr>", "backslashreplace")
        self._stderr.program = self._path
        fault = self._open(os.path.join(self._order.folder, "fault"), flags, 0o600)
        faulthandler.enable(fault)

    def _redirect(self, number: int, path: str, flags: int) -> None:
        handle = self._open(path, flags, 0o600)
        if handle != number:
            self._point(handle, number)
            self._close(handle)

    def _set_limits(self) -> None:
        if not resource:
            return
        for kind, size in (("RLIMIT_CORE", 0), ("RLIMIT_FSIZE", self._order.limits.files)):
            resource.setrlimit(getattr(resource, kind), (size, size))
        # RLIMIT_DATA counts what is allocated; RLIMIT_AS also what libraries only reserve.
        size = self._order.limits.memory
        with suppress(ValueError, OSError):  # macOS refuses
            resource.setrlimit(resource.RLIMIT_DATA, (size, size + (256 << 20)))

    def _give_spare_memory(self) -> None:
        """After a MemoryError there must be enough left to say so."""
        if resource:
            resource.setrlimit(resource.RLIMIT_DATA, (resource.getrlimit(resource.RLIMIT_DATA)[1],) * 2)

    def _forget_the_parent(self) -> None:
        """Undo what a fork inherits and a fresh Python would not have."""
        for number in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGCHLD", None)):
            if number is not None:
                signal.signal(
                    number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
                )
        atexit._clear()
        weakref.finalize._registry.clear()
        weakref.finalize._registered_with_atexit = False
        if "logging" in sys.modules:
            atexit.register(sys.modules["logging"].shutdown)
        if "numpy.random" in sys.modules:  # every fork would draw the same numbers
            sys.modules["numpy.random"].seed()
        tempfile.tempdir = None

    def _enter_scratch_folder(self) -> None:
        for name in WORKING:
            os.mkdir(os.path.join(self._order.folder, name))
        home, temporary = (os.path.join(self._order.folder, name) for name in ("home", "tmp"))
        os.environ.update(HOME=home, TMPDIR=temporary)
        if os.name == "nt":
            os.environ.update(USERPROFILE=home, TEMP=temporary, TMP=temporary)
        if any(cell.processes for cell in self._order.cells):
            # A Python that the program starts has no tracer: it must not use bytecode of the project either.
            os.environ["PYTHONPYCACHEPREFIX"] = temporary
        os.chdir(os.path.join(self._order.folder, "work"))

    def _set_python_up(self) -> None:
        """`sys` and `__main__` as `python program.py` has them, then tracer and guard."""
        root = self._order.root
        sys.argv = [self._path]
        own = [
            os.path.dirname(self._path),
            os.path.join(root, "snippets"),
            os.path.join(root, "scripts"),
            os.path.dirname(ENGINE),
        ]
        sys.path = [*dict.fromkeys(own), *(folder for folder in sys.path if folder not in own)]
        # As Python counts lines, which goes by \n alone: no form feed, no U+2028 ends one.
        lines = [line + "\n" for line in self._order.text.removesuffix("\n").split("\n")]
        linecache.cache[self._path] = len(self._order.text), None, lines, self._path
        self._module = sys.modules["__main__"] = ModuleType("__main__")
        self._names = vars(self._module)
        self._names.update(
            __file__=self._path,
            __builtins__=sys.modules["builtins"],
            __cached__=None,
            __loader__=importlib.machinery.SourceFileLoader("__main__", self._path),
        )
        if self._order.docstring is not None:  # as the compiler leaves it: since 3.13 without indentation
            exec(compile(repr(self._order.docstring), self._path, "exec"), self._names)
        self._guard = Guard(
            self._files,
            self._order.folder,
            {os.getppid(), self._order.builder},
            lambda number: self._journal.note("signal", number=number),
        )
        self._tracer = Tracer(self._files, self._order.place, self._order.reads)
        install_hook([*self._guard.handlers(), *self._tracer.handlers()])
        self._guard.watch_multiprocessing()
        self._tracer.watch_imports(own)
        self._tracer.watch_stat()

    def _refuse_hiding_files(self) -> None:
        """A `random.py` beside the program would be taken for Python's own by everyone who runs it."""
        loaded = {name for name in sys.modules if "." not in name and not name.startswith("_")}
        libraries = (loaded | KNOWN_LIBRARIES) - sys.stdlib_module_names
        folder = self._order.place.rpartition("/")[0]
        hiding = self._tracer.hiding(folder, libraries) or self._tracer.hiding(
            "snippets", libraries.difference(LIBRARIES)
        )
        if hiding:
            module = hiding[0].rpartition("/")[2].removesuffix(".py")
            raise _Stop(
                Failure(
                    "program-name",
                    0,
                    f"{hiding[0]} hides the module {module}, which is imported by that name",
                    "Rename the file.",
                )
            )

    # -- the cells --

    def _run_cells(self) -> None:
        for index, cell in enumerate(self._order.cells):
            if self._run_cell(index, cell):
                break

    def _run_cell(self, index: int, cell: CellOrder) -> bool:
        """Run a cell; True if the program ended in it, in good order."""
        self._guard.processes = cell.processes
        self._stdin.declared, self._stdin.left = cell.stdin is not None, list(cell.stdin or ())
        self._stderr.line = 0
        self._point_stderr(cell.stderr)
        complaints = self._size_of(self._err)
        self._journal.note("cell", index=index, out=self._size_of(self._out))
        error = self._execute(cell)
        self._flush()
        self._journal.note("code", out=self._size_of(self._out))
        self._point_stderr("fail")
        if self._stdin.missed:
            error = error if isinstance(error, NoInput) else NoInput()
            raise _Stop(self._tracebacks.explain(error, self._order.limits))
        ended = isinstance(error, SystemExit) and error.code in (None, 0) and not cell.raises
        planned = "" if ended else self._judge(error, cell)
        del error
        self._journal.note("figures")
        figures = self._figures(cell)
        self._refuse_stderr(complaints, cell)
        values = self._answer(index)
        self._journal.note("cell-end", figures=figures, values=values, planned_error=planned)
        return ended

    def _execute(self, cell: CellOrder) -> BaseException | None:
        source = "\n" * (cell.line - 1) + cell.code
        try:
            code = compile(source, self._path, "exec", flags=self._flags, dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or cell.line
            raise _Stop(
                Failure(
                    "program-syntax",
                    line,
                    f"This cell cannot be run by itself: {getattr(error, 'msg', error)}",
                    "Put # %% lines between whole statements, and mend the line.",
                )
            ) from None
        self._flags |= code.co_flags & FUTURE_FLAGS
        try:
            exec(code, self._names)
        except BaseException as error:
            if isinstance(error, MemoryError):
                self._give_spare_memory()
            return error
        return None

    def _judge(self, error: BaseException | None, cell: CellOrder) -> str:
        """The short traceback of the error that the cell plans; "" if it plans none and raises none."""
        if error is not None and not cell.raises:
            if isinstance(error, EOFError) and self._stdin.declared and not self._stdin.left:
                count = len(cell.stdin or ())
                raise _Stop(
                    Failure(
                        "program-input",
                        self._tracebacks.line(error),
                        f"The program asks for more input than the "
                        f"{count} declared {'answer' if count == 1 else 'answers'}",
                        'Declare them all: stdin="3\\n4".',
                        self._tracebacks.full(error),
                    )
                )
            raise _Stop(self._tracebacks.explain(error, self._order.limits))
        if self._stdin.left:
            raise _Stop(
                Failure(
                    "program-input",
                    cell.line,
                    f"Nobody asked for the declared answer “{self._stdin.left[0]}”",
                    "Take it out of stdin=, or ask for it with input().",
                )
            )
        if error is None:
            if cell.raises:
                raise _Stop(
                    Failure(
                        "planned-error",
                        cell.line,
                        f"This cell should raise {cell.raises}, and raises nothing",
                        "Take raises= out, or mend the cell.",
                    )
                )
            return ""
        if not self._is_planned(error, cell.raises):
            raise _Stop(
                Failure(
                    "planned-error",
                    self._tracebacks.line(error) or cell.line,
                    f"This cell should raise {cell.raises}, and raises {type(error).__name__}",
                    f"Write raises={type(error).__name__} if this is the error that the lesson means.",
                    self._tracebacks.full(error),
                )
            )
        return self._tracebacks.short(error)

    def _is_planned(self, error: BaseException, name: str) -> bool:
        """Whether the error's class is the one named, not a subclass: readers see its own name."""
        try:
            found = eval(name, dict(self._names))
        except Exception:
            return type(error).__name__ == name.rpartition(".")[2]
        return type(error) is found

    def _figures(self, cell: CellOrder) -> list[str]:
        pyplot = sys.modules.get("matplotlib._pylab_helpers")
        if not (pyplot and pyplot.Gcf.figs) and "vis" not in sys.modules:
            return []
        from lessonkit.figures import open_figures

        try:
            return open_figures()
        except Exception as error:
            raise _Stop(
                Failure(
                    "program-figure",
                    cell.line,
                    f"A figure of this cell cannot be drawn: {self._tracebacks.last_lines(error)}",
                    "Look at what the figure shows: formulas in its texts, sizes, data.",
                )
            ) from None

    def _answer(self, index: int) -> list[tuple[str, dict]]:
        """What the pages ask after this cell."""
        asked = [expression for after, expression in self._order.questions if after == index]
        if not asked:
            return []
        self._guard.processes = False
        self._stdin.declared = False
        course = self._tracer.packages()
        questions = Questions(
            asked,
            self._names,
            self._flags,
            lambda: state_of(self._names, course) + self._printed(),
            lambda number: self._journal.note("question", index=number),
        )
        answers = self._apart(questions.answer_all) if self._may_fork() else None
        if answers is None:
            answers = []
            for number in range(len(asked)):
                answers += self._apart(lambda number=number: [questions.answer(number, self._printed)])
        self._stdin.missed = False
        return list(zip(asked, answers, strict=True))

    def _may_fork(self) -> bool:
        """A process with threads must not fork: locks that they hold would stay closed for ever."""
        return self._fork is not None and threading.active_count() == 1

    def _apart(self, work: Callable[[], list[Value] | None]) -> list[dict] | None:
        """What `work` gives, as JSON, in a copy of this process if there can be one.

        Nothing that it does there reaches the program; only what it used of the project is taken over. If
        the copy is killed, so is this process.
        """
        if not self._may_fork():
            return _to_json(work())
        path = os.path.join(self._order.folder, "answers")
        self._guard.processes = True
        process = self._fork()
        self._guard.processes = False
        if process == 0:
            self._work_in_copy(work, path)
        status = os.waitstatus_to_exitcode(self._wait(process, 0)[1])
        if status < 0:
            faulthandler.disable()  # the copy has said where it was
            with suppress(OSError):  # SIGKILL has no handler
                signal.signal(-status, signal.SIG_DFL)
            signal.raise_signal(-status)
        if status:
            self._end_process(status)
        with open(path, encoding="ascii") as file:
            answers, used = json.load(file)
        self._tracer.take_over(used)
        return answers

    def _work_in_copy(self, work: Callable[[], list[Value] | None], path: str) -> None:
        """In the copy: write down what `work` gives, and end."""
        status = 70
        try:
            if sys.platform == "linux":
                self._prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            self._guard.enter_copy()
            answers = json.dumps([_to_json(work()), self._tracer.used()])
            with open(path, "w", encoding="ascii") as file:
                file.write(answers)
            status = 0
        except BaseException:
            self._fault.write()
        finally:
            self._end_process(status)

    # -- output --

    def _flush(self) -> None:
        for stream in {
            id(stream): stream for stream in (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__)
        }.values():
            with suppress(AttributeError, ValueError, OSError):  # replaced or closed by the program
                stream.flush()
        if self._fflush:
            self._fflush(None)

    def _point_stderr(self, mode: str) -> None:
        path = {"show": self._out, "hide": os.devnull}.get(mode, self._err)
        self._redirect(2, path, os.O_WRONLY | os.O_APPEND)

    def _size_of(self, path: str) -> int:
        return self._size(path).st_size

    def _printed(self) -> int:
        self._flush()
        return self._size_of(self._out) + self._size_of(self._err)

    def _refuse_stderr(self, before: int, cell: CellOrder) -> None:
        self._flush()
        if self._size_of(self._err) == before:
            return
        with open(self._err, "rb") as file:
            file.seek(before)
            text = self._paths.shorten(plain_text(file.read(20_000).decode("utf-8", "replace"))).strip("\n")
        first = next((line for line in text.split("\n") if line.strip()), "")
        warned = re.match(re.escape(self._order.place) + r":(\d+): ", text)  # as warnings begin
        line = int(warned[1]) if warned else self._stderr.line or cell.line
        raise _Stop(
            Failure(
                "program-stderr",
                line,
                f"This cell writes to stderr: {first}",
                "Take the cause away; to show it, write stderr=show in the cell's # %% line.",
                "\n".join(text.split("\n")[-10:]),
            )
        )

    # -- the end --

    def _end_as_python_does(self) -> None:
        """Wait for threads, call what is registered with `atexit`, let the program's objects go."""
        last = self._order.cells[-1]
        self._guard.processes = last.processes
        self._stderr.line = 0
        self._point_stderr(last.stderr)
        complaints = self._size_of(self._err)
        self._journal.note("closing", out=self._size_of(self._out))
        self._journal.note("threads")
        threading._shutdown()
        self._journal.note("exit-functions")
        atexit._run_exitfuncs()
        self._journal.note("letting-go")
        self._flush()
        sys.modules.pop("__main__", None)
        del self._module, self._names
        gc.collect()
        self._flush()
        self._journal.note("closed", out=self._size_of(self._out))
        self._refuse_stderr(complaints, last)


def main(path: str) -> None:
    """Entry of a fresh interpreter: run the order in a file."""
    set_filters()
    with open(path, encoding="utf-8") as file:
        run_order(Order.from_json(json.load(file)))
