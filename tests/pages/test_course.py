"""The course itself: every page and program, checked as `lessons.py check` does, one test a file."""

from __future__ import annotations

import re

import pytest

from lessonkit.builder import Builder
from lessonkit.checking import check_course
from lessonkit.freshness import read_record
from lessonkit.problems import Problem, report
from lessonkit.project import Project
from tests.conftest import ROOT

PROJECT = Project(ROOT)
FILES = [name.path for name in PROJECT.pages()] + [name.path for name in PROJECT.programs()]


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    with Builder(PROJECT) as builder:
        return check_course(builder.build())


@pytest.mark.parametrize("path", FILES)
def test_file(problems, path):
    """Golden files belong to their program."""
    own = [problem for problem in problems if problem.path.removesuffix(".out").removesuffix(".py") == path.removesuffix(".py")]
    assert not own, report(own)


def test_nothing_else_is_wrong(problems):
    stems = {path.removesuffix(".py") for path in FILES}
    others = [problem for problem in problems if problem.path.removesuffix(".out").removesuffix(".py") not in stems]
    assert not others, report(others)


def test_every_page_is_in_the_navigation():
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [name.path for name in PROJECT.pages() if f" {name.language}/{name.file}\n" not in config]
    assert not missing, "Name these pages under nav: in mkdocs.yml"


def test_the_course_keeps_a_record_of_what_says_the_same():
    record, problem = read_record(PROJECT)
    assert problem is None
    assert {name.file for name in PROJECT.pages()} == set(record)


@pytest.mark.case(number="C21")
@pytest.mark.case(number="C44")
def test_the_lock_file_holds_the_versions_that_contributors_install():
    pins = re.compile(r"^([A-Za-z0-9_.-]+==[^\s;\\]+)", re.M)
    written = {name: sorted(pins.findall((ROOT / name).read_text(encoding="utf-8"))) for name in ("requirements.txt", "requirements.lock")}
    assert written["requirements.txt"] == written["requirements.lock"]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=[A-Za-z0-9])", lock)
    assert all("--hash=sha256:" in block for block in blocks if pins.match(block))
