"""Every lesson's notebook runs from top to bottom in a real kernel, and as a plain program, and prints what the golden
files say."""

from __future__ import annotations

import pytest

from lessonkit.builder import Builder
from lessonkit.checking import read_goldens
from lessonkit.course import Course
from lessonkit.notebooks import Addresses, LessonNotebook, has_notebook, notebook_of, script_of
from lessonkit.pages import read_page
from lessonkit.problems import report
from lessonkit.project import PageName, Project
from tests import notebooks
from tests.conftest import ROOT

PROJECT = Project(ROOT)
PAGES = [name for name in PROJECT.pages() if has_notebook(read_page(PROJECT, name))]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def course() -> Course:
    with Builder(PROJECT) as builder:
        return builder.build()


@pytest.fixture(scope="module")
def goldens(course):
    return read_goldens(PROJECT, course.sources.snippets)[0]


@pytest.fixture(scope="module")
def addresses(course) -> Addresses:
    return Addresses("", {name: f"{name.site_path}/" for name in course.sources.pages})


def test_every_lesson_has_a_notebook():
    lessons = [name for name in PROJECT.pages() if name.file.startswith("lessons/")]
    assert lessons
    assert set(lessons) <= set(PAGES)


@pytest.mark.case(number="C49")
@pytest.mark.case(number="C80")
@pytest.mark.parametrize("name", PAGES, ids=str)
def test_in_a_kernel(name: PageName, course, goldens, addresses, tmp_path):
    stored = notebook_of(LessonNotebook(course.sources.pages[name], course, addresses))
    ran = notebooks.run_in_kernel(stored, tmp_path)
    outputs = []
    for (program, index, cell), (_, _, before) in zip(
            notebooks.program_cells(ran), notebooks.program_cells(stored), strict=True):
        source = course.sources.snippets[program].cells[index]
        assert notebooks.errors(cell) == ([source.raises] if source.raises else []), cell["id"]
        assert notebooks.figures(cell) == notebooks.figures(before), cell["id"]
        assert not [output for output in cell["outputs"] if output["output_type"] == "execute_result"], cell["id"]
        if source.stderr == "fail":
            assert not notebooks.printed(cell, "stderr"), cell["id"]
        streams = ("stdout", "stderr") if source.stderr == "show" else ("stdout",)
        outputs.append((program, index, notebooks.printed(cell, *streams)))
    found = notebooks.differences(course, goldens, outputs)
    assert not found, report(found)


@pytest.mark.parametrize("name", PAGES, ids=str)
def test_as_a_program(name: PageName, course, goldens, addresses, tmp_path):
    page = course.sources.pages[name]
    done = notebooks.run_as_program(script_of(LessonNotebook(page, course, addresses)), tmp_path)
    assert done.returncode == 0, done.stderr[-4000:]
    cells = [(program, course.sources.snippets[program].cells[index].name, index)
             for program, index, _ in notebooks.program_cells(notebook_of(LessonNotebook(page, course, addresses)))]
    found = notebooks.differences(course, goldens, notebooks.split_output(done.stdout, goldens, cells))
    assert not found, report(found)
