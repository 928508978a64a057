"""Trainings of the translator in the lesson on alignment that take longer than its page may.

    python scripts/translator_trainings.py write           writes snippets/data/translator-trainings.json (two minutes)
    python scripts/translator_trainings.py write --check   trains again and says where the file differs

The model is not written down a second time: the cells of the lesson's own program are executed, up to `translate`.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: small matrices, and the same sums everywhere

import argparse
import contextlib
import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lessonkit.project import ProgramName, Project
from lessonkit.snippets import read_snippet

PROJECT = Project(Path(__file__).resolve().parent.parent)
PROGRAM = ProgramName("es", "alignment", "translator")
DATA = PROJECT.snippets / "data" / "translator-trainings.json"
LAST_CELL = "translate"
TOLERANCE = 0.02
"""Of a share: another BLAS rounds otherwise, and a training carries that on."""


@dataclass(frozen=True)
class Training:
    """Trained on sentences of one or two clauses, as in the cell `without`, with one seed after the other."""

    attends: bool
    steps: int
    seeds: int


TRAININGS = {
    "with_attention": Training(attends=True, steps=160, seeds=5),
    "without_attention": Training(attends=False, steps=160, seeds=5),
    "without_attention_longer": Training(attends=False, steps=640, seeds=5),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="command")
    write = commands.add_parser("write", help="train and write the file")
    write.add_argument("--check", action="store_true", help="write nothing; compare with the file that is there")
    check = parser.parse_args(arguments).check

    program = load_program()
    computed = {name: [measure(program, training, seed) for seed in range(training.seeds)]
                for name, training in TRAININGS.items()}
    if check:
        found = differences(json.loads(DATA.read_text(encoding="utf-8")), computed)
        print(*found or [f"{DATA.name} agrees with what is computed now"], sep="\n")
        return 1 if found else 0
    DATA.write_text(json.dumps(computed, indent=1) + "\n", encoding="utf-8", newline="\n")
    print(f"{PROJECT.relative(DATA)} is written")
    return 0


def load_program() -> dict[str, Any]:
    """The names that the lesson's program has after its cell `translate`."""
    snippet = read_snippet(PROJECT, PROGRAM)
    names: dict[str, Any] = {"__name__": PROGRAM.name, "__file__": str(PROJECT.root / PROGRAM.path)}
    for cell in snippet.cells:
        with contextlib.redirect_stdout(io.StringIO()):  # the lesson's own output
            exec(compile(cell.code, f"{PROGRAM.path}:{cell.name}", "exec"), names)
        if cell.name == LAST_CELL:
            return names
    raise SystemExit(f"{PROGRAM.path}: no cell `{LAST_CELL}`; LAST_CELL must name the one that judges")


def measure(program: dict[str, Any], training: Training, seed: int) -> list[float]:
    """Shares of held-out sentences of one, two and three clauses without a single error."""
    model = program["train"](training.attends, seed, steps=training.steps, most_clauses=2)
    return [program["exact"](model, clauses) for clauses in (1, 2, 3)]


def differences(stored: dict[str, Any], computed: dict[str, Any]) -> list[str]:
    """A line for each share further than `TOLERANCE` from the stored one, and for each training that one lacks."""
    found = [f"{name}: is in one of them only" for name in sorted(stored.keys() ^ computed.keys())]
    for name in sorted(stored.keys() & computed.keys()):
        if len(stored[name]) != len(computed[name]):
            found.append(f"{name}: {len(stored[name])} seeds stored, {len(computed[name])} computed")
        for seed, pair in enumerate(zip(stored[name], computed[name], strict=False)):
            for clauses, (old, new) in enumerate(zip(*pair, strict=True), start=1):
                if abs(old - new) > TOLERANCE:
                    found.append(f"{name}, seed {seed}, {clauses} clauses: {old} stored, {new} computed")
    return found


if __name__ == "__main__":
    sys.exit(main())
