"""Results kept between builds: never stale, never damaged, never in the way."""

from __future__ import annotations

import errno
import logging
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from lessonkit import cache, programs, versions
from lessonkit import entries as entry_files
from lessonkit.cache import ResultStore, result_key
from lessonkit.dependencies import Dependencies, Snapshot
from lessonkit.entries import KEPT_FOR, TOUCHED_EVERY, EntryStore, _head
from lessonkit.journal import Run
from lessonkit.programs import run_programs
from lessonkit.results import CellResult, Failure, Result, Value
from lessonkit.runner import Limits, Runner

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture(autouse=True)
def _engine_at_rest(monkeypatch):
    """Whoever edits the engine while its tests run would else see nothing stored."""
    monkeypatch.setattr(programs, "engine_changed", lambda: False)


def entries(project):
    return sorted((project.root / ".cache/results").glob("*"))


def shown(result):
    assert result.failure is None, result.failure
    return "".join(cell.output for cell in result.cells)


@pytest.fixture
def one(project):
    """A program with output, a value and a figure, without the cost of matplotlib."""
    project.write("snippets/es/demo/ayuda.py", "x = 1\n")
    project.program("a", "import ayuda\nprint('año', ayuda.x)\n# %% two\nprint(2)")
    return project.job("a", (0, "[ayuda.x, float('nan')]"), (1, "'π'"))


# -- what makes a result old --


def test_a_stored_result_is_the_same_and_costs_no_run(project, runner, one):
    cold, ran = project.build(runner, one)
    assert ran == ["es/demo/a"]
    runner.stop()
    warm, ran = project.build(runner, one)
    assert ran == []
    assert runner._process is None, "nothing to run starts nothing"
    assert repr(warm) == repr(cold)  # repr: NaN differs from itself
    assert warm["es/demo/a"].value(1, "'π'") == Value(text="π")


@pytest.mark.case(number="C01")
def test_a_changed_helper_of_a_helper_runs_only_those_who_use_it(project, runner):
    """Seen: notebooks were keyed on their own cells only, and a changed helper kept its old results."""
    project.write("snippets/es/demo/_uno.py", "from _dos import f\n")
    project.write("snippets/es/demo/_dos.py", "def f(x): return x + 1\n")
    project.program("a", "from _uno import f\nprint(f(2))")
    project.program("b", "print('b')")
    assert [shown(result) for result in project.build(runner)[0].values()] == ["3\n", "b\n"]
    project.write("snippets/es/demo/_dos.py", "def f(x): return x + 5\n")
    results, ran = project.build(runner)
    assert ([shown(result) for result in results.values()], ran) == (["7\n", "b\n"], ["es/demo/a"])


def test_what_the_pages_ask_belongs_to_the_key(project, runner, one):
    project.build(runner, one)
    other = project.job("a", (0, "ayuda.x + 1"))
    results, ran = project.build(runner, other)
    assert ran == ["es/demo/a"]
    assert results["es/demo/a"].value(0, "ayuda.x + 1") == Value(numbers=(2,))
    assert project.build(runner, one)[1] == project.build(runner, other)[1] == []


@pytest.mark.case(number="C17")
@pytest.mark.parametrize("what", ["version", "sys.version", "engine"])
def test_another_python_library_or_engine_runs_everything(project, runner, one, monkeypatch, what):
    """Seen: results of an environment that no longer existed were published."""
    monkeypatch.setattr(versions, "_distributions", lambda: ["numpy-1.26.4.dist-info"])
    project.build(runner, one)
    assert project.build(runner, one)[1] == []
    if what == "version":
        monkeypatch.setattr(versions, "_distributions", lambda: ["numpy-2.4.6.dist-info"])
    elif what == "sys.version":
        monkeypatch.setattr(sys, "version", "3.99")
    else:
        monkeypatch.setattr(cache, "engine_digest", lambda: "edited")
    assert project.build(runner, one)[1] == ["es/demo/a"]


