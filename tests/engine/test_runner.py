"""Running programs: as plain Python does, apart from each other, within limits, ended with all of theirs."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from lessonkit import runner as runner_module
from lessonkit.progress import Progress
from lessonkit.results import CellResult, Failure, Value
from lessonkit.runner import Job, Limits, Runner, RunnerError

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and subreapers")


def outputs(run):
    assert run.result.failure is None, run.result.failure
    return [cell.output for cell in run.result.cells]


def failure(run) -> Failure:
    assert run.result.failure is not None, run.result.cells
    assert run.dependencies is None, "a failure must never be stored"
    return run.result.failure


def said(run) -> tuple[str, int, str]:
    found = failure(run)
    assert found.cure
    return found.rule, found.line, found.text


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until(true, seconds=5.0):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    assert true()


# -- as plain Python --


def test_cells_share_a_namespace_and_split_the_output(run):
    found = run(
        """
        x = 1
        print("uno")
        # %% next
        x += 1
        print("dos", x)
        # %% last
        print("три", x)
        """,
        (0, "x"),
        (1, "x"),
        (2, "[x, 'a']"),
    )
    assert outputs(found) == ["uno\n", "dos 2\n", "три 2\n"]
    assert [dict(cell.values) for cell in found.result.cells[:2]] == [
        {"x": Value(numbers=(1,))},
        {"x": Value(numbers=(2,))},
    ]
    assert found.result.value(2, "[x, 'a']") == Value(error="it is a list of texts: join them into one text")
    assert found.result.value(2, "x") is None


FAITHFUL = {
    "module": """
        import sys, __main__
        from pathlib import Path
        print(__name__, Path(__file__).parts[-4:], Path(__file__).is_absolute())
        print(Path(sys.argv[0]).name, len(sys.argv))
        print(Path(sys.path[0]).name, __main__.x if hasattr(__main__, "x") else None, __spec__, __package__)
        x = 3
        print(__main__.x, vars(__main__) is globals(), __builtins__ is sys.modules["builtins"])
        """,
    "docstring": '''
        """Uno.

            dos
        """
        print(repr(__doc__))
        ''',
    "future": """
        from __future__ import annotations
        # %% use
        def f(x: undefined) -> nowhere: pass
        print(f.__annotations__)
        """,
    "pickle": """
        import pickle, dataclasses
        @dataclasses.dataclass
        class Punto:
            x: int
        print(pickle.loads(pickle.dumps(Punto(3))), Punto.__module__)
        """,
    "source": """
        import inspect
        # %% one
        def f():
            return 1  # π
        # %% two
        print(inspect.getsource(f), f.__code__.co_firstlineno)
        """,
    "end": """
        import atexit, threading, time, weakref
        atexit.register(print, "atexit")
        class Caja:
            def __del__(self): print("del")
        c = Caja()
        weakref.finalize(c, print, "finalize")
        threading.Thread(target=lambda: (time.sleep(0.05), print("thread"))).start()
        print("code")
        """,
    "streams": """
        import os, sys
        print(sys.stdout.isatty(), sys.stdin.isatty(), sys.stdout.encoding, sys.stdout.errors)
        print(sys.stdout.name, sys.stderr.name, sys.stdin.name)
        sys.stdout.buffer.write("π\\n".encode())
        os.write(1, b"raw\\n")
        print("a", "b", sep="-", end="!\\n", flush=True)
        """,
    "flags": """
        import sys, signal, locale, os
        print(sys.flags.safe_path, sys.flags.dont_write_bytecode, sys.gettrace(), sys.getrecursionlimit())
        print([signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGHUP)])
        print(signal.getsignal(signal.SIGINT).__name__)
        print(locale.getpreferredencoding(False), sys.getfilesystemencoding(), open(os.devnull).encoding)
        """,
    "defaults": """
        import numpy as np, warnings, random, decimal
        print(np.get_printoptions()["precision"], np.geterr(), decimal.getcontext().prec)
        print(np.float64(1) / 3, [np.float64(1)])
        """,
    "threads": """
        import concurrent.futures as cf
        with cf.ThreadPoolExecutor(3) as pool:
            print(list(pool.map(lambda x: x * x, range(5))))
        """,
    "mode": "import sys; sys.exit()",
}


@pytest.mark.parametrize("name", FAITHFUL)
def test_prints_what_plain_python_prints(run, name):
    found = run(FAITHFUL[name])
    path = run.project.root / run.project.name(f"p{run._count}").path
    plain = subprocess.run(
        [sys.executable, path],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={
            **os.environ,
            "PYTHONUTF8": "1",
            "PYTHONIOENCODING": "utf-8:strict",
            "PYTHONDONTWRITEBYTECODE": "",
        },
    )
    assert "".join(outputs(found)) == plain.stdout
    assert plain.stderr == ""


def test_what_runs_at_the_end_belongs_to_the_last_cell(run):
    assert outputs(run(FAITHFUL["end"] + "\n# %% last\nprint('last')\n".replace("\n", "\n        ")))[
        -1
    ].startswith("last\n")


def test_nothing_is_seeded_behind_the_programs_back(run):
    code = """
        import random, numpy as np
        print(random.random(), np.random.rand(), np.random.default_rng().random())
        """
    first, second = (outputs(found)[0].split() for found in run.together(code, code))
    assert not set(first) & set(second)


@pytest.mark.case(number="C23")
def test_sets_have_the_same_order_whoever_builds(run, project, monkeypatch):
    code = "print({'uno', 'dos', 'tres', 'cuatro'}, list({'кот', 'луна', 'ключ'}))"
    monkeypatch.setenv("PYTHONHASHSEED", "77")
    name = project.program("a", code)
    with Runner(project.project) as other:
        again = other.begin([project.job(name)]).finish()[name]
    assert outputs(again) == outputs(run(code))


@pytest.mark.case(number="C04")
def test_the_callers_locale_and_settings_do_not_matter(project):
    """Seen: Cyrillic raised UnicodeEncodeError in the child, or the parent could not read its pipe."""
    project.program(
        "a",
        """
        import os
        print('Привет, niño — π≈3,14 ✓')
        print(sorted(set(os.environ) & {'PYTHONWARNINGS', 'FORCE_COLOR'}))
        """,
    )
    script = """
        import sys
        from pathlib import Path
        from lessonkit.project import Project, ProgramName
        from lessonkit.runner import Job, Runner
        from lessonkit.snippets import read_snippet
        project = Project(Path(sys.argv[1]))
        name = ProgramName("es", "demo", "a")
        with Runner(project) as runner:
            run = runner.begin([Job(read_snippet(project, name))]).finish()[name]
        print(ascii(run.result.cells[0].output if not run.result.failure else run.result.failure))
        """
    for settings in (
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "cp1251"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script), project.root],
            capture_output=True,
            check=True,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(SCRIPTS),
                "PYTHONWARNINGS": "error",
                "FORCE_COLOR": "1",
                **settings,
            },
        )
        assert done.stdout.decode("ascii").strip() == ascii("Привет, niño — π≈3,14 ✓\n[]\n")


# -- apart from each other --


@pytest.mark.case(number="C03")
def test_parallel_programs_do_not_mix_their_output(project):
    """Seen: redirecting sys.stdout is process-wide, so lines of one program arrived in another's buffer. Ten times, and one by one."""
    for number in range(8):
        project.program(
            f"p{number}",
            f"""
            import time
            for i in range(200):
                print('p{number}', i)
                time.sleep(0.0002 * {number % 3})
            """,
        )
    jobs = [project.job(name) for name in project.project.programs()]
    expected = [["".join(f"p{number} {i}\n" for i in range(200))] for number in range(8)]
    with Runner(project.project, workers=8) as runner:
        for _ in range(10):
            assert [outputs(found) for found in runner.begin(jobs).finish().values()] == expected
    with Runner(project.project, workers=1) as runner:
        assert [outputs(found) for found in runner.begin(jobs).finish().values()] == expected


