"""Notebooks run for real, in tests: in Jupyter's kernel or as a plain program, away from the repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from lessonkit import golden
from lessonkit.course import Course
from lessonkit.problems import Problem
from lessonkit.project import ProgramName
from lessonkit.results import CellResult, Result
from tests.conftest import ROOT, clean_environment

RUN = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=300, kernel_name="course").execute()
nbformat.write(notebook, sys.argv[2])
"""


def run_in_kernel(notebook: dict, folder: Path, python: str = sys.executable, libraries: str = str(ROOT / "snippets")) -> dict:
    """The notebook as it is after a run from top to bottom; a cell that fails unplanned fails the test.

    `python`: the kernel's interpreter; `libraries`: what it finds besides its own packages.
    """
    kernel = folder / "jupyter/kernels/course/kernel.json"
    kernel.parent.mkdir(parents=True)
    argv = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": argv, "display_name": "course", "language": "python", "env": {"PYTHONPATH": libraries}}))
    asked, done, place = folder / "asked.ipynb", folder / "done.ipynb", folder / "work"
    asked.write_text(json.dumps(notebook), encoding="utf-8")
    place.mkdir()
    # A folder of its own, so that no setting of whoever tests is read; a short one, since sockets have names.
    environment = clean_environment(JUPYTER_PATH=str(folder / "jupyter"), JUPYTER_NO_CONFIG="1", IPYTHONDIR=str(folder / "ipython"))
    environment.pop("MPLBACKEND", None)
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", RUN, str(asked), str(done)], cwd=place, env=environment,
                           capture_output=True, text=True, check=False, timeout=600)
    assert ended.returncode == 0, ended.stderr[-4000:]
    return json.loads(done.read_text(encoding="utf-8"))


def run_as_program(script: str, folder: Path) -> subprocess.CompletedProcess:
    file = folder / "lesson.py"
    file.write_text(script, encoding="utf-8")
    environment = clean_environment(PYTHONPATH=str(ROOT / "snippets"), MPLBACKEND="Agg", PYTHONIOENCODING="utf-8")
    return subprocess.run([sys.executable, str(file)], cwd=folder, env=environment, capture_output=True, text=True,
                          encoding="utf-8", check=False, timeout=600)


def program_cells(notebook: Mapping) -> list[tuple[ProgramName, int, dict]]:
    """(program, index of the cell, the notebook's cell) in the order in which they run."""
    found = []
    for cell in notebook["cells"]:
        if place := cell["metadata"].get("lesson"):
            language, *slug, name = place["program"].split("/")
            found.append((ProgramName(language, "/".join(slug), name), place["cell"], cell))
    return found


def printed(cell: Mapping, *streams: str) -> str:
    return "".join("".join(output["text"]) for output in cell["outputs"]
                   if output["output_type"] == "stream" and output["name"] in streams)


def figures(cell: Mapping) -> int:
    return sum("image/svg+xml" in output.get("data", {}) for output in cell["outputs"])


def errors(cell: Mapping) -> list[str]:
    return [output["ename"] for output in cell["outputs"] if output["output_type"] == "error"]


def differences(course: Course, goldens: Mapping[ProgramName, str], outputs: Sequence[tuple[ProgramName, int, str]]) -> list[Problem]:
    """What was printed other than the golden files say; `outputs`: (program, cell, text) in the order of the run."""
    programs: dict[ProgramName, list[CellResult]] = {}
    for name, index, text in outputs:
        cells = programs.setdefault(name, [])
        assert len(cells) <= index, f"{name}: cell {index} runs after {len(cells)} others"
        cells += [CellResult()] * (index - len(cells))  # left out: it prints nothing, or the golden file disagrees
        cells.append(CellResult(output=text))
    return [problem for name, cells in programs.items()
            for problem in golden.compare(course.sources.snippets[name], Result(tuple(cells)), goldens.get(name))]


def split_output(text: str, goldens: Mapping[ProgramName, str], cells: Sequence[tuple[ProgramName, str | None, int]]) -> list:
    """The output of a whole program in pieces, each as long as its golden cell: (program, cell, text)."""
    lines, pieces = text.splitlines(keepends=True), []
    for name, cell, index in cells:
        length = next((len(one.lines) for one in golden.read(goldens.get(name, "")) if one.name == cell), 0)
        pieces.append((name, index, "".join(lines[:length])))
        lines = lines[length:]
    assert not lines, f"printed besides: {lines[:5]}"
    return pieces


def only_these(packages: Path, folder: Path) -> Path:
    """A folder with all installed packages but the course's own, by links."""
    folder.mkdir()
    for entry in packages.iterdir():
        if not entry.name.startswith(("attention_course", "__editable__", "_virtualenv", "distutils")) and not entry.name.endswith(".pth"):
            os.symlink(entry, folder / entry.name)
    return folder
