"""From sources to a judged course: runs the programs and draws the formulas, both at once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType

from lessonkit.cache import ResultStore
from lessonkit.checking import golden_problems, read_goldens
from lessonkit.course import Course, Sources, judge, read_sources
from lessonkit.formulas import Drawer
from lessonkit.programs import run_programs
from lessonkit.progress import Progress
from lessonkit.project import ProgramName, Project
from lessonkit.runner import Runner


class Builder:
    """Builds the course as often as asked. Between builds the runner's parent process and what was read stay."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._runner = Runner(project)
        self._drawer = Drawer(project.cache / "formulas")
        self._results = ResultStore(project.cache / "results")
        self._sources: Sources | None = None
        self.summary = ""
        """What the last build did, in one line."""

    def __enter__(self) -> Builder:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._runner.close()
        self._drawer.close()

    def prepare(self) -> Builder:
        """Called before there is anything to build: where nothing is stored, all programs will run, and soon."""
        if self._results.is_empty() and self.project.programs():
            self._runner.load_libraries()
        return self

    def build(self, *, fresh: bool = False, with_notes: bool = False) -> Course:
        """Read, run, draw, judge. `fresh` runs what is stored too; `with_notes` compares golden files."""
        sources = self._sources = read_sources(self.project, self._sources)
        jobs = sources.jobs()
        running = run_programs(self.project, self._runner, jobs, fresh=fresh, store=self._results)
        drawing = self._drawer.start(sources.formulas())
        with Progress(sys.stderr, len(running.ran)) as progress:
            results = running.finish(progress)
        course = judge(sources, results, drawing.collect())
        self.summary = _summary(running.ran, len(jobs), progress)
        if with_notes:
            goldens, _ = read_goldens(self.project, sources.snippets)
            course = replace(course, notes=golden_problems(course, goldens))
        return course


def _summary(ran: Sequence[ProgramName], programs: int, progress: Progress) -> str:
    names = ", ".join(map(str, ran[:4])) + (", …" if len(ran) > 4 else "")
    seconds, slowest = progress.slowest
    return (
        f"{len(ran)} of {programs} programs ran"
        + (f": {names}" if names else "")
        + (f"; slowest: {slowest}, {seconds:.1f} s" if len(ran) > 1 and slowest else "")
    )