@pytest.mark.case(number="C22")
def test_nothing_of_a_program_reaches_the_next(project, monkeypatch):
    """Seen: settings, seeds and patches of one example changed the page of another."""
    project.program(
        "a",
        """
        import atexit, builtins, locale, logging, math, os, random, signal, sys, tempfile, warnings
        import matplotlib, numpy as np
        matplotlib.rcParams["lines.linewidth"] = 7
        np.set_printoptions(precision=1); np.seterr(all="ignore"); np.random.seed(0); np.pi = 3; math.pi = 3
        random.seed(0); warnings.simplefilter("error"); os.environ["LANG"] = "x"; os.chdir("/")
        locale.setlocale(locale.LC_ALL, "C")
        signal.signal(signal.SIGTERM, signal.SIG_IGN); sys.setrecursionlimit(50000)
        logging.basicConfig(level=0)
        builtins.print = lambda *x: None; sys.path.append("/x"); tempfile.tempdir = "/x"; os.umask(0)
        open(os.path.expanduser("~/rest"), "w").close()
        import pathlib; pathlib.Path(os.environ["TMPDIR"], "rest").touch()
        os.closerange(0, 200)
        """,
    )
    project.program(
        "b",
        """
        import locale, logging, math, os, random, signal, sys, tempfile, warnings
        import matplotlib, numpy as np
        rc = matplotlib.rcParams
        print(rc["lines.linewidth"], matplotlib.get_backend(), rc["figure.dpi"])
        print(np.get_printoptions(), np.geterr(), np.pi, math.pi)
        print(warnings.filters[-3:], os.environ.get("LANG"), os.listdir(), locale.setlocale(locale.LC_ALL))
        print(signal.getsignal(signal.SIGTERM), sys.getrecursionlimit(), logging.root.level, os.umask(0o22))
        print(os.path.exists(os.path.expanduser("~/rest")), os.listdir(tempfile.gettempdir()))
        print("/x" in sys.path)
        import matplotlib.pyplot as plt
        plt.plot([1, 3, 2])
        """,
    )
    with Runner(project.project) as runner:
        plain = runner.begin([project.job("b")]).finish()[project.name("b")]
    rc = project.write("home/.config/matplotlib/matplotlibrc", "lines.linewidth: 9\nfigure.dpi: 33\n")
    monkeypatch.setenv("HOME", str(project.root / "home"))
    monkeypatch.setenv("MATPLOTLIBRC", str(rc))
    with Runner(project.project, workers=1) as runner:
        before, _, _, after = (
            runner.begin([project.job(name)]).finish()[project.name(name)] for name in "baab"
        )
    assert plain.result.cells[0].figures
    assert plain.result == before.result == after.result, "neither the first program nor the author's own settings reach it"
    assert outputs(before)[0].startswith("1.5 agg 100.0\n")


@pytest.mark.case(number="C54")
@linux
def test_forking_happens_where_no_threads_are(run):
    """Seen: a fork of a process with threads inherits locks that nobody will open. BLAS starts threads."""
    found = run("""
        import os, re, pathlib, numpy
        print(re.search(r"Threads:\\t(\\d+)", pathlib.Path(f"/proc/{os.getppid()}/status").read_text())[1])
        print(os.environ["OPENBLAS_NUM_THREADS"], os.environ["OMP_NUM_THREADS"])
        """)
    assert outputs(found) == ["1\n1 1\n"]


@linux
def test_the_callers_process_never_forks(project):
    project.program("a", "print(1)")
    script = """
        import sys, threading, time
        def refuse(event, arguments):
            if event in ("os.fork", "os.forkpty"):
                raise SystemExit("forked")
        sys.addaudithook(refuse)
        from pathlib import Path
        from lessonkit.project import Project, ProgramName
        from lessonkit.runner import Job, Runner
        from lessonkit.snippets import read_snippet
        threading.Thread(target=time.sleep, args=[60], daemon=True).start()
        project = Project(Path(sys.argv[1]))
        name = ProgramName("es", "demo", "a")
        with Runner(project) as runner:
            print(runner.begin([Job(read_snippet(project, name))]).finish()[name].result.cells[0].output)
        """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), project.root],
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
    )
    assert (done.stdout.strip(), done.stderr) == ("1", "")


@linux
@pytest.mark.parametrize(
    "how", ["os.kill(os.getppid(), 9)", "os.kill(-1, 9)", "os.killpg(os.getpgid(os.getppid()), 9)"]
)
def test_a_program_may_not_end_others(run, how):
    bad, good = run.together(f"import os\n{how}", "print('good')")
    assert said(bad) == ("program-process", 2, "The program sends SIGKILL to processes that are not its own")
    assert outputs(good) == ["good\n"]


@linux
def test_a_program_that_kills_the_zygote_fails_alone(project, runner):
    """No audit event tells of a kill in C: the programs that ran meanwhile run again, each alone."""
    project.program(
        "bad",
        "import ctypes, os, time\ntime.sleep(0.1)\nctypes.CDLL(None).kill(os.getppid(), 9)\ntime.sleep(9)",
    )
    for name in "abc":
        project.program(name, f"import time\ntime.sleep(0.2)\nprint('{name}')")
    runs = runner.begin([project.job(name) for name in project.project.programs()]).finish()
    assert said(runs[project.name("bad")]) == (
        "program-crash",
        0,
        "The program ended the process that runs all programs",
    )
    assert [outputs(runs[project.name(name)]) for name in "abc"] == [["a\n"], ["b\n"], ["c\n"]]


@pytest.mark.case(number="C38")
def test_fresh_interpreters_give_the_same(project):
    """What macOS and Windows use."""
    codes = {
        "a": """
            x = 2
            print("año", x)
            # %% two raises=ValueError
            int("x")
            # %% three stdin="4"
            print(input("? "))
            """,
        "b": "import sys\nprint(1)\nprint('uy', file=sys.stderr)",
        "c": "while True: pass",
        "d": "import os\nos._exit(3)",
        "e": "import numpy as np\nprint(np.arange(3))",
        "f": "import subprocess, sys\nsubprocess.run([sys.executable, '-V'])",
    }
    for name, code in codes.items():
        project.program(name, code)
    jobs = [project.job("a", (0, "x")), *(project.job(name) for name in "bdef")]
    found = []
    for start in ("fork", "spawn") if sys.platform == "linux" else ("spawn",):
        with Runner(project.project, start=start) as runner:
            found.append({name: run.result for name, run in runner.begin(jobs).finish().items()})
        with Runner(project.project, start=start, limits=Limits(seconds=0.7)) as runner:
            endless = runner.begin([project.job("c")]).finish()[project.name("c")]
        assert endless.result.failure.rule == "program-time"
    assert found[0] == found[-1]
    assert found[0][project.name("a")].cells[2].output == "? 4\n4\n"
    assert found[0][project.name("d")].failure.rule == "program-exit"