@pytest.mark.case(number="C17")
def test_installed_packages_are_seen(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    before = versions.python_digest()
    (tmp_path / "numpy-9.9.dist-info").mkdir()
    assert versions.python_digest() != before


def test_an_engine_edited_meanwhile_stores_nothing(project, runner, one, monkeypatch):
    """A server that runs old code must not write under the new code's key, nor the other way round."""
    monkeypatch.setattr(programs, "engine_changed", lambda: True)
    project.build(runner, one)
    assert entries(project) == []


def test_an_edited_engine_is_seen(monkeypatch, tmp_path):
    for name in ("versions.py", "builder.py"):
        (tmp_path / name).write_text("x = 1\n")
    monkeypatch.setattr(versions, "__file__", str(tmp_path / "versions.py"))
    loaded = versions._digest_engine()
    monkeypatch.setattr(versions, "engine_digest", lambda: loaded)
    monkeypatch.setattr(versions, "_TIMES", versions._engine_times())
    assert not versions.engine_changed()
    os.utime(tmp_path / "builder.py", ns=(0, 0))
    assert not versions.engine_changed()  # saved again as it was
    (tmp_path / "builder.py").write_text("x = 2\n")
    assert versions.engine_changed()
    (tmp_path / "builder.py").write_text("x = 1\n")
    (tmp_path / "new.py").write_text("")
    assert versions.engine_changed()


def test_what_was_read_is_remembered_until_it_changes(project, runner):
    """For `mkdocs serve`: results with figures are megabytes, and each build needs all of them."""
    project.program("causal", "import shift\nprint(shift.BY)\n")
    project.program("shift", "BY = 1\n")
    jobs = [project.job("causal")]
    store = ResultStore(project.project.cache / "results")

    def build():
        running = run_programs(project.project, runner, jobs, store=store)
        return running.ran, next(iter(running.finish().values()))

    assert len(build()[0]) == 1
    ran, first = build()
    assert ran == ()
    for entry in (project.project.cache / "results").iterdir():
        entry.write_bytes(b"damaged")
    assert build() == ((), first)
    project.program("shift", "BY = 2\n")
    ran, second = build()
    assert (len(ran), second.cells[0].output) == (1, "2\n")


@pytest.mark.case(number="C53")
def test_line_ends_and_byte_order_mark_do_not_matter(project, runner):
    text = 'print("año")\nx = """a\nb"""\nprint(repr(x))\n'
    project.write("snippets/es/demo/a.py", text.encode())
    plain = project.job("a")
    results, _ = project.build(runner, plain)
    for data in (
        text.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + text.encode(),
        text.replace("\n", "\r\n", 2).encode()[:-1],
    ):
        project.write("snippets/es/demo/a.py", data)
        again = project.job("a")
        if data.endswith(b"\n"):
            assert result_key(again, "") == result_key(plain, "")
        assert project.build(runner, again, fresh=True)[0] == results


@pytest.mark.case(number="C18")
def test_a_forced_run_runs_and_stores(project, runner):
    name = project.program("a", "import time\nprint(time.time_ns())")
    first, _ = project.build(runner)
    forced, ran = project.build(runner, fresh=True)
    assert ran == [str(name)]
    assert forced != first
    assert project.build(runner) == (forced, [])


# -- what is never stored --


@pytest.mark.case(number="C18")
def test_a_failure_is_never_stored(project, runner, monkeypatch):
    """Seen: after repairing the cause outside the file (a missing package), the broken result stayed."""
    project.program("a", "import fehlt\nprint(fehlt.x)")
    project.program("b", "print('sin fin')\nwhile True: pass")
    with Runner(project.project, limits=Limits(seconds=0.5)) as impatient:
        results, _ = project.build(impatient)
    assert [result.failure.rule for result in results.values()] == ["program-error", "program-time"]
    assert entries(project) == []
    project.write("snippets/fehlt.py", "x = 'da'\n")
    results, ran = project.build(runner, project.job("a"))
    assert (shown(results["es/demo/a"]), ran) == ("da\n", ["es/demo/a"])


def test_a_question_without_answer_is_asked_again(project, runner):
    project.program("a", "x = 1")
    results, _ = project.build(runner, project.job("a", "y"))
    assert results["es/demo/a"].value(0, "y").error
    assert entries(project) == []


def test_a_program_with_faults_of_its_own_is_not_run(project, runner):
    project.program("a", "x = (\n")
    results, ran = project.build(runner)
    failure = results["es/demo/a"].failure
    assert (failure.rule, failure.line, ran) == ("program-syntax", 1, [])


# -- damage --


def damaged(data: bytes) -> dict[str, bytes]:
    return {
        "empty": b"",
        "cut": data[: len(data) // 2],
        "zeroed": bytes(len(data)),
        "tail": data[:-1] + b"!",
        "another number": data.replace(b"o 1", b"o 7"),
        "half zeroed": data[:200] + bytes(max(0, len(data) - 200)),
        "text": b"hello",
        "not JSON": _head(b"x\ny") + b"x\ny",
        "other JSON": _head(b"{}\n{}") + b"{}\n{}",
    }


@pytest.mark.case(number="C51")
@pytest.mark.parametrize("how", damaged(b""))
def test_a_damaged_entry_costs_a_run_and_a_warning(project, runner, one, caplog, how):
    cold, _ = project.build(runner, one)
    (entry,) = entries(project)
    whole = entry.read_bytes()
    entry.write_bytes(damaged(whole)[how])
    with caplog.at_level(logging.WARNING, "lessonkit"):
        again, ran = project.build(runner, one)
    assert ran == ["es/demo/a"]
    assert repr(again) == repr(cold)
    assert len(caplog.records) == 1
    assert entry.read_bytes() == whole, "it is whole again"
    assert project.build(runner, one)[1] == []


@pytest.mark.case(number="C51")
def test_a_store_that_cannot_be_written_costs_one_warning(project, runner, caplog, monkeypatch):
    for name in "abc":
        project.program(name, f"print('{name}')")
    (project.root / ".cache/results").write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING, "lessonkit"):
        results, _ = project.build(runner)
    assert [shown(result) for result in results.values()] == ["a\n", "b\n", "c\n"]
    assert len(caplog.records) == 1
    assert str(project.root / ".cache/results") in caplog.text

    (project.root / ".cache/results").unlink()
    caplog.clear()

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with caplog.at_level(logging.WARNING, "lessonkit"):
        results, _ = project.build(runner)
    assert [shown(result) for result in results.values()] == ["a\n", "b\n", "c\n"]
    assert len(caplog.records) == 1
    assert "No space left" in caplog.text
    assert entries(project) == [], "no drafts are left"


def test_an_entry_store_keeps_bytes(tmp_path):
    store = EntryStore(tmp_path / "deep/folder")
    assert store.load("k") is None
    store.save("k", b"a\nb\0")
    assert store.load("k") == b"a\nb\0"
    store.save("k", b"")
    assert store.load("k") == b""


@pytest.mark.case(number="C51")
def test_an_entry_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    """Whoever is killed while writing leaves a draft, which is no entry and is swept away."""
    store = EntryStore(tmp_path)

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    monkeypatch.setattr(entry_files, "_remove", lambda path: None)
    with pytest.raises(KeyboardInterrupt):
        store.save("k", b"data")
    monkeypatch.undo()
    (draft,) = tmp_path.iterdir()
    assert store.load("k") is None
    store.sweep()
    assert draft.exists(), "another build may be writing it"
    store.sweep(time.time() + 2 * TOUCHED_EVERY)
    assert not draft.exists()


def test_old_entries_go_and_used_ones_stay(project, runner):
    project.program("a", "print('a')")
    project.program("b", "print('b')")
    project.build(runner)
    for entry in entries(project):
        old = time.time() - KEPT_FOR - 60
        os.utime(entry, (old, old))
    results, ran = project.build(runner, project.job("a"))
    assert (list(results), ran) == (["es/demo/a"], []), "an old entry is as good as a new one"
    assert len(entries(project)) == 1
    assert project.build(runner)[1] == ["es/demo/b"]


BUILD = """
    import sys
    from pathlib import Path
    from lessonkit.project import Project
    from lessonkit.programs import run_programs
    from lessonkit.runner import Job, Runner
    from lessonkit.snippets import read_snippet
    project = Project(Path(sys.argv[1]))
    with Runner(project, workers=8) as runner:
        jobs = [Job(read_snippet(project, name)) for name in project.programs()]
        results = run_programs(project, runner, jobs).finish()
    print(*(result.cells[0].output.strip() for result in results.values()))
    """


def start_build(project):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(BUILD), project.root],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
    )


