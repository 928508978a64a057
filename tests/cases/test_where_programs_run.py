"""A program finds its data, and leaves nothing behind, from wherever it is run; figures of equal names never meet."""

from __future__ import annotations

import re
import sys

import pytest

from tests.conftest import Checkout
from tests.engine.test_serve import Server

READS_AND_WRITES = '''"""Reads a table beside the program's data, and writes one."""
from pathlib import Path

table = Path(__file__).parent / "../../data/temps.csv"
Path("out.csv").write_text("x")
print(table.read_text().strip(), Path("out.csv").read_text())
'''


def files(course: Checkout) -> dict[str, bytes]:
    return {str(file.relative_to(course.root)): file.read_bytes() for folder in ("docs", "snippets") for file in (course.root / folder).rglob("*")
            if file.is_file() and "__pycache__" not in file.parts}


@pytest.mark.case(number="C34")
def test_the_same_data_from_root_docs_command_server_and_plain_python(checkout):
    for code in ("es", "ru"):
        checkout.write(f"snippets/{code}/other/count.py", READS_AND_WRITES)
    checkout.write("snippets/data/temps.csv", "21.5,22.0\n")
    assert checkout.lessons("accept", "other").returncode == 0
    assert checkout.read("snippets/ru/other/count.out") == "21.5,22.0 x\n"
    before, shown = files(checkout), "<samp>21.5,22.0 x</samp>"

    def forget() -> None:
        for file in (checkout.root / ".cache/results").iterdir():
            file.unlink()

    for folder, config in ((".", "mkdocs.yml"), ("docs", "../mkdocs.yml")):
        forget()
        done = checkout.run("env", "-C", folder, sys.executable, "-m", "mkdocs", "build", "-q", "-f", config, "-d", str(checkout.site))
        assert done.returncode == 0, done.stderr
        assert shown in checkout.page("ru/lessons/other")
    forget()
    assert "21.5,22.0 x" in checkout.run("env", "-C", "docs", sys.executable, "../scripts/lessons.py", "run", "es/other/count").stdout
    forget()
    server = Server(checkout)
    try:
        server.wait_for("es/lessons/other/", lambda page: shown in page)
    finally:
        server.close()
    scratch = checkout.root.parent / "elsewhere"
    scratch.mkdir()
    done = checkout.run("env", "-C", str(scratch), sys.executable, str(checkout.root / "snippets/es/other/count.py"))
    assert done.stdout == "21.5,22.0 x\n", done.stderr
    assert [file.name for file in scratch.iterdir()] == ["out.csv"], "plain Python writes where it was started"
    assert files(checkout) == before
    assert not list(checkout.root.rglob("out.csv"))


@pytest.mark.case(number="C34")
def test_a_path_that_only_one_folder_makes_right_fails_in_every_way(checkout):
    """`open("snippets/data/temps.csv")` would work for whoever starts Python at the root."""
    checkout.write("snippets/data/temps.csv", "21.5\n")
    checkout.write("snippets/es/other/count.py", 'print(open("snippets/data/temps.csv").read())\n')
    done = checkout.build()
    assert done.returncode == 1
    assert "snippets/es/other/count.py:1: FileNotFoundError" in done.stderr
    assert "Path(__file__).parent" in done.stderr, "the cure"


PLOT = '''"""Two figures whose widths tell whose they are."""
# %% figures
import matplotlib.pyplot as plt

for width in ({0}, {0} + 0.5):
    plt.figure(figsize=(width, 2))
    plt.plot([0, {0}])
'''


@pytest.mark.case(number="C08")
def test_programs_of_one_name_keep_their_own_figures_in_drawing_order(checkout):
    """es and ru, two folders each, all named plot.py, all built at once."""
    places = {("es", "mini"): 2, ("es", "other"): 3, ("ru", "mini"): 4, ("ru", "other"): 5}
    for (code, lesson), width in places.items():
        checkout.write(f"snippets/{code}/{lesson}/plot.py", PLOT.format(width))
        path = f"docs/{code}/lessons/{lesson}.md"
        checkout.write(path, checkout.read(path) + "\n/// snippet | plot\nUna.\n\nDos.\n///\n")
    path = "docs/es/lessons/other.md"
    checkout.write(path, checkout.read(path) + "\n/// snippet | mini/plot\nUna.\n\nDos.\n///\n")
    done = checkout.build()
    assert done.returncode == 0, done.stderr
    for (code, lesson), width in places.items():
        page = checkout.page(f"{code}/lessons/{lesson}")
        drawings = re.findall(r"(?s)<figure[^>]*lesson-figure.*?<svg.*?</figure>", page)
        found = [float(re.search(r'viewBox="0 0 ([\d.]+)', one)[1]) / 72 for one in drawings]
        bars = 1 if lesson == "mini" else 0  # the miniature's own figure comes first
        expected = [width, width + 0.5] + ([2, 2.5] if (code, lesson) == ("es", "other") else [])
        assert found[bars:] == pytest.approx(expected), (code, lesson)
        ids = [name for one in drawings for name in re.findall(r'\bid="([^"]+)"', one)]
        assert len(ids) == len(set(ids)), "no figure refers to a part of another one"
