"""A project in miniature for tests of the engine."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from lessonkit.programs import run_programs
from lessonkit.project import ProgramName, Project
from lessonkit.results import Result
from lessonkit.runner import Job, Run, Runner
from lessonkit.snippets import Snippet, read_snippet

LIBRARIES = Path(__file__).resolve().parents[2] / "snippets"


class MiniProject:
    """A checkout in a temporary folder, empty but for the folders of both languages."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = Project(root)
        for folder in ("docs/es", "docs/ru", "snippets/es", "snippets/ru", "snippets/data"):
            (root / folder).mkdir(parents=True)

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file; `path` is relative to the root, common indentation is taken off `text`."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode())
        return file

    def program(self, name: str, code: str) -> ProgramName:
        """Write a program; `name` is `es/demo/a`, or `a` for that."""
        found = self.name(name)
        self.write(found.path, code)
        return found

    def name(self, name: str) -> ProgramName:
        language, *slug, last = ("es/demo/" + name if "/" not in name else name).split("/")
        return ProgramName(language, "/".join(slug), last)

    def snippet(self, name: str | ProgramName) -> Snippet:
        return read_snippet(self.project, self.name(str(name)))

    def job(self, name: str | ProgramName, *questions: str | tuple[int, str]) -> Job:
        """The program and what is asked of it: `"w[0]"` at its end, `(0, "w[0]")` after its first cell."""
        snippet = self.snippet(name)
        asked = {
            (len(snippet.cells) - 1, question) if isinstance(question, str) else question
            for question in questions
        }
        return Job(snippet, tuple(sorted(asked)))

    def use_libraries(self, *names: str) -> None:
        """Take over the course's own libraries: `vis`, `nanotorch`."""
        for name in names:
            for file in (LIBRARIES / name).rglob("*"):
                if file.is_file() and "__pycache__" not in file.parts:
                    self.write(f"snippets/{file.relative_to(LIBRARIES).as_posix()}", file.read_bytes())

    def build(self, runner: Runner, *jobs: Job, fresh: bool = False) -> tuple[dict[str, Result], list[str]]:
        """Results by program, and the programs that were run for them. Without jobs: all programs."""
        jobs = jobs or tuple(self.job(name) for name in self.project.programs())
        running = run_programs(self.project, runner, jobs, fresh=fresh)
        return {str(name): result for name, result in running.finish().items()}, [
            str(name) for name in running.ran
        ]


def share_fonts(root: Path, factory: pytest.TempPathFactory) -> None:
    """Let all miniature projects of a test run use one list of fonts: making it takes seconds."""
    base = factory.getbasetemp()
    shared = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "matplotlib"
    shared.mkdir(exist_ok=True)
    (root / ".cache").mkdir()
    (root / ".cache/matplotlib").symlink_to(shared, target_is_directory=True)


@pytest.fixture
def project(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> MiniProject:
    root = tmp_path / "course"
    root.mkdir()
    share_fonts(root, tmp_path_factory)
    return MiniProject(root)


@pytest.fixture
def runner(project: MiniProject) -> Iterator[Runner]:
    """A runner of its own for a test's project."""
    with Runner(project.project) as found:
        yield found


class SharedRunner:
    """One project and one runner for a whole module: no program reaches the next one anyway."""

    def __init__(self, project: MiniProject, runner: Runner) -> None:
        self.project = project
        self.runner = runner
        self._count = 0

    def __call__(self, code: str, *questions: str | tuple[int, str]) -> Run:
        """Run a program with this code."""
        return self.together(code, questions=questions)[0]

    def together(self, *codes: str, questions: tuple[str | tuple[int, str], ...] = ()) -> list[Run]:
        names = []
        for code in codes:
            self._count += 1
            names.append(self.project.program(f"p{self._count}", code))
        snippets = [self.project.snippet(name) for name in names]
        assert not [problem for snippet in snippets for problem in snippet.problems]
        runs = self.runner.begin([self.project.job(name, *questions) for name in names]).finish()
        return [runs[name] for name in names]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedRunner]:
    root = tmp_path_factory.mktemp("course")
    share_fonts(root, tmp_path_factory)
    project = MiniProject(root)
    with Runner(project.project) as runner:
        yield SharedRunner(project, runner)