# -- limits --


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Programs that would not end, or not well, run together with a good one."""
    from tests.engine.conftest import MiniProject, share_fonts

    root = tmp_path_factory.mktemp("limits")
    share_fonts(root, tmp_path_factory)
    project = MiniProject(root)
    codes = {
        "loop": "print('antes')\nx = 0\nwhile True:\n    x += 1",
        "sleep": "import time\n\ndef espera():\n    time.sleep(3600)\n\nespera()",
        "deaf": "from signal import *\npthread_sigmask(SIG_BLOCK, valid_signals())\nwhile True: pass",
        "flood": "while True: print('x' * 100)",
        "flood-end": "print('x' * 300_000)",
        "memory": "x = bytearray(10 ** 9)",
        "memory-little": "x = []\nwhile True:\n    x.append('a' * 1000 + str(len(x)))",
        "numpy-memory": "import numpy as np\nnp.ones((20000, 20000))",
        "file": "with open('big', 'wb') as f:\n    for _ in range(100): f.write(b'x' * 1_000_000)",
        "files": "for i in range(100):\n    open(f'{i}', 'wb').write(b'x' * 9 ** 6)\nwhile True: pass",
        "kill": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "outside-kill": "import ctypes, os\nctypes.CDLL(None).kill(os.getpid(), 9)",
        "exit-3": "import sys\nprint('antes')\nsys.exit(3)",
        "exit-text": "exit('adiós')",
        "exit-0": "print('antes')\nimport sys\nsys.exit(0)\nprint('nunca')\n# %% later\nprint('nunca')",
        "interrupt": "raise KeyboardInterrupt",
        "os-exit": "import os\nprint('antes')\nos._exit(1)",
        "recursion": "def f(n):\n    return f(n + 1)\nf(0)",
        "segfault": "import ctypes\n\ndef mal():\n    ctypes.string_at(0)\n\nmal()",
        "stack": "x = ()\nfor _ in range(400_000):\n    x = (x,)\n\nhash(x)",
        "at-exit": "import atexit, time\natexit.register(time.sleep, 100)\nprint('fin')",
        "thread": "import threading, time\n\ndef espera():\n    while True: time.sleep(0.01)\n\n"
        "threading.Thread(target=espera).start()\nprint('fin')",
        "good": "print('bien')",
    }
    for name, code in codes.items():
        project.program(name, code)
    found = {}
    without_end = {"loop", "sleep", "deaf", "at-exit", "thread"}
    for names, seconds in ((without_end, 0.7), (codes.keys() - without_end, 30)):
        limits = Limits(seconds, memory=1 << 29, output=200_000, files=20_000_000)
        with Runner(project.project, limits=limits, workers=4) as runner:
            runs = runner.begin([project.job(name) for name in sorted(names)]).finish()
        found |= {name.name: run for name, run in runs.items()}
    return found


@pytest.mark.case(number="C16")
@pytest.mark.case(number="C26")
@pytest.mark.parametrize(
    ("name", "rule", "line", "text"),
    [
        ("loop", "program-time", (3, 4), "The program did not end within 0.7 seconds"),
        ("sleep", "program-time", (4,), "The program did not end within 0.7 seconds"),
        ("deaf", "program-time", (1,), "The program did not end within 0.7 seconds"),
        ("flood", "program-output", (1,), "The program prints more than 200 kB"),
        ("flood-end", "program-output", (1,), "The program prints more than 200 kB"),
        (
            "memory",
            "program-memory",
            (1,),
            "The program needs more memory than the 0.5 GiB that it may use",
        ),
        (
            "memory-little",
            "program-memory",
            (3,),
            "The program needs more memory than the 0.5 GiB that it may use",
        ),
        (
            "numpy-memory",
            "program-memory",
            (2,),
            "The program needs more memory than the 0.5 GiB that it may use",
        ),
        ("file", "program-files", (2,), "The program writes a file of more than 20 MB"),
        ("files", "program-files", (1, 2, 3), "The program writes more than 20 MB to files"),
        ("kill", "program-crash", (1,), "The program killed itself with SIGKILL"),
        (
            "outside-kill",
            "program-memory",
            (1,),
            "The program was killed by the system, most likely for want of memory",
        ),
        ("exit-3", "program-exit", (3,), "The program ended with sys.exit(3)"),
        ("exit-text", "program-exit", (1,), "The program ended with sys.exit('adiós')"),
        ("interrupt", "program-error", (1,), "KeyboardInterrupt"),
        (
            "os-exit",
            "program-exit",
            (1,),
            "The program ended at once with status 1, by os._exit or in C code",
        ),
        ("recursion", "program-error", (2,), "RecursionError: maximum recursion depth exceeded"),
        ("segfault", "program-crash", (4,), "The program crashed (segmentation fault, SIGSEGV)"),
        ("stack", "program-crash", (5,), "The program crashed (segmentation fault, SIGSEGV)"),
        (
            "at-exit",
            "program-time",
            (1, 0),
            "The program reached its end; what it registered with atexit did not end within 0.7 seconds",
        ),
        (
            "thread",
            "program-time",
            (4,),
            "The program reached its end, but a thread that it started did not end within 0.7 seconds",
        ),
    ],
)
def test_a_program_that_does_not_end_well_is_told_alone(ended, name, rule, line, text):
    found = said(ended[name])
    assert (found[0], found[2]) == (rule, text)
    assert found[1] in line


@pytest.mark.case(number="C16")
@pytest.mark.case(number="C26")
def test_a_good_program_beside_bad_ones_is_untouched(ended):
    assert outputs(ended["good"]) == ["bien\n"]


@pytest.mark.case(number="C16")
@pytest.mark.case(number="C26")
def test_what_was_printed_before_the_end_is_kept(ended):
    assert [ended[name].result.cells[0].output for name in ("loop", "exit-3", "os-exit")] == ["antes\n"] * 3
    assert len(ended["flood"].result.cells[0].output) <= 200_001


@pytest.mark.case(number="C26")
def test_exit_0_ends_a_program_in_good_order(ended):
    assert outputs(ended["exit-0"]) == ["antes\n", ""]


def test_the_place_of_an_endless_call_is_told_with_its_caller(ended):
    assert failure(ended["sleep"]).traceback == (
        '  File "snippets/es/demo/sleep.py", line 6, in <module>\n'
        '  File "snippets/es/demo/sleep.py", line 4, in espera'
    )


def test_a_thread_without_end_has_a_cure_of_its_own(ended):
    assert "daemon=True" in failure(ended["thread"]).cure
    assert "in espera" in failure(ended["thread"]).traceback


def test_endless_recursion_has_a_short_traceback(ended):
    assert len(failure(ended["recursion"]).traceback.splitlines()) < 15


# -- processes --

DAEMON = """
    import os, sys, time
    from pathlib import Path
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            Path({note!r}).write_text(str(os.getpid()))
            time.sleep(60)
        os._exit(0)
    os.wait()
    while not Path({note!r}).exists() or not Path({note!r}).read_text():
        time.sleep(0.01)
    """


def daemon(note: Path, then: str) -> str:
    """A program that leaves a daemon behind (two forks, a session of its own), and then does something."""
    return "# %% one processes=true\n" + textwrap.dedent(DAEMON.format(note=str(note))) + then


@linux
@pytest.mark.parametrize(
    "then", ["print('fin')", "os._exit(0)", "os.kill(os.getpid(), 9)", "1/0", "while True: pass"]
)
def test_what_a_program_started_ends_with_it(project, tmp_path, then):
    """Seen: a daemon (setsid, two forks) outlived the build."""
    note = tmp_path / "pid"
    name = project.program("a", daemon(note, then))
    with Runner(project.project, limits=Limits(seconds=1)) as runner:
        runner.begin([project.job(name)]).finish()
        assert not alive(int(note.read_text()))


@linux
def test_orphans_of_one_program_are_left_to_it_while_it_runs(project, tmp_path):
    """The end of another program must not end the daemon of one that still runs."""
    note = tmp_path / "pid"
    first = project.program(
        "a",
        daemon(
            note,
            textwrap.dedent(f"""
        time.sleep(0.5)
        state = Path(f"/proc/{{Path({str(note)!r}).read_text()}}/stat").read_text().rpartition(")")[2].split()
        print(state[0] != "Z", int(state[1]) == os.getpid())
        """),
        ),
    )
    others = [
        project.program(f"b{number}", "# %% one processes=true\nimport os\nos._exit(1)")
        for number in range(5)
    ]
    with Runner(project.project, workers=2) as runner:
        runs = runner.begin([project.job(name) for name in [first, *others]]).finish()
    assert outputs(runs[first]) == ["True True\n"]


CALLER = """
    import sys
    from pathlib import Path
    from lessonkit.project import Project
    from lessonkit.programs import run_programs
    from lessonkit.runner import Job, Runner
    from lessonkit.snippets import read_snippet
    project = Project(Path(sys.argv[1]))
    with Runner(project) as runner:
        print(runner._scratch_folder(), flush=True)
        jobs = [Job(read_snippet(project, name)) for name in project.programs()]
        running = run_programs(project, runner, jobs)
        running.finish()
    """


def start_caller(project):
    caller = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CALLER), project.root],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
        start_new_session=True,
    )
    return caller, Path(caller.stdout.readline().strip())


@linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_when_the_caller_ends_everything_ends(project, tmp_path, number):
    note = tmp_path / "pid"
    own = tmp_path / "own"
    project.program(
        "a",
        daemon(note, f"Path({str(own)!r}).write_text(f'{{os.getpid()}} {{os.getppid()}}')\ntime.sleep(60)"),
    )
    project.program("b", "print('fertig')")
    caller, scratch = start_caller(project)
    try:
        wait_until(lambda: own.exists() and own.read_text(), 10)
        os.killpg(caller.pid, number)  # as a terminal does
        _, errors = caller.communicate(timeout=10)
    finally:
        caller.kill()
        caller.wait()
    processes = [int(note.read_text()), *map(int, own.read_text().split())]
    wait_until(lambda: not any(map(alive, processes)))
    wait_until(lambda: not scratch.exists())
    if number == signal.SIGINT:
        assert "KeyboardInterrupt" in errors
    assert not list(project.root.glob(".cache/results/*")), "an interrupted build stores nothing"


@linux
def test_when_the_zygote_is_killed_everything_ends(project, tmp_path):
    note, own = tmp_path / "pid", tmp_path / "own"
    project.program(
        "a",
        daemon(
            note,
            f"""
