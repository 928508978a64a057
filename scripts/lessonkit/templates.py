"""A theme's Jinja environment that a second build need not set up again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import jinja2

from lessonkit.entries import EntryStore

_environments: dict[tuple[str, ...], jinja2.Environment] = {}


def shared_environment(
    make: Callable[[], jinja2.Environment], folders: tuple[str, ...], bytecode: Path
) -> jinja2.Environment:
    """The environment that `make` makes for the theme in `folders`, with its compiled templates kept.

    Its list of files leaves out folders whose name begins with a dot, as the site does: walking through Material's ten
    thousand icons was half of a rebuild. A changed template is noticed; a new file in the theme needs a restart.
    """
    if folders not in _environments:
        env = _environments[folders] = make()
        env.auto_reload = True
        env.bytecode_cache = _Bytecode(EntryStore(bytecode))
        files = _theme_files(folders)
        env.loader.list_templates = lambda: files
    return _environments[folders]


class _Bytecode(jinja2.BytecodeCache):
    """Compiled templates in a store of the course: one that is full or read-only costs time, and no build."""

    def __init__(self, store: EntryStore) -> None:
        self._store = store
        store.sweep()

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if data := self._store.load(bucket.key):
            bucket.bytecode_from_string(data)

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self._store.save(bucket.key, bucket.bytecode_to_string())

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Jinja's own key cannot be made where the path has letters that the locale lacks."""
        return hashlib.sha1(f"{name}|{filename}".encode("utf-8", "surrogateescape")).hexdigest()


def _theme_files(folders: tuple[str, ...]) -> list[str]:
    found = set()
    for folder in folders:
        for place, inner, files in os.walk(folder):
            inner[:] = [name for name in inner if not name.startswith(".") and name != "__pycache__"]
            found.update(Path(place, name).relative_to(folder).as_posix() for name in files)
    return sorted(found)