@pytest.mark.case(number="C51")
def test_builds_at_once_are_safe_and_so_is_killing_one(project):
    """Seen: a shared database was locked or half made when parallel readers started on it."""
    for number in range(24):
        project.program(f"p{number:02}", f"import time\nprint({number})")
    expected = " ".join(map(str, range(24))) + "\n"
    builds = [start_build(project) for _ in range(3)]
    time.sleep(0.25)
    builds[0].send_signal(signal.SIGKILL)
    ended = [build.communicate(timeout=60) for build in builds]
    assert ended[1:] == [(expected, "")] * 2
    for entry in entries(project)[::3]:
        entry.write_bytes(b"")
    after = start_build(project).communicate(timeout=60)
    assert after[0] == expected
    assert len([path for path in entries(project) if path.suffix != ".tmp"]) == 24


# -- form --


def test_runs_survive_the_store(tmp_path):
    store = ResultStore(tmp_path)
    result = Result(
        (
            CellResult(
                "ñ\u2028\0<b>\n",
                ("<svg>\n\"'</svg>",),
                (
                    ("w[0]", Value(numbers=(1, 2.5, 1e-300, float("inf"), 10**40))),
                    ("s", Value(text="")),
                    ("e", Value(numbers=())),
                ),
                "",
            ),
            CellResult(planned_error="Traceback\n"),
        )
    )
    store.save("k", Run(result, Dependencies(files={"no-such-file": None}, presence={".": "folder"})))
    assert store.load("k", Snapshot(tmp_path)) == result
    store.save("f", Run(Result((), Failure("r", 0, "t", "c")), None))
    assert store.load("f", Snapshot(tmp_path)) is None