own = Path({str(own)!r})
again = own.exists()
own.write_text(f"{{os.getpid()}} {{os.getppid()}}")
time.sleep(0 if again else 60)
""",
        ),
    )
    with Runner(project.project) as runner:
        batch = runner.begin([project.job("a")])
        wait_until(lambda: own.exists() and own.read_text(), 10)
        first, (program, zygote) = int(note.read_text()), map(int, own.read_text().split())
        note.unlink()
        os.kill(zygote, signal.SIGKILL)
        wait_until(lambda: not alive(program))
        assert outputs(batch.finish()[project.name("a")]) == [""], "it runs again, in another zygote"
        assert not alive(first)


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import subprocess\nsubprocess.run(['ls', '-l'])", "ls -l"),
        ("import os\nos.system('ls')", "ls"),
        ("import os\nos.fork()", "os.fork()"),
        ("import os\nos.posix_spawn('/bin/ls', ['ls'], {})", "/bin/ls"),
        ("import os\nos.execv('/bin/ls', ['ls'])", "/bin/ls"),
        ("import os\nos.forkpty()", "a terminal"),
        (
            "import multiprocessing\nmultiprocessing.get_context('fork').Process(target=print).start()",
            "os.fork()",
        ),
        (
            "import multiprocessing\nmultiprocessing.get_context('spawn').Process(target=print).start()",
            "multiprocessing",
        ),
    ],
)
def test_processes_are_refused(run, code, what):
    rule, line, text = said(run(code))
    assert (rule, line, text) == ("program-process", 2, f"The program starts a process ({what})")


def test_a_library_that_can_do_without_a_process_goes_on(run):
    found = run("import subprocess\ntry:\n    subprocess.run(['ls'])\nexcept OSError:\n    print('sin ls')")
    assert outputs(found) == ["sin ls\n"]


def test_declared_processes_print_in_order(run):
    found = run("""
        # %% one processes=true
        import subprocess, sys
        print("antes")
        subprocess.run([sys.executable, "-c", "print('hijo')"], check=True)
        print("después", end="")
        subprocess.run([sys.executable, "-c", "import os; os.write(1, b'.')"], check=True)
        # %% two
        try:
            subprocess.run(["ls"])
        except OSError as error:
            print(error)
        """)
    assert outputs(found) == ["antes\nhijo\ndespués.", "The program starts a process (ls)\n"]


def test_a_program_may_not_replace_itself(run):
    assert said(run("# %% one processes=true\nimport os\nos.execv('/bin/true', ['true'])"))[:2] == (
        "program-process",
        3,
    )


# -- what is printed --


@pytest.mark.case(number="C82")
@pytest.mark.case(number="C81")
def test_c_and_python_and_bytes_are_captured(run):
    found = run("""
        import ctypes, os, sys
        ctypes.CDLL(None).printf(b"from C\\n")
        # %% two
        sys.stdout.buffer.write("по байтам\\n".encode())
        print("\\x1b[31mrojo\\x1b[0m")
        for i in range(1000): print(i, end="\\r")
        # %% three
        sys.stdout = open(os.devnull, "w")
        print("nada")
        sys.stdout = sys.__stdout__
        print("algo", end="")
        """)
    assert outputs(found) == ["from C\n", "по байтам\nrojo\n999", "algo"]


def test_bytes_that_are_no_text_fail(run):
    assert said(run("import sys\n# %% one\nsys.stdout.buffer.write(b'ni\\xf1o')")) == (
        "program-bytes",
        3,
        "This cell prints bytes that are not UTF-8: b'ni\\xf1o'",
    )


@pytest.mark.case(number="C28")
def test_stderr_fails_unless_the_cell_says_what_to_do(run):
    warned, printed, thread = run.together(
        """
        import warnings
        print(1)

        def f():
            warnings.warn('cuidado')

        f()
        print(2)
        # %% later
        print('nunca')
        """,
        "import sys\n\n\nsys.stderr.write('uy\\n\\n')",
        "import threading\nt = threading.Thread(target=lambda: 1/0)\nt.start(); t.join()",
    )
    assert said(warned) == (
        "program-stderr",
        5,
        f"This cell writes to stderr: {place(run, -2)}:5: UserWarning: cuidado",
    )
    assert [cell.output for cell in warned.result.cells] == ["1\n2\n"]
    assert failure(warned).traceback.endswith("warnings.warn('cuidado')")
    assert said(printed) == ("program-stderr", 4, "This cell writes to stderr: uy")
    assert failure(thread).rule == "program-stderr"
    assert "ZeroDivisionError" in failure(thread).traceback


def place(run, back=0):
    return f"snippets/es/demo/p{run._count + back}.py"


@pytest.mark.case(number="C28")
def test_shown_stderr_stands_in_order(run):
    """Seen: stdout is buffered when it is no terminal, so warnings stood before what was printed first."""
    found = run("""
        # %% one stderr=show
        import logging, os, sys, warnings
        print("uno")
        warnings.warn("cuidado")
        print("dos", end=" ")
        sys.stderr.write("tres ")
        os.write(1, b"cuatro ")
        os.write(2, b"cinco\\n")
        logging.warning("seis")
        print("siete")
        # %% two stderr=hide
        warnings.warn("oculto")
        print("ocho")
        """)
    assert outputs(found) == [
        f'uno\n{place(run)}:4: UserWarning: cuidado\n  warnings.warn("cuidado")\n'
        "dos tres cuatro cinco\nWARNING:root:seis\nsiete\n",
        "ocho\n",
    ]


@pytest.mark.case(number="C82")
def test_progress_on_shown_stderr_keeps_its_last_state(run):
    found = run(
        """
        # %% one stderr=show
        import sys
        for i in range(9): print(f"\\r{i}", end="", file=sys.stderr)
        print()
        """
    )
    assert outputs(found) == ["8\n"]


@pytest.mark.case(number="C86")
@pytest.mark.parametrize(
    "code",
    [
        "print(__file__)",
        "import os\nprint(os.getcwd())",
        "import sys\nprint(sys.executable)",
        "import numpy\nprint(numpy.__file__)",
        "import tempfile\nprint('en', tempfile.gettempdir() + '/x')",
        "import json\nprint(f'<{json.__file__!r}>')",
        """
        # %% one stderr=show
        import json, traceback
        try:
            json.loads("")
        except ValueError:
            traceback.print_exc()
        """,
    ],
)
def test_paths_of_this_machine_are_not_published(run, code):
    """Seen: the builder's home folder and user name on the public site."""
    rule, _, text = said(run(code))
    assert rule == "machine-path"
    assert text.startswith("This cell prints a path of this machine: /")
    assert not re.search(r"[\s'\">]", text.rpartition("machine: ")[2])


