"""Whether the course is the same under other versions: `python -m tests.versions` (ten minutes, needs a package index).

For each Python from 3.11 to 3.13 that is found here, and for the oldest and the newest numpy and matplotlib that it can
have, an environment is made, the course is copied without what was stored, all programs run, and what they print is held
against the golden files; then the site is built. At the end stands what was tried and what came of it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT, clean_environment

PYTHONS = ("3.11", "3.12", "3.13")
OLDEST = ("numpy==1.26.4", "matplotlib==3.8.4")
NEWEST = ("--upgrade", "numpy", "matplotlib")
WITH_OLDEST = ("3.11", "3.12")
"""numpy 1.26 was never released for Python 3.13."""
NO_COPY = shutil.ignore_patterns(".git", ".cache", ".venv", "site", "__pycache__", "*.egg-info", "node_modules")


@dataclass(frozen=True)
class Trial:
    python: str
    libraries: tuple[str, ...]

    def __str__(self) -> str:
        return f"Python {self.python}, {'the newest' if self.libraries == NEWEST else 'the oldest'} numpy and matplotlib"


def trials() -> Iterator[Trial]:
    for python in PYTHONS:
        if python in WITH_OLDEST:
            yield Trial(python, OLDEST)
        yield Trial(python, NEWEST)


def find_python(version: str, places: Mapping[str, str]) -> str | None:
    """An interpreter of this version: one named by the caller, or one on the path that really starts."""
    for found in (places.get(version), shutil.which(f"python{version}")):
        if found and _says(found, "import sys; print('%d.%d' % sys.version_info[:2])") == version:
            return found
    return None


def _says(python: str, program: str) -> str:
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def attempt(trial: Trial, python: str, folder: Path) -> tuple[bool, str]:
    """Whether check and build are right in an environment of its own, and what was said."""
    environment, course = folder / "environment", folder / "course"
    shutil.copytree(ROOT, course, ignore=NO_COPY)
    own = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    versions = "import sys, numpy, matplotlib; print(sys.version.split()[0], numpy.__version__, matplotlib.__version__)"
    for command in (
        [python, "-m", "venv", str(environment)],
        [str(own), "-m", "pip", "install", "-q", "-r", "requirements.txt"],
        [str(own), "-m", "pip", "install", "-q", *trial.libraries],
        [str(own), "scripts/lessons.py", "check"],
        [str(own), "-m", "mkdocs", "build", "-q"],
    ):
        done = subprocess.run(command, cwd=course, env=clean_environment(), capture_output=True, text=True, check=False)
        if done.returncode:
            return False, f"{' '.join(command[1:4])}:\n{(done.stdout + done.stderr)[-6000:]}"
    return True, _says(str(own), versions)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.versions", description=__doc__.split("\n")[0])
    parser.add_argument("pythons", nargs="*", help="interpreters that are not on the path as python3.12 and the like")
    named = parser.parse_args().pythons
    places = {_says(python, "import sys; print('%d.%d' % sys.version_info[:2])"): python for python in named}
    outcomes = []
    for trial in trials():
        python = find_python(trial.python, places)
        if python is None:
            outcomes.append(f"not tried   {trial}: there is no such Python here")
            continue
        print(f"{trial} …", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="versions-") as folder:
            right, said = attempt(trial, python, Path(folder))
        outcomes.append(f"{'right      ' if right else 'WRONG      '} {trial}: {said}")
    print("\n".join(outcomes))
    return int(any(line.startswith("WRONG") for line in outcomes))


if __name__ == "__main__":
    sys.exit(main())