def test_each_file_is_read_once_a_build_and_again_in_the_next(project, runner, monkeypatch):
    project.write("snippets/ayuda.py", "x = 1\n")
    for name in "abc":
        project.program(name, "import ayuda\nprint(ayuda.x)")
    project.build(runner)
    from lessonkit import dependencies

    read = []
    digest_file = dependencies.digest_file
    monkeypatch.setattr(dependencies, "digest_file", lambda path: read.append(path) or digest_file(path))
    assert project.build(runner)[1] == []
    assert len(read) == 1
    project.write("snippets/ayuda.py", "x = 2\n")
    assert [shown(result) for result in project.build(runner)[0].values()] == ["2\n"] * 3


def test_reading_a_whole_courses_results_is_quick(tmp_path):
    """144 programs, a third with a figure of 45 kB: about 30 ms on a quiet machine."""
    store = ResultStore(tmp_path)
    figure = "<svg>" + '<path d="M 12.5 30.25 L 99 1" style="fill: none"/>\n' * 900 + "</svg>"
    dependencies = Dependencies(
        files={f"f{number}": None for number in range(12)},
        imports={"snippets/es": {f"module{number}": [] for number in range(20)}},
    )
    for number in range(144):
        cell = CellResult(
            "salida\n" * 20, (figure,) if number % 3 == 0 else (), (("w", Value(numbers=(0.1,) * 10)),)
        )
        store.save(str(number), Run(Result((cell,)), dependencies))
    times = []
    for _ in range(5):
        now = Snapshot(tmp_path)
        start = time.process_time()
        assert all(store.load(str(number), now) for number in range(144))
        times.append(time.process_time() - start)
    assert min(times) < 0.2, "three times as long as it may take on a slow machine"
    print(f"{1000 * min(times):.0f} ms")


def test_a_store_is_empty_until_something_is_kept(tmp_path):
    store = EntryStore(tmp_path / "new")
    assert store.is_empty()
    store.save("key", b"data")
    assert not store.is_empty()
