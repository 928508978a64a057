"""What a program depends on is seen, and its modules never come from bytecode."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
import textwrap
import time
from types import ModuleType

import pytest

from lessonkit import tracing, zygote
from lessonkit.dependencies import ProjectFiles, Snapshot
from lessonkit.runner import Runner


@pytest.fixture(autouse=True)
def _bytecode_is_on(monkeypatch):
    """PYTHONDONTWRITEBYTECODE, which many containers set, would hide faults."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)


def run_once(project, runner, name="a"):
    found = runner.begin([project.job(name)]).finish()[project.name(name)]
    assert found.result.failure is None, found.result.failure
    return found


def printed(project, runner, name="a"):
    return "".join(cell.output for cell in run_once(project, runner, name).result.cells)


def tree(project):
    return {
        path: path.read_bytes()
        for path in project.root.rglob("*")
        if path.is_file() and ".cache" not in path.parts
    }


def change_unseen(file, text):
    """Change a file to one of equal size and equal time: what bytecode files cannot tell apart."""
    before = file.stat()
    assert len(text.encode()) == before.st_size
    file.write_text(text)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


WAYS_TO_IMPORT = {
    "import": "import ayuda",
    "importlib": "import importlib\nayuda = importlib.import_module('ayuda')",
    "spec": """
        import importlib.util
        from pathlib import Path
        spec = importlib.util.spec_from_file_location("ayuda", Path(__file__).with_name("ayuda.py"))
        ayuda = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(ayuda)
        """,
    "runpy": """
        import runpy, types
        ayuda = types.SimpleNamespace(**runpy.run_module("ayuda"))
        """,
    "child": """
        # %% one processes=true
        import subprocess, sys, types, os
        code = "import ayuda; print(ayuda.x)"
        env = {**os.environ, "PYTHONPATH": sys.path[0]}
        x = int(subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout)
        ayuda = types.SimpleNamespace(x=x)
        """,
}


@pytest.mark.case(number="C01")
@pytest.mark.parametrize("way", WAYS_TO_IMPORT)
def test_a_changed_module_is_never_taken_from_bytecode(project, runner, way):
    """Seen: a helper changed to one of equal size within the same second gave its old value."""
    helper = project.write("snippets/es/demo/ayuda.py", "x = 1\n")
    project.program("a", textwrap.dedent(WAYS_TO_IMPORT[way]).strip() + "\nprint(ayuda.x)")
    py_compile.compile(str(helper), doraise=True)
    before = tree(project)
    assert printed(project, runner) == "1\n"
    change_unseen(helper, "x = 2\n")
    assert printed(project, runner) == "2\n"
    change_unseen(helper, "x = 1\n")
    assert tree(project) == before, "nothing is written into the checkout"


