"""The results of all programs of a build: from the store where they still hold, else from a run."""

from __future__ import annotations

from collections.abc import Iterable

from lessonkit.cache import ResultStore, result_key
from lessonkit.dependencies import Snapshot
from lessonkit.progress import Progress
from lessonkit.project import ProgramName, Project
from lessonkit.results import Failure, Result
from lessonkit.runner import Job, Runner
from lessonkit.snippets import Snippet
from lessonkit.versions import engine_changed, python_digest


class Running:
    """Results that are known already, and programs that still run."""

    def __init__(
        self, project: Project, runner: Runner, jobs: Iterable[Job], fresh: bool, store: ResultStore | None
    ) -> None:
        self._store = store or ResultStore(project.cache / "results")
        self._results: dict[ProgramName, Result] = {}
        self._order: list[ProgramName] = []
        self._keys: dict[ProgramName, str] = {}
        now, python = Snapshot(project.root), python_digest()
        due: list[Job] = []
        for job in jobs:
            name = job.snippet.name
            self._order.append(name)
            if job.snippet.problems:
                self._results[name] = Result((), _first_problem(job.snippet))
                continue
            self._keys[name] = result_key(job, python)
            known = None if fresh else self._store.load(self._keys[name], now)
            if known is None:
                due.append(job)
            else:
                self._results[name] = known
        self.ran = tuple(job.snippet.name for job in due)
        """The programs that are run, since nothing stored holds for them."""
        self._batch = runner.begin(due)
        self._kept = False

    def finish(self, progress: Progress | None = None) -> dict[ProgramName, Result]:
        """Wait for the programs that run, store what they gave; all results in the order of the jobs."""
        runs = self._batch.finish(progress)
        if not self._kept:
            self._kept = True
            self._results.update((name, run.result) for name, run in runs.items())
            if runs and not engine_changed():
                for name, run in runs.items():
                    self._store.save(self._keys[name], run)
            self._store.sweep()
        return {name: self._results[name] for name in self._order}

    def cancel(self) -> None:
        self._batch.cancel()


def run_programs(
    project: Project,
    runner: Runner,
    jobs: Iterable[Job],
    *,
    fresh: bool = False,
    store: ResultStore | None = None,
) -> Running:
    """Begin a build's programs; returns at once. `fresh` runs all of them, whatever is stored.

    `store`: the project's, if it is to remember what it read until the next build.
    """
    return Running(project, runner, jobs, fresh, store)


def _first_problem(snippet: Snippet) -> Failure:
    problem = min(snippet.problems)
    return Failure(problem.rule, problem.line, problem.text, problem.cure, problem.detail)
