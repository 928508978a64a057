"""Runs of programs kept between builds: one is given back only if all that it depended on is still the same."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import asdict
from pathlib import Path

from lessonkit.dependencies import Dependencies, Snapshot
from lessonkit.entries import EntryStore
from lessonkit.journal import Run
from lessonkit.results import CellResult, Result, Value
from lessonkit.runner import Job
from lessonkit.versions import engine_digest

log = logging.getLogger("lessonkit")


class ResultStore:
    """Runs of programs."""

    def __init__(self, folder: Path) -> None:
        self._entries = EntryStore(folder)
        self._read: dict[str, tuple[Dependencies, Result]] = {}
        """What was read, for the next build of this process: figures make it megabytes."""
        self._used: set[str] = set()

    def is_empty(self) -> bool:
        """Whether every program will run."""
        return self._entries.is_empty()

    def load(self, key: str, now: Snapshot) -> Result | None:
        """The stored result, if everything that it depends on is the same in `now`."""
        known = self._read.get(key) or self._parsed(key)
        if known is None or not known[0].hold(now):
            return None
        self._read[key] = known
        self._used.add(key)
        return known[1]

    def _parsed(self, key: str) -> tuple[Dependencies, Result] | None:
        data = self._entries.load(key)
        if data is None:
            return None
        dependencies, _, result = data.partition(b"\n")
        try:
            return Dependencies.from_json(json.loads(dependencies)), _result_from_json(json.loads(result))
        except (ValueError, KeyError, TypeError) as error:  # whole, and yet not what this engine writes
            log.warning(
                "A stored result cannot be read (%s: %s); the program is run", type(error).__name__, error
            )
        return None

    def save(self, key: str, run: Run) -> None:
        """Keep a run; one without dependencies (it failed, or files changed under it) is not kept."""
        self._read.pop(key, None)
        if run.dependencies is not None:
            parts = (run.dependencies.to_json(), asdict(run.result))
            self._entries.save(key, "\n".join(map(json.dumps, parts)).encode("ascii"))

    def sweep(self) -> None:
        """Called when a build has its results: what it did not use is forgotten, old entries are removed."""
        self._read = {key: self._read[key] for key in self._used & self._read.keys()}
        self._used.clear()
        self._entries.sweep()


def result_key(job: Job, python: str) -> str:
    """Digest of all that a result depends on and that is known before the run.

    `python` is `python_digest()`.
    """
    parts = (str(job.snippet.name), job.snippet.text, job.questions, engine_digest(), python)
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


def _result_from_json(data: dict) -> Result:
    return Result(
        tuple(
            CellResult(
                cell["output"],
                tuple(cell["figures"]),
                tuple((question, _value_from_json(value)) for question, value in cell["values"]),
                cell["planned_error"],
            )
            for cell in data["cells"]
        ),
        files=tuple(data["files"]),
    )


def _value_from_json(data: dict) -> Value:
    return Value(None if data["numbers"] is None else tuple(data["numbers"]), data["text"], data["error"])
