"""How long builds take, beside sites that show the same: `python -m tests.bench` on a machine that does nothing else.

Ratios of one run count, not seconds. The sites take turns; medians are shown. What a build shows is checked each time.
With markdown-exec installed (`pip install "markdown-exec[ansi]"`) it is measured too.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench.generated_lessons import generate
from tests.bench.sites import Course, MarkdownExec, Site, Static
from tests.conftest import clean_environment

BUDGETS = {"cold": ("markdown-exec", 1.0), "unchanged": ("static", 0.8), "number": ("static", 1.1)}
"""Situation → (the site that it is held against, the largest ratio)."""
SERVED = 0.5
"""Seconds from a saved number to its page."""
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Measured:
    wall: float
    cpu: float
    """User and system seconds of the build and all its processes."""
    megabytes: float
    """The most that all its processes held at once; pages that they share count more than once."""


def measure(site: Site) -> Measured:
    """One build. Raises SystemExit if it fails, or if its pages are not right."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(site.command(), cwd=site.root, env=clean_environment(), stdout=subprocess.DEVNULL)
    peak = _watch_memory(process)
    status = process.wait()
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status or (faults := site.faults()):
        raise SystemExit(f"{site.name} was not built: " + (f"status {status}" if status else "; ".join(faults[:3])))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(wall, cpu, peak[0] / 2**20)


def _watch_memory(process: subprocess.Popen) -> list[int]:
    peak = [0]

    def watch() -> None:
        while process.poll() is None:
            peak[0] = max(peak[0], sum(_resident(number) for number in _family(process.pid)))
            time.sleep(0.1)

    threading.Thread(target=watch, daemon=True).start()
    return peak


def _family(process: int) -> Iterator[int]:
    yield process
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    except OSError:
        return
    for child in children.split():
        yield from _family(int(child))


def _resident(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * PAGE_SIZE
    except (OSError, IndexError):
        return 0


def edit_number(site: Site) -> None:
    lesson = site.lessons[len(site.lessons) // 3]
    lesson.snippets[0].edits += 1
    site.write(lesson)


def edit_word(site: Site) -> None:
    lesson = site.lessons[len(site.lessons) // 2]
    lesson.edits += 1
    site.write(lesson)


def situations(site: Site) -> Iterator[tuple[str, Measured]]:
    """Builds in turn: all anew, nothing changed, one printed number changed, one word changed."""
    site.clear()
    yield "cold", measure(site)
    yield "unchanged", measure(site)
    edit_number(site)
    yield "number", measure(site)
    edit_word(site)
    yield "word", measure(site)


def seconds_to_be_served(course: Course, edits: int = 5) -> float:
    """From saving another number until the served page has it, as `mkdocs serve` does it; the median."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "mkdocs", "serve", "-q", "-a", address]
    process = subprocess.Popen(command, cwd=course.root, env=clean_environment(), stdout=subprocess.DEVNULL)
    lesson = course.lessons[len(course.lessons) // 3]

    def wait() -> float:
        start = time.perf_counter()
        while time.perf_counter() - start < 120:
            try:
                with urllib.request.urlopen(f"http://{address}/{course.page(lesson)}", timeout=30) as answer:
                    if lesson.snippets[0].marker in answer.read().decode("utf-8"):
                        return time.perf_counter() - start
            except OSError:  # it is not up yet
                pass
            time.sleep(0.01)
        raise SystemExit("mkdocs serve never showed the page")

    try:
        wait()
        found = []
        for _ in range(edits):
            time.sleep(2)  # an author reads what was built
            edit_number(course)
            found.append(wait())
        return statistics.median(found)
    finally:
        process.terminate()
        process.wait()


def compare(folder: Path, lessons: int, runs: int) -> None:
    """The table of all situations and sites, with what was to be reached."""
    kinds = [Course, Static, *([MarkdownExec] if MarkdownExec.is_installed() else [])]
    sites = [kind(folder / kind.__name__, generate(lessons)) for kind in kinds]
    for site in sites:  # bytecode, the list of fonts, MathJax's drawings
        measure(site)
    found: dict[tuple[str, str], list[Measured]] = {}
    for _ in range(runs):
        for site in sites:
            for situation, measured in situations(site):
                found.setdefault((situation, site.name), []).append(measured)
    times = {key: statistics.median(one.wall for one in each) for key, each in found.items()}
    print(f"{lessons} lessons, {6 * lessons} programs; wall seconds, the median of {runs}\n")
    print(f"{'':<12}" + "".join(f"{site.name:>15}" for site in sites) + f"{'ratio':>9}{'at most':>9}")
    for situation in ("cold", "unchanged", "number", "word"):
        row = "".join(f"{times[situation, site.name]:>15.2f}" for site in sites)
        other, most = BUDGETS.get(situation, ("static", None))
        ratio = times[situation, Course.name] / times[situation, other] if (situation, other) in times else None
        shown = "" if ratio is None else f"{ratio:>9.2f}"
        print(f"{situation:<12}{row}{shown}{'' if most is None or ratio is None else f'{most:>9.1f}'}")
    course = sites[0]
    course.clear(".cache/formulas")
    drawn = measure(course).wall - times["cold", Course.name]
    print(f"\nformulas: {len(course.formulas())} different ones drawn in {drawn:.1f} s more than a cold build")
    print(f"served {seconds_to_be_served(course):.2f} s after a number was saved (at most {SERVED})")


def grow(folder: Path, lessons: int, factors: list[int]) -> None:
    """Time and memory of courses of different sizes: both should grow in proportion."""
    print(f"\n{'lessons':>8}{'cold s':>9}{'a lesson':>10}{'MB':>7}{'unchanged s':>13}{'a lesson':>10}{'number s':>10}{'MB':>7}")
    for factor in factors:
        course = Course(folder / f"times-{factor}", generate(lessons * factor))
        measure(course)
        found = dict(situations(course))
        count = len(course.lessons)
        cold, same, number = (found[name] for name in ("cold", "unchanged", "number"))
        print(f"{count:>8}{cold.wall:>9.1f}{cold.wall / count:>10.3f}{cold.megabytes:>7.0f}"
              f"{same.wall:>13.2f}{same.wall / count:>10.4f}{number.wall:>10.2f}{number.megabytes:>7.0f}", flush=True)
        shutil.rmtree(course.root)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.split("\n")[0])
    parser.add_argument("--lessons", type=int, default=24, help="in the course that is compared (24)")
    parser.add_argument("--runs", type=int, default=3, help="of which the median is shown (3)")
    parser.add_argument("--times", type=int, nargs="*", default=[1, 4, 16], help="sizes to see how it grows (1 4 16)")
    options = parser.parse_args(arguments)
    print(f"load of the machine before: {os.getloadavg()[0]:.2f}\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        compare(Path(name), options.lessons, options.runs)
        if options.times:
            grow(Path(name), options.lessons, options.times)
    print(f"\nload of the machine after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
