"""Results kept between builds, in files that are whole or not there.

`EntryStore` keeps bytes under a key and knows nothing of what they mean; `ResultStore` keeps runs of
programs, and gives back only those whose dependencies are still the same. Neither ever raises: a store that
is damaged, full or read-only costs a warning and a new run.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from lessonkit.dependencies import Dependencies, Snapshot
from lessonkit.journal import Run
from lessonkit.results import CellResult, Result, Value
from lessonkit.runner import Job
from lessonkit.versions import engine_digest

log = logging.getLogger("lessonkit")

MAGIC = b"lessonkit 1 "
KEPT_FOR = 14 * 24 * 3600
"""Seconds after its last use that an entry is kept."""
TOUCHED_EVERY = 24 * 3600
"""Seconds: the time of last use need not be more exact."""


class EntryStore:
    """Files named by a key. Safe for any number of builds at once, without locks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._warned = False

    def load(self, key: str) -> bytes | None:
        """What was saved under `key`; None if there is nothing, or if it is damaged."""
        path = self._path(key)
        try:
            with open(path, "rb") as file:
                head, data = file.readline(), file.read()
                used = os.fstat(file.fileno()).st_mtime
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn(f"cannot be read ({error.strerror})")
            return None
        if head != _head(data):
            self._warn("holds a damaged entry, which is made again")
            return None
        if time.time() - used > TOUCHED_EVERY:
            with suppress(OSError):  # read-only: then nothing is swept away either
                os.utime(path)
        return data

    def save(self, key: str, data: bytes) -> None:
        """Keep `data` under `key`. The entry appears whole or not at all."""
        path = self._path(key)
        draft = f"{path}.{os.getpid()}.{secrets.token_hex(4)}.tmp"
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                with open(draft, "wb") as file:
                    file.write(_head(data) + data)
                os.replace(draft, path)
            except BaseException:
                _remove(draft)
                raise
        except OSError as error:
            self._warn(f"cannot be written ({error.strerror})")

    def sweep(self, now: float | None = None) -> None:
        """Remove entries that nobody used for two weeks, and drafts that a killed build left."""
        now = time.time() if now is None else now
        try:
            with os.scandir(self._folder) as files:
                for file in files:
                    age = now - file.stat().st_mtime
                    if age > (TOUCHED_EVERY if file.name.endswith(".tmp") else KEPT_FOR):
                        _remove(file.path)
        except OSError:  # not there, or being swept by another build
            pass

    def _path(self, key: str) -> str:
        return os.path.join(self._folder, key)

    def _warn(self, what: str) -> None:
        """Once: hundreds of entries on a full disk are one fault."""
        if not self._warned:
            self._warned = True
            log.warning("The store %s %s", self._folder, what)


def _head(data: bytes) -> bytes:
    return MAGIC + hashlib.blake2b(data, digest_size=16).hexdigest().encode() + b"\n"


def _remove(path: str) -> None:
    with suppress(OSError):
        os.remove(path)


class ResultStore:
    """Runs of programs."""

    def __init__(self, folder: Path) -> None:
        self._entries = EntryStore(folder)

    def load(self, key: str, now: Snapshot) -> Result | None:
        """The stored result, if everything that it depends on is the same in `now`."""
        data = self._entries.load(key)
        if data is None:
            return None
        dependencies, _, result = data.partition(b"\n")
        try:
            if Dependencies.from_json(json.loads(dependencies)).hold(now):
                return _result_from_json(json.loads(result))
        except (ValueError, KeyError, TypeError) as error:  # whole, and yet not what this engine writes
            log.warning(
                "A stored result cannot be read (%s: %s); the program is run", type(error).__name__, error
            )
        return None

    def save(self, key: str, run: Run) -> None:
        """Keep a run; one without dependencies (it failed, or files changed under it) is not kept."""
        if run.dependencies is not None:
            parts = (run.dependencies.to_json(), asdict(run.result))
            self._entries.save(key, "\n".join(map(json.dumps, parts)).encode("ascii"))

    def sweep(self) -> None:
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
        )
    )


def _value_from_json(data: dict) -> Value:
    return Value(None if data["numbers"] is None else tuple(data["numbers"]), data["text"], data["error"])