@pytest.mark.case(number="C86")
def test_failures_name_no_path_of_this_machine(run):
    run.project.write("snippets/es/demo/ayuda.py", "def f(x):\n    return open(__file__ + x)\n")
    found = failure(run("import ayuda\n\nayuda.f('.no')"))
    assert (
        found.text == "FileNotFoundError: [Errno 2] No such file or directory: 'snippets/es/demo/ayuda.py.no'"
    )
    assert found.line == 3
    assert found.traceback == textwrap.dedent(f"""\
        Traceback (most recent call last):
          File "{place(run)}", line 3, in <module>
            ayuda.f('.no')
          File "snippets/es/demo/ayuda.py", line 2, in f
            return open(__file__ + x)
        FileNotFoundError: [Errno 2] No such file or directory: 'snippets/es/demo/ayuda.py.no'""")
    broken = failure(run("import json\njson.loads('{')"))
    assert str(run.project.root) not in broken.traceback
    assert sys.prefix not in broken.traceback
    assert broken.line == 2


# -- errors --


def test_an_error_is_told_with_line_and_cure(run):
    found = run("print('antes')\n# %% two\nx = 0\n1 / x\n# %% three\nprint('nunca')")
    assert said(found) == ("program-error", 4, "ZeroDivisionError: division by zero")
    assert failure(found).cure == (
        "Mend the line; if the lesson means to show this error, declare it with raises=ZeroDivisionError."
    )
    assert [cell.output for cell in found.result.cells] == ["antes\n", ""]


def test_a_missing_module_is_told(run):
    rule, line, text = said(run("x = 1\nimport no_such_module"))
    assert (rule, line, text) == ("program-error", 2, "ModuleNotFoundError: No module named 'no_such_module'")


def test_a_cell_that_is_no_whole_statement_is_told(run):
    rule, line, _ = said(run("x = 1\n# %% two\nreturn x"))
    assert (rule, line) == ("program-syntax", 3)


@pytest.mark.case(number="C31")
def test_a_planned_error_is_shown_and_the_program_goes_on(run):
    found = run("""
        import numpy as np

        def divide(a, b):
            return a / b
        # %% fails raises=ZeroDivisionError
        print("antes")
        divide(1, 0)
        # %% numpy raises=np.linalg.LinAlgError
        np.linalg.inv(np.zeros((2, 2)))
        # %% leaves raises=SystemExit
        raise SystemExit(3)
        # %% more
        print("después")
        """)
    assert outputs(found) == ["antes\n", "", "", "después\n"] or outputs(found) == [
        "",
        "antes\n",
        "",
        "",
        "después\n",
    ]
    assert [cell.planned_error for cell in found.result.cells if cell.planned_error] == [
        textwrap.dedent("""\
            Traceback (most recent call last):
                divide(1, 0)
              in divide
                return a / b
            ZeroDivisionError: division by zero"""),
        textwrap.dedent("""\
            Traceback (most recent call last):
                np.linalg.inv(np.zeros((2, 2)))
            numpy.linalg.LinAlgError: Singular matrix"""),
        "Traceback (most recent call last):\n    raise SystemExit(3)\nSystemExit: 3",
    ]


@pytest.mark.parametrize("sign", ["\u2028", "\u0085", "\x0c", "\x1c"])
def test_a_planned_error_quotes_its_own_line_below_any_sign(run, sign):
    """Seen: the line above, since `str.splitlines` takes more for the end of a line than Python does."""
    found = run(f'x = "a{sign}b"  # {sign}\n# %% fails raises=ValueError\ny = 1\nint("z")\nw = 2')
    assert found.result.failure is None
    assert found.result.cells[-1].planned_error.split("\n")[1] == '    int("z")'


@pytest.mark.case(number="C31")
@pytest.mark.parametrize(
    ("code", "line", "text"),
    [
        (
            "# %% a raises=ValueError\nx = 1\nx + 'a'",
            3,
            "This cell should raise ValueError, and raises TypeError",
        ),
        ("# %% a raises=ValueError\nx = 1", 2, "This cell should raise ValueError, and raises nothing"),
        ("# %% a raises=LookupError\n[][0]", 2, "This cell should raise LookupError, and raises IndexError"),
        (
            "# %% a raises=ValueError\nraise SystemExit",
            2,
            "This cell should raise ValueError, and raises SystemExit",
        ),
    ],
)
def test_another_error_or_none_fails(run, code, line, text):
    assert said(run(code)) == ("planned-error", line, text)


# -- input --


