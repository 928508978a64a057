"""What happens to a checkout that builds: killed at any moment, two builds at once, a full disk, a store nobody can write."""

from __future__ import annotations

import filecmp
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import Checkout, clean_environment

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("KILLED_BUILDS", "12"))
"""A hundred were tried: `KILLED_BUILDS=100 pytest tests/cases/test_attacks.py`."""


def differences(one: Path, other: Path) -> list[str]:
    """Files that two folders do not share byte for byte."""
    compared = filecmp.dircmp(one, other)
    found = [str(one / name) for name in compared.left_only + compared.right_only + compared.funny_files]
    _, differing, errors = filecmp.cmpfiles(one, other, compared.common_files, shallow=False)
    found += [str(one / name) for name in differing + errors]
    return found + [name for folder in compared.common_dirs for name in differences(one / folder, other / folder)]


@pytest.fixture
def right(checkout: Checkout, tmp_path: Path) -> Path:
    """The site as an undisturbed build makes it."""
    assert checkout.build().returncode == 0
    shutil.copytree(checkout.site, tmp_path / "right")
    return tmp_path / "right"


def assert_builds(checkout: Checkout, right: Path) -> str:
    """Build, and hold the site against the right one; what was said."""
    done = checkout.build()
    assert done.returncode == 0, done.stderr
    assert differences(checkout.site, right) == []
    return done.stderr


def start_build(checkout: Checkout, site: Path) -> subprocess.Popen:
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "--site-dir", str(site)]
    return subprocess.Popen(command, cwd=checkout.root, env=clean_environment(), stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def processes_in(folder: Path) -> list[str]:
    """Commands that run with something of this folder: in it, or with its scripts."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            try:
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                if str(folder) in command or str(folder) in os.readlink(process / "cwd"):
                    found.append(command)
            except OSError:  # it has ended, or is another user's
                continue
    return found


@pytest.mark.case(number="C51")
@pytest.mark.skipif(sys.platform != "linux", reason="SIGKILL, and /proc tells what is left")
def test_a_build_killed_at_any_moment_leaves_nothing_wrong_and_nothing_running(checkout, right):
    """Each is followed by an edit that must show, so that no stored result or page of a killed build passes for another."""
    chance = random.Random(7)
    whole = time.monotonic()
    assert_builds(checkout, right)
    whole = time.monotonic() - whole
    for number in range(KILLS):
        if number % 3 == 0:
            shutil.rmtree(checkout.root / ".cache", ignore_errors=True)
        build = start_build(checkout, checkout.site)
        time.sleep(chance.uniform(0, whole * (4 if number % 3 == 0 else 1)))
        build.send_signal(signal.SIGKILL)
        build.wait()
        if number % 4 == 3:
            assert_builds(checkout, right)
    assert_builds(checkout, right)
    until = time.monotonic() + 10
    while processes_in(checkout.root) and time.monotonic() < until:  # what was killed takes its children along
        time.sleep(0.1)
    assert processes_in(checkout.root) == []


@pytest.mark.case(number="C51")
def test_two_builds_at_once_make_the_same_site(checkout, right, tmp_path):
    for warm in (False, True):
        if not warm:
            shutil.rmtree(checkout.root / ".cache")
        builds = [start_build(checkout, tmp_path / f"site-{number}") for number in (1, 2)]
        assert [build.wait() for build in builds] == [0, 0]
        for number in (1, 2):
            assert differences(tmp_path / f"site-{number}", right) == []


@contextmanager
def small_disk(folder: Path, options: str) -> Iterator[None]:
    """A disk of its own in place of `folder`."""
    folder.mkdir(exist_ok=True)
    if sys.platform != "linux" or subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
                                                 capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a disk here (CI may)")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.case(number="C51")
@pytest.mark.parametrize(("options", "said"), [("size=150k", "No space left on device"), ("size=4m,ro", "Read-only file system")])
def test_a_store_that_is_full_or_read_only_costs_a_warning_each_and_no_page(checkout, right, options, said):
    shutil.rmtree(checkout.root / ".cache")
    with small_disk(checkout.root / ".cache", options):
        warnings = assert_builds(checkout, right)
    lines = warnings.splitlines()
    assert lines
    assert all(line.startswith(f"The store {checkout.root}/.cache/") and said in line for line in lines)
    assert len(set(lines)) == len(lines)
    assert assert_builds(checkout, right) == ""


@pytest.mark.case(number="C51")
def test_a_store_whose_place_is_taken_costs_a_warning_each_and_no_page(checkout, right):
    shutil.rmtree(checkout.root / ".cache")
    (checkout.root / ".cache").write_text("", encoding="utf-8")
    warnings = assert_builds(checkout, right)
    assert all(line.endswith("(Not a directory)") for line in warnings.splitlines())
    (checkout.root / ".cache").unlink()
    assert assert_builds(checkout, right) == ""


def test_a_full_temporary_folder_is_told_in_words(checkout, right, tmp_path):
    shutil.rmtree(checkout.root / ".cache/search")
    with small_disk(tmp_path / "small", "size=48k"):
        done = checkout.build(TMPDIR=str(tmp_path / "small"))
    assert done.returncode == 1
    assert "The site has no search: " in done.stderr
    assert f"Make room in the temporary folder {tmp_path}/small" in done.stderr
    assert "Traceback" not in done.stderr
    assert assert_builds(checkout, right) == ""