def test_the_trap_of_stale_bytecode_is_real(project):
    """Plain Python falls into it: if this fails, Python has changed and the protection may go."""
    helper = project.write("snippets/es/demo/ayuda.py", "x = 1\n")
    py_compile.compile(str(helper), doraise=True)
    change_unseen(helper, "x = 2\n")
    done = subprocess.run(
        [sys.executable, "-c", "import ayuda; print(ayuda.x)"],
        check=False,
        cwd=helper.parent,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "1\n"


def test_code_compiled_ahead_is_taken_only_for_the_same_bytes(project, runner):
    library = project.write("snippets/nanotorch/__init__.py", "x = 1\n")
    project.program("a", "import nanotorch\nprint(nanotorch.x)")
    assert printed(project, runner) == "1\n"
    change_unseen(library, "x = 2\n")
    assert printed(project, runner) == "2\n"
    project.write("snippets/nanotorch/__init__.py", "x = (\n")
    found = runner.begin([project.job("a")]).finish()[project.name("a")].result.failure
    assert "snippets/nanotorch/__init__.py" in found.traceback
    project.write("snippets/nanotorch/__init__.py", "x = 3\n")
    assert printed(project, runner) == "3\n"


def test_code_compiled_ahead_is_not_taken_for_a_file_that_changed_since(project, tmp_path):
    library, note, go = (
        project.write("snippets/nanotorch/__init__.py", "x = 1\n"),
        tmp_path / "note",
        tmp_path / "go",
    )
    project.program(
        "a",
        f"""
        import time
        from pathlib import Path
        Path({str(note)!r}).touch()
        while not Path({str(go)!r}).exists(): time.sleep(0.01)
        """,
    )
    project.program("b", "import nanotorch\nprint(nanotorch.x)")
    with Runner(project.project, workers=1) as runner:
        batch = runner.begin([project.job("a"), project.job("b")])
        while not note.exists():
            time.sleep(0.01)
        change_unseen(library, "x = 2\n")
        go.touch()
        assert batch.finish()[project.name("b")].result.cells[0].output == "2\n"


def test_code_compiled_ahead_is_used(tmp_path):
    file = tmp_path / "m.py"
    file.write_text("x = 1\n")
    tracing.compile_ahead([str(tmp_path)])
    source, code = tracing._compiled[str(file)]
    assert (source, code.co_filename) == (b"x = 1\n", str(file))


def test_a_module_of_the_project_loaded_before_the_trace_is_refused(project, monkeypatch):
    """Whatever the zygote has loaded is missing from every program's dependencies."""
    zygote.refuse_project_modules(ProjectFiles(project.root))
    module = ModuleType("vis")
    module.__file__ = str(project.write("snippets/vis/__init__.py", ""))
    monkeypatch.setitem(sys.modules, "vis", module)
    with pytest.raises(RuntimeError, match="loaded before any program: vis"):
        zygote.refuse_project_modules(ProjectFiles(project.root))


def test_the_engine_loads_no_module_of_the_course_before_a_program(project, runner):
    project.use_libraries("vis", "nanotorch")
    project.program(
        "a", "import sys\nprint(sorted({'vis', 'nanotorch'} & set(sys.modules)))\nimport vis, nanotorch"
    )
    found = run_once(project, runner)
    assert found.result.cells[0].output == "[]\n"
    assert {"snippets/vis/__init__.py", "snippets/nanotorch/__init__.py"} <= set(found.dependencies.files)


# -- what is seen --


def test_files_and_modules_are_seen_with_what_they_were(project, runner):
    project.write("snippets/es/demo/uno.py", "import dos\n")
    project.write("snippets/es/demo/dos.py", "x = 1\n")
    project.write("snippets/data/a.txt", "1\n")
    project.write("snippets/data/b.npy", b"")
    project.program(
        "a",
        """
        import os
        from pathlib import Path
        import numpy as np, json
        import uno
        data = Path(__file__).resolve().parents[2] / "data"
        (data / "a.txt").read_text()
        os.chdir(data)
        try:
            np.load("b.npy")
        except (EOFError, ValueError):
            pass
        try:
            open("no.txt")
        except OSError:
            pass
        print(Path("si.txt").exists(), os.path.isfile("no2.txt"), os.listdir("."))
        print([p.name for p in Path("..").glob("*/*.txt")])
        open("/dev/null").close()
        open(Path(json.__file__)).close()
        """,
    )
    found = run_once(project, runner).dependencies
    now = Snapshot(project.root)
    assert found.files == {
        place: now.file(place)
        for place in (
            "snippets/es/demo/uno.py",
            "snippets/es/demo/dos.py",
            "snippets/data/a.txt",
            "snippets/data/b.npy",
            "snippets/data/no.txt",
        )
    }
    assert found.files["snippets/data/no.txt"] is None
    assert found.presence["snippets/data/si.txt"] is None
    assert found.presence["snippets/data/no2.txt"] is None
    assert found.folders["snippets/data"] == now.folder("snippets/data")
    assert found.folders["snippets"] == now.folder("snippets")
    assert found.imports["snippets/es/demo"]["uno"] == ["uno.py"]
    assert not any(
        place.startswith("/") for part in (found.files, found.folders, found.presence) for place in part
    )


CHANGES = {
    # what the program does: (what is changed, whether that matters)
    "import x_mod": [
        ("snippets/es/demo/x_mod.py", "x = 2", True),
        ("snippets/es/demo/y_mod.py", "x = 2", True),
        ("snippets/es/demo/new.py", "", False),
        ("snippets/es/demo/a.out", "1", False),
        ("snippets/x_mod.py", "", False),
        ("snippets/es/demo/x_mod/__init__.py", "x = 3", True),
        ("snippets/es/demo/json.py", "", True),
        ("snippets/es/demo/numpy.py", "", True),
        ("snippets/random.py", "", True),
        ("docs/es/x.md", "", False),
    ],
    "import space.deep": [
        ("snippets/space/deep.py", "x = 4", True),
        ("snippets/space/other.py", "", False),
        ("snippets/space/__init__.py", "", True),
        ("snippets/es/demo/space.py", "", True),
        ("scripts/space.py", "", True),
    ],
    "import vis_later": [("scripts/vis_later.py", "x = 1", True), ("snippets/vis_later.py", "x = 1", True)],
    "open(data / 't.txt').read()": [("snippets/data/t.txt", "2", True), ("snippets/data/u.txt", "2", False)],
    "list(data.glob('*.txt'))": [("snippets/data/t.txt", "3", False), ("snippets/data/u.txt", "2", True)],
    "(data / 'u.txt').exists()": [("snippets/data/u.txt", "", True), ("snippets/data/t.txt", "3", False)],
    "(data / 't.txt').stat().st_size": [
        ("snippets/data/t.txt", "22", True),
        ("snippets/data/t.txt", "3", False),
    ],
    "import os; os.path.getsize(data / 't.txt')": [("snippets/data/t.txt", "22", True)],
    "import os; [e.stat().st_size for e in os.scandir(data)]": [
        ("snippets/data/t.txt", "22", True),
        ("snippets/data/u.txt", "", True),
        ("snippets/es/demo/x_mod.py", "x = 22", False),
    ],
    "import os; os.access(data / 'u.txt', os.R_OK)": [("snippets/data/u.txt", "", True)],
    "(data / 'u.txt').is_symlink()": [("snippets/data/u.txt", "", True)],
    "pathlib.Path(__file__).read_text()": [("snippets/data/t.txt", "3", False)],
}


@pytest.mark.case(number="C01")
@pytest.mark.parametrize(("does", "changes"), CHANGES.items())
def test_only_what_matters_makes_a_result_old(project, runner, does, changes):
    project.write("snippets/es/demo/x_mod.py", "import y_mod\nx = 1")
    project.write("snippets/es/demo/y_mod.py", "x = 1")
    project.write("snippets/space/deep.py", "x = 1")
    project.write("snippets/data/t.txt", "1")
    if "vis_later" not in does:  # there the folder is missing, and comes to be
        project.write("scripts/lessons.py", "")
    optional = f"try:\n    {does}\nexcept ImportError:\n    pass" if does.startswith("import") else does
    project.program(
        "a", f"import numpy, pathlib\ndata = pathlib.Path(__file__).parent / '../../data'\n{optional}"
    )
    found = run_once(project, runner).dependencies
    assert found.hold(Snapshot(project.root))
    for path, text, matters in changes:
        file = project.root / path
        old = file.read_bytes() if file.exists() else None
        project.write(path, text)
        assert found.hold(Snapshot(project.root)) != matters, path
        if old is None:
            file.unlink()
            if not any(file.parent.iterdir()):
                file.parent.rmdir()
        else:
            file.write_bytes(old)
        assert found.hold(Snapshot(project.root)), path


def test_declared_patterns_are_listed_and_read(project, runner):
    project.write("snippets/data/t/1.txt", "1")
    project.program("a", '# %% one reads="../../data/t/*.txt,own.bin" processes=true\nimport subprocess\n')
    found = run_once(project, runner).dependencies
    assert set(found.patterns) == {"snippets/data/t/*.txt", "snippets/es/demo/own.bin"}
    for path, matters in (
        ("snippets/data/t/1.txt", True),
        ("snippets/data/t/2.txt", True),
        ("snippets/es/demo/own.bin", True),
        ("snippets/data/t/3.csv", False),
    ):
        file = project.root / path
        old = file.read_bytes() if file.exists() else None
        project.write(path, "changed")
        assert found.hold(Snapshot(project.root)) != matters, path
        file.unlink() if old is None else file.write_bytes(old)
        assert found.hold(Snapshot(project.root)), path


def test_a_file_that_changes_under_a_run_makes_it_unfit_for_the_store(project, runner, tmp_path):
    data, note = project.write("snippets/data/t.txt", "1"), tmp_path / "read"
    name = project.program(
        "a",
        f"""
        import time
        from pathlib import Path
        file = Path(__file__).parent / "../../data/t.txt"
        print(file.read_text())
        Path({str(note)!r}).touch()
        while file.read_text() == "1": time.sleep(0.01)
        """,
    )
    batch = runner.begin([project.job(name)])
    while not note.exists():
        time.sleep(0.01)
    data.write_text("2")
    found = batch.finish()[name]
    assert found.result.failure is None
    assert found.result.cells[0].output == "1\n"
    assert found.dependencies is None


def test_what_is_no_part_of_the_project(project, tmp_path):
    for path in (".venv/pyvenv.cfg", "tools/env/pyvenv.cfg"):
        project.write(path, "")
    files = ProjectFiles(project.root, [str(tmp_path / "scratch")])
    assert files.place(project.root / "snippets/es/a.py") == "snippets/es/a.py"
    assert files.place(str(project.root)) == "."
    assert files.place(os.fsencode(project.root / "docs/es/site/x.md")) == "docs/es/site/x.md"
    for path in (
        ".cache/x",
        ".git/HEAD",
        "site/index.html",
        ".venv/lib/x.py",
        "tools/env/lib/x.py",
        "a/__pycache__/x.pyc",
        "x/site-packages/y.py",
    ):
        assert files.place(project.root / path) is None, path
    assert files.place(os.__file__) is None
    assert files.place(pytest.__file__) is None
    assert files.place(3) is None
    assert files.place("a\0b") is None
    assert files.place(tmp_path / "scratch/x.py") is None
    assert files.place(tmp_path / "elsewhere/data.csv") is None
    assert files.place(tmp_path / "elsewhere/vis/x.py") == (tmp_path / "elsewhere/vis/x.py").as_posix(), (
        "a module of another checkout"
    )


def test_a_root_reached_by_a_link_is_the_same_root(project, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(project.root, target_is_directory=True)
    files = ProjectFiles(link)
    assert files.place(link / "docs/x") == files.place(project.root / "docs/x") == "docs/x"