@pytest.mark.case(number="C38")
def test_declared_answers_are_given_and_shown(run):
    found = run("""
        # %% one stdin="3"
        n = int(input("¿Cuánto? "))
        print(n * 2)
        # %% two stdin="uno\\nдва"
        import sys
        print(repr(sys.stdin.readline()), repr(sys.stdin.readline()))
        # %% three stdin="a\\nb"
        print(list(sys.stdin))
        # %% four stdin="a\\nb"
        print(repr(sys.stdin.read()))
        """)
    assert outputs(found) == [
        "¿Cuánto? 3\n6\n",
        "uno\nдва\n'uno\\n' 'два\\n'\n",
        "a\nb\n['a\\n', 'b\\n']\n",
        "a\nb\n'a\\nb\\n'\n",
    ]


@pytest.mark.case(number="C38")
@pytest.mark.parametrize(
    "code",
    [
        "n = input('Сколько? ')",
        "import sys\nsys.stdin.readline()",
        "import sys\nfor x in sys.stdin: pass",
        "try:\n    input()\nexcept EOFError:\n    print('nadie')",
    ],
)
def test_input_without_answers_fails_at_once(run, code):
    found = run("\n" + code)
    assert said(found)[0::2] == (
        "program-input",
        "The program asks for input, and nobody answers during a build",
    )
    assert found.seconds < 5


@pytest.mark.case(number="C38")
def test_too_few_or_too_many_answers_fail(run):
    assert said(run('# %% a stdin="1"\ninput()\ninput()')) == (
        "program-input",
        3,
        "The program asks for more input than the 1 declared answer",
    )
    assert said(run('# %% a stdin="1\\n2"\ninput()')) == (
        "program-input",
        2,
        "Nobody asked for the declared answer “2”",
    )


# -- files --


@pytest.mark.case(number="C34")
def test_programs_run_in_a_scratch_folder_and_read_beside_themselves(run):
    run.project.write("snippets/data/temps.csv", "1,2\n")
    before = sorted(run.project.root.rglob("*"))
    found = run("""
        from pathlib import Path
        import tempfile
        print(list(Path().iterdir()))
        Path("out.csv").write_text("x")
        Path("sub").mkdir()
        tempfile.NamedTemporaryFile(delete=False).close()
        print((Path(__file__).parent / "../../data/temps.csv").read_text(), Path("out.csv").read_text())
        """)
    assert outputs(found) == ["[]\n1,2\n x\n"]
    after = sorted(run.project.root.rglob("*"))
    assert [path.name for path in after if path not in before] == [f"p{run._count}.py"]


@pytest.mark.case(number="C34")
@pytest.mark.parametrize(
    ("action", "target"),
    [
        ("(here / 'x').write_text('')", "x"),
        ("(here / 'x').mkdir()", "x"),
        ("os.remove(__file__)", "own"),
        ("(here / 'x').touch()", "x"),
        ("os.rename(__file__, 'x')", "own"),
        ("open('x', 'w').close(); shutil.copy('x', here / 'y')", "y"),
        ("os.chmod(__file__, 0)", "own"),
        ("open('x', 'w').close(); os.replace('x', here / 'z')", "z"),
        ("os.chdir(here); open('x', 'a')", "x"),
        ("os.symlink('a', here / 'l')", "l"),
        ("import sqlite3; os.open(here / 'db', os.O_CREAT | os.O_RDWR)", "db"),
        ("os.truncate(__file__, 0)", "own"),
    ],
)
def test_nothing_is_written_into_the_checkout(run, action, target):
    rule, line, text = said(
        run(f"import os, shutil\nfrom pathlib import Path\nhere = Path(__file__).parent\n{action}")
    )
    own = place(run)
    assert (rule, line, text) == (
        "program-write",
        4,
        f"The program writes {own if target == 'own' else 'snippets/es/demo/' + target}",
    )
    assert (run.project.root / own).exists()


@pytest.mark.parametrize(
    "target", ["Path.cwd().parents[1]", "Path.cwd().parent", "Path.cwd().parents[2] / 'other'"]
)
def test_a_program_cannot_remove_its_neighbours_folders(run, target):
    """Seen: `rmtree` of the folder above took the results of all programs that ran at the time."""
    waits = "import time\ntime.sleep(0.3)\nopen('a', 'w').close()\nprint('bien')"
    removes = f"import shutil\nfrom pathlib import Path\nshutil.rmtree({target}, ignore_errors=True)"
    bad, good = run.together(removes, waits)
    assert said(bad) == (
        "program-write",
        3,
        "The program removes what lies outside of its scratch folder",
    )
    assert outputs(good) == ["bien\n"]


@pytest.mark.parametrize("step", ["os.remove('../out')", "os.rename('../../1', 'x')", "os.rmdir('../../1')"])
def test_a_program_may_remove_only_what_is_its_own(run, step):
    assert said(run(f"import os\n{step}"))[:2] == ("program-write", 2)
    assert outputs(run("import os\nos.mkdir('x')\nos.rename('x', '../tmp/y')\nos.rmdir('../tmp/y')")) == [""]


@linux
def test_removing_relative_to_an_open_folder_is_seen(run):
    code = """
        import os
        from pathlib import Path
        Path("sub").mkdir()
        Path("sub/a").touch()
        os.remove("a", dir_fd=os.open("sub", os.O_RDONLY))
        os.remove("keep.txt", dir_fd=os.open(Path(__file__).parent, os.O_RDONLY))
        """
    kept = run.project.write("snippets/es/demo/keep.txt", "")
    assert said(run(code)) == ("program-write", 6, "The program writes snippets/es/demo/keep.txt")
    assert kept.exists()


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import builtins\nbuiltins.open = None\nimport os\nos.open = os.write = None", "builtins.open"),
        ("import os\nos.path.join = None", "os.path.join"),
        ("import sys\nsys.modules.clear()", "sys.modules"),
    ],
)
def test_a_program_that_changes_python_itself_is_told(run, code, what):
    """Seen: "ended at once with status 70, by os._exit or in C code"."""
    rule, line, text = said(run(code + "\nx = [1]\n", "x[0]"))
    assert (rule, line) == ("program-error", 0)
    assert text.startswith("The program changed Python itself (")
    assert what in text


@pytest.mark.parametrize("module", ["random", "numpy"])
def test_a_file_that_hides_a_module_is_told(project, runner, module):
    name = project.program("a", f"import {module}\nprint(1)")
    assert outputs(runner.begin([project.job(name)]).finish()[name]) == ["1\n"]
    project.write(f"snippets/es/demo/{module}.py", "x = 1\n")
    found = runner.begin([project.job(name)]).finish()[name]
    assert said(found) == (
        "program-name",
        0,
        f"snippets/es/demo/{module}.py hides the module {module}, which is imported by that name",
    )


