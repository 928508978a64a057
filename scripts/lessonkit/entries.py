"""Files that are whole or not there: what every store of the course is made of.

A store that is damaged, full or read-only costs a warning, and what it should have
held is made again; it never raises and never gives back anything but what was saved.
"""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

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

    def is_empty(self) -> bool:
        """Whether nothing was ever kept here, or nobody may look."""
        try:
            with os.scandir(self._folder) as files:
                return next(files, None) is None
        except OSError:
            return True

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
