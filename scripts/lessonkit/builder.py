"""From sources to a judged course: runs the programs and draws the formulas, both at once."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType

from lessonkit.checking import golden_problems, read_goldens
from lessonkit.course import Course, Sources, judge, read_sources
from lessonkit.formulas import Drawer
from lessonkit.programs import run_programs
from lessonkit.project import Project
from lessonkit.runner import Runner


class Builder:
    """Builds the course as often as asked. Between builds the runner's parent process and what was read stay."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._runner = Runner(project)
        self._drawer = Drawer(project.cache / "formulas")
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

    def build(self, *, fresh: bool = False, with_notes: bool = False) -> Course:
        """Read, run, draw, judge. `fresh` runs what is stored too; `with_notes` compares golden files."""
        sources = self._sources = read_sources(self.project, self._sources)
        jobs = sources.jobs()
        running = run_programs(self.project, self._runner, jobs, fresh=fresh)
        drawing = self._drawer.start(sources.formulas())
        course = judge(sources, running.finish(), drawing.collect())
        ran = ", ".join(map(str, running.ran[:4])) + (", …" if len(running.ran) > 4 else "")
        self.summary = f"{len(running.ran)} of {len(jobs)} programs ran" + (f": {ran}" if ran else "")
        if with_notes:
            goldens, _ = read_goldens(self.project, sources.snippets)
            course = replace(course, notes=golden_problems(course, goldens))
        return course