# -- questions --


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1", Value(numbers=(1,))),
        ("0.1 + 0.2", Value(numbers=(0.1 + 0.2,))),
        ("[1, (2, 3.5), range(2)]", Value(numbers=(1, 2, 3.5, 0, 1))),
        ("np.arange(4).reshape(2, 2)", Value(numbers=(0, 1, 2, 3))),
        ("np.float32(0.1)", Value(numbers=(0.10000000149011612,))),
        ("np.int8(3)", Value(numbers=(3,))),
        ("10 ** 30", Value(numbers=(10**30,))),
        (
            "[1, -(10**5000)]",
            Value(
                error="it is a number of about 5001 digits, too long for a page (at most 1000): "
                "ask for its logarithm, or for a part"
            ),
        ),
        ("np.longdouble(0.5)", Value(numbers=(0.5,))),
        ("'año'", Value(text="año")),
        ("np.str_('я')", Value(text="я")),
        ("tensor", Value(numbers=(1.0, 2.0))),
        ("[tensor, 3]", Value(numbers=(1.0, 2.0, 3))),
        ("[float('inf'), -np.inf]", Value(numbers=(float("inf"), float("-inf")))),
        ("True", Value(error="it is True, a truth value: write int(…) to show it as 0 or 1")),
        ("np.bool_(1)", Value(error="it holds truth values: write .astype(int) to show them as 0 and 1")),
        ("1j", Value(error="it is of the type complex, neither a number nor a text")),
        ("np.array([1j])", Value(error="it is an array of complex128, not of numbers")),
        ("{}", Value(error="it is of the type dict, neither a number nor a text")),
        ("None", Value(error="it is None: the expression gives nothing")),
        (
            "np.zeros(10_001)",
            Value(error="it holds 10001 numbers, more than 10000: ask for the part that the page shows"),
        ),
        ("w", Value(error="NameError: name 'w' is not defined")),
        ("1 +", Value(error="SyntaxError: invalid syntax")),
        ("1/0", Value(error="ZeroDivisionError: division by zero")),
        ("exit(0)", Value(error="SystemExit: 0")),
        ("print(1) or 1", Value(error="it prints something, which is an effect: ask for a value")),
        ("sys.stderr.write('x')", Value(error="it prints something, which is an effect: ask for a value")),
        ("(y := 3)", Value(error="it assigns with :=, which has an effect on the program")),
        ("globals().update(y=1) or 1", Value(error="it changes the program's variables")),
        ("next(counter)", Value(error="it gives another value each time (0, then 1)")),
        ("input()", Value(error="NoInput: the program asks for input, and its cell declares no answers")),
        ("os.system('ls')", Value(error="Refused: The program starts a process (ls)")),
    ],
)
def test_questions(asked, expression, value):
    assert asked.value(0, expression) == value


@pytest.fixture(scope="module")
def asked(run):
    code = """
        # %% one processes=true
        import itertools, os, sys
        import numpy as np
        class Tensor: data = np.array([1.0, 2.0])
        tensor, counter = Tensor(), itertools.count()
        # %% two
        print("nothing of the questions")
        """
    mark = next(mark for mark in test_questions.pytestmark if mark.name == "parametrize")
    found = run(code, *((0, expression) for expression, _ in mark.args[1]))
    assert outputs(found) == ["", "nothing of the questions\n"]
    assert found.dependencies is None, "questions without answer are asked again in the next build"
    return found.result


EFFECTS = {
    "lst.sort() or lst[0]": 1,
    "lst.append(5) or 3": 3,
    "rng.permutation(3).sum()": 3,
    "len(plt.plot([1, 2]))": 1,
    "len([vis.bars([1.0, 2.0])])": 1,
    "random.seed(1) or 1": 1,
    "np.random.seed(3) or 1": 1,
    "box.items.append(1) or 1": 1,
    "matrix.fill(7) or 2": 2,
}


@pytest.mark.parametrize("start", ["fork", "spawn"] if sys.platform == "linux" else ["spawn"])
def test_an_expression_with_an_effect_is_told_and_in_a_fork_reaches_nothing(project, start):
    """Seen: the effect did not show in the expression's own value, and the next cell printed another one."""
    project.use_libraries("vis")
    name = project.program(
        "a",
        """
        import random
        import matplotlib.pyplot as plt
        import numpy as np
        import vis
        class Box: items = [1]
        lst, rng, box, matrix = [2, 1], np.random.default_rng(0), Box(), np.zeros(2)
        box.items = [0]
        random.seed(5)
        np.random.seed(5)
        # %% after
        print(lst, rng.integers(9, size=4), box.items, matrix, random.random(), np.random.rand())
        """,
    )
    job = project.job(name, *((0, expression) for expression in EFFECTS), (0, "lst[0]"))
    with Runner(project.project, start=start) as runner:
        plain = runner.begin([project.job(name)]).finish()[name]
        found = runner.begin([job]).finish()[name]
    told = "it changes the program's data, random numbers or figures: "
    for expression in EFFECTS:
        value = found.result.value(0, expression)
        assert value.error is not None, expression
        assert value.error.startswith(told), (expression, value)
    if start == "fork":
        assert outputs(found) == outputs(plain)
        assert found.result.cells[1].figures == ()
        assert found.result.value(0, "lst[0]") == Value(numbers=(2,))


def test_questions_that_only_read_leave_no_doubt(run):
    """Libraries fill caches when they are read: that is no effect, and costs no second process."""
    code = """
        import functools, matplotlib.pyplot as plt, numpy as np
        fig, ax = plt.subplots()
        line, = ax.plot([1, 2])
        parts = {"w": np.arange(6.0).reshape(2, 3), "f": lambda x: x, "again": [fig]}
        parts["self"] = parts
        @functools.lru_cache
        def f(x): return x
        """
    questions = ["line.get_path().get_extents().x1", "f(2)", "parts['w'].T[0]", "ax.get_position().x0 > 2 or 1"]
    found = run(code, *questions)
    assert [value.error for _, value in found.result.cells[0].values] == [None] * 4
    assert found.dependencies is not None


def test_files_that_an_expression_uses_belong_to_the_key(run):
    run.project.write("snippets/data/asked.txt", "7")
    run.project.write("snippets/es/demo/later.py", "x = 8")
    found = run(
        "from pathlib import Path\ndata = Path(__file__).parent / '../../data'",
        "int((data / 'asked.txt').read_text())",
        "__import__('later').x",
    )
    assert [value for _, value in found.result.cells[0].values] == [Value(numbers=(8,)), Value(numbers=(7,))]
    assert {"snippets/data/asked.txt", "snippets/es/demo/later.py"} <= set(found.dependencies.files)


@pytest.mark.parametrize(
    ("expression", "rule", "text"),
    [
        ("os._exit(3)", "program-exit", "ended at once with status 3, by os._exit or in C code"),
        ("ctypes.string_at(0)", "program-crash", "crashed (segmentation fault, SIGSEGV)"),
    ],
)
def test_an_expression_that_ends_the_process_is_told(run, expression, rule, text):
    found = said(run("import ctypes, os", expression))
    assert found == (rule, 1, f"The expression “{expression}” that a page asks for {text}")


def test_nan_is_a_number(run):
    value = run("x = float('nan')", "x").result.value(0, "x")
    assert value.numbers is not None
    assert value.numbers[0] != value.numbers[0]


@pytest.mark.parametrize("start", ["fork", "spawn"] if sys.platform == "linux" else ["spawn"])
@pytest.mark.parametrize("endless", ["f()", "sum(iter(int, 1))"])
def test_a_question_without_end_is_told(project, start, endless):
    name = project.program("a", "x = 1\n# %% two\ndef f():\n    while True: pass\n")
    with Runner(project.project, start=start, limits=Limits(seconds=1.5)) as runner:
        found = runner.begin([project.job(name, (0, "x"), (1, endless), (1, "x"))]).finish()[name]
    assert said(found) == (
        "program-time",
        3,
        f"The expression “{endless}” that a page asks for did not end within 1.5 seconds",
    )
    assert failure(found).cure == "Let the program compute it, or ask for something smaller."


# -- figures --


@pytest.mark.case(number="C37")
def test_figures_come_once_at_the_end_of_their_cell(run):
    """Seen: figures closed too early, shown twice or under another cell; warnings about windows."""
    several, shown, closed, many = run.together(
        """
        import matplotlib.pyplot as plt
        fig, ax = plt.subplots(figsize=(1, 1))
        ax.plot([1, 2])
        # %% adds
        plt.figure(figsize=(1, 1))
        # %% prints
        print("solo texto")
        """,
        "import matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1))\nplt.show()\nplt.show()",
        "import matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1))\nplt.savefig('x.svg')\nplt.close()",
        "import matplotlib.pyplot as plt\nfor _ in range(25): plt.figure(figsize=(0.1, 0.1))",
    )
    assert [
        [len(cell.figures) for cell in found.result.cells] for found in (several, shown, closed, many)
    ] == [[1, 1, 0], [1], [0], [25]]
    assert [outputs(found)[-1] for found in (several, shown, closed, many)] == ["solo texto\n", "", "", ""]
    assert all(
        figure.lstrip().startswith("<?xml") or "<svg" in figure for figure in several.result.cells[0].figures
    )


@pytest.mark.case(number="C56")
def test_a_figure_that_cannot_be_drawn_or_lacks_a_letter_fails(run):
    broken, glyph = run.together(
        "import matplotlib.pyplot as plt\nplt.title('$\\\\nosuch$')",
        "import matplotlib.pyplot as plt\nplt.title('\\U0001F9FF')",
    )
    assert failure(broken).rule == "program-figure"
    assert failure(glyph).rule == "program-stderr"
    assert "Glyph" in failure(glyph).text


# -- the runner --


def test_begin_returns_at_once_and_jobs_keep_their_order(project, runner):
    for name in "cab":
        project.program(name, f"import time\ntime.sleep(0.3)\nprint('{name}')")
    start = time.monotonic()
    batch = runner.begin([project.job(name) for name in "cab"])
    other = runner.begin([project.job("a")])
    assert time.monotonic() - start < 0.3
    progress = Progress(io.StringIO(), 3)
    assert outputs(other.finish()[project.name("a")]) == ["a\n"]
    runs = batch.finish(progress)
    assert [name.name for name in runs] == ["c", "a", "b"]
    assert progress.line().startswith("3 of 3 programs ran · slowest so far: ")


def test_a_cancelled_batch_ends(project, runner):
    project.program("a", "import time\ntime.sleep(60)")
    batch = runner.begin([project.job("a")])
    batch.cancel()
    assert batch.finish() == {}
    project.program("b", "print(1)")
    start = time.monotonic()
    assert outputs(runner.begin([project.job("b")]).finish()[project.name("b")]) == ["1\n"]
    assert time.monotonic() - start < 10


def test_no_jobs_start_no_process(runner):
    assert runner.begin([]).finish() == {}
    assert runner._process is None


def test_a_runner_that_cannot_start_says_why(project, runner, monkeypatch):
    project.program("a", "print(1)")
    monkeypatch.setattr(runner_module, "SCRIPT", project.write("broken.py", "raise SystemExit('no hay pan')"))
    with pytest.raises(RunnerError, match="no hay pan"):
        runner.begin([project.job("a")]).finish()


def test_another_version_of_a_library_starts_another_zygote(project, runner, monkeypatch):
    name = project.program("a", "import os\nprint(os.getppid())")
    first = runner.begin([project.job(name)]).finish()[name]
    second = runner.begin([project.job(name)]).finish()[name]
    monkeypatch.setattr(runner_module, "python_digest", lambda: "numpy 99")
    third = runner.begin([project.job(name)]).finish()[name]
    assert outputs(first) == outputs(second) != outputs(third)


@pytest.mark.case(number="C54")
def test_the_containers_share_limits_the_workers(tmp_path):
    """Seen: as many workers as the host has cores, in a container with two."""
    tree = tmp_path / "cgroup"
    (tree / "a/b").mkdir(parents=True)
    (tree / "a/cpu.max").write_text("150000 100000\n")
    (tree / "a/b/cpu.max").write_text("max 100000\n")
    groups = tmp_path / "groups"
    groups.write_text("0::/a/b\n")
    assert runner_module._container_share(groups, tree) == 1.5
    (tree / "a/cpu.max").write_text("max 100000\n")
    assert runner_module._container_share(groups, tree) is None
    (tree / "cpu,cpuacct/x").mkdir(parents=True)
    (tree / "cpu,cpuacct/x/cpu.cfs_quota_us").write_text("50000\n")
    (tree / "cpu,cpuacct/x/cpu.cfs_period_us").write_text("100000\n")
    groups.write_text("9:name=systemd:/\n5:cpuset:/x\n4:cpu,cpuacct:/x\n")
    assert runner_module._container_share(groups, tree) == 0.5
    assert runner_module.available_cores() >= 1


@pytest.mark.case(number="C54")
def test_as_many_programs_at_once_as_workers(project):
    for number in range(6):
        project.program(f"p{number}", "import time\ntime.sleep(0.3)\nprint(time.time() - 0.3, time.time())")
    with Runner(project.project, workers=3) as runner:
        runs = runner.begin([project.job(name) for name in project.project.programs()]).finish()
    spans = [tuple(map(float, outputs(found)[0].split())) for found in runs.values()]
    at_once = [sum(start <= moment < end for start, end in spans) for moment, _ in spans]
    assert max(at_once) == 3


def test_job_and_results_are_plain_data():
    assert CellResult() == CellResult()
    assert Job.__hash__ is not None


# -- time on a busy machine --


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the clock decides")
def test_a_program_that_gets_half_a_core_is_given_twice_the_time_and_one_that_waits_is_not(monkeypatch):
    from lessonkit import zygote

    def over(computed: float | None, elapsed: float) -> bool:
        monkeypatch.setattr(zygote, "computing_seconds", lambda process: computed)
        return zygote.is_over_time(1, elapsed, 60)

    assert not over(30, 59)
    assert not over(30, 90)  # it computes, on half a core
    assert over(61, 90)
    assert over(2, 61)  # it waits
    assert over(59, 241)
    assert over(None, 61)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_computing_seconds_are_those_of_the_processor():
    from lessonkit.zygote import computing_seconds

    process = subprocess.Popen([sys.executable, "-c", "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass\nprint(flush=True)\ntime.sleep(60)"], stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        assert 0.4 <= computing_seconds(process.pid) < 1.5
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert computing_seconds(process.pid) is None


def test_libraries_loaded_ahead_change_no_result(project):
    project.program("drawn", "import matplotlib.pyplot as plt\nplt.bar([0, 1], [2, 1])\nprint(1)")
    job = project.job("drawn")
    results = []
    for ahead in (True, False):
        with Runner(project.project) as runner:
            if ahead:
                runner.load_libraries()
                assert runner._process.poll() is None
            results.append(runner.begin([job]).finish()[job.snippet.name].result)
    assert results[0] == results[1]
    assert results[0].failure is None
    assert len(results[0].cells[0].figures) == 1
