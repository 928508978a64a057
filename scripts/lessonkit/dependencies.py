"""What a run depended on besides its program, and whether that is still the same."""

from __future__ import annotations

import hashlib
import importlib.machinery
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from lessonkit.machine_paths import library_folders

ENGINE = os.path.dirname(os.path.abspath(__file__))
SUFFIXES = tuple(sorted(importlib.machinery.all_suffixes(), key=len, reverse=True))
"""Endings of files that can be imported: .cpython-311-x86_64-linux-gnu.so, .so, .py, .pyc."""
NOT_SOURCES_AT_ROOT = {".cache", ".git", "site"}
NOT_SOURCES = {"node_modules", "site-packages", "__pycache__"}
"""Folders whose files are no part of the project, at its root and anywhere below it."""

# In a program's process these are watched (tracing) or may be replaced: the originals are kept here.
_stat, _listdir = os.stat, os.listdir


@dataclass
class Dependencies:
    """Everything is named by its place (see `ProjectFiles`), and described by what `Snapshot` says of it."""

    files: dict[str, str | None] = field(default_factory=dict)
    """Files opened: digest of the content; None for what was not there."""
    folders: dict[str, str | None] = field(default_factory=dict)
    """Folders listed: digest of the names."""
    presence: dict[str, str | None] = field(default_factory=dict)
    """Files asked for without being opened: "file of 12 bytes", "folder" or None."""
    imports: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """Folders searched for modules.

    For each module asked for there, the files that it could have come from.
    """
    unhidden: dict[str, list[str]] = field(default_factory=dict)
    """Folders in which no file hides a module of Python's own, or one of these."""
    patterns: dict[str, str] = field(default_factory=dict)
    """Declared `reads`, as folder/pattern: digest of names and contents."""

    def hold(self, now: Snapshot) -> bool:
        """Whether all of it is the same in `now`."""
        return (
            all(now.file(place) == digest for place, digest in self.files.items())
            and all(now.folder(place) == digest for place, digest in self.folders.items())
            and all(now.presence(place) == kind for place, kind in self.presence.items())
            and all(
                now.importable(place).get(module, []) == candidates
                for place, modules in self.imports.items()
                for module, candidates in modules.items()
            )
            and not any(now.hiding(place, modules) for place, modules in self.unhidden.items())
            and all(now.pattern(pattern) == digest for pattern, digest in self.patterns.items())
        )

    def to_json(self) -> dict:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict) -> Dependencies:
        return cls(**{part.name: data[part.name] for part in fields(cls)})


class ProjectFiles:
    """Tells the project's files from all others.

    A place is a path relative to the root, with forward slashes; an absolute path for a Python module that
    lies neither in the project nor among the installed packages (another checkout, say).
    """

    def __init__(self, root: Path | str, ignored: Iterable[str] = ()) -> None:
        """`ignored`: further folders that hold nothing of the project, such as the scratch folder."""
        self.root = os.path.abspath(root)
        roots = {self.root, os.path.realpath(self.root)}
        # The engine's own source is in every key already.
        libraries = {*library_folders(), sys.prefix, sys.base_prefix, sys.exec_prefix, ENGINE, *ignored}
        libraries |= {os.path.realpath(folder) for folder in libraries}
        self._owners = [(folder.rstrip(os.sep) + os.sep, folder in roots) for folder in roots | libraries]
        self._owners.sort(key=lambda owner: len(owner[0]), reverse=True)  # the innermost folder decides
        self._environments: dict[str, bool] = {}

    def place(self, path: object) -> str | None:
        """The place of a file, whether it exists or not; None if it is none of the project's."""
        try:
            absolute = os.path.abspath(os.fsdecode(path))  # type: ignore[arg-type]
        except (
            TypeError,
            ValueError,
            OSError,
        ):  # a number of an open file, a path with a null, a lost folder
            return None
        for folder, ours in self._owners:
            if absolute.startswith(folder) or absolute + os.sep == folder:
                return self._below(folder, absolute[len(folder) :]) if ours else None
        return absolute.replace(os.sep, "/") if absolute.endswith(".py") else None

    def _below(self, root: str, rest: str) -> str | None:
        parts = rest.split(os.sep)
        if parts[0] in NOT_SOURCES_AT_ROOT or not NOT_SOURCES.isdisjoint(parts):
            return None
        folder = root.rstrip(os.sep)
        for part in parts:
            folder = folder + os.sep + part
            if self._is_environment(folder):
                return None
        return "/".join(parts) or "."

    def _is_environment(self, folder: str) -> bool:
        if folder not in self._environments:
            self._environments[folder] = _kind(os.path.join(folder, "pyvenv.cfg")) == "file"
        return self._environments[folder]


class Snapshot:
    """The project's files as they are while one build lasts.

    Each is read once, however many programs use it.
    """

    def __init__(self, root: Path | str) -> None:
        self._root = os.path.abspath(root)
        self._files: dict[str, str | None] = {}
        self._folders: dict[str, list[str] | None] = {}
        self._importable: dict[str, dict[str, list[str]]] = {}
        self._patterns: dict[str, str] = {}

    def path(self, place: str) -> str:
        return os.path.join(self._root, place)

    def file(self, place: str) -> str | None:
        """Digest of the content; None if it cannot be read."""
        if place not in self._files:
            self._files[place] = digest_file(self.path(place))
        return self._files[place]

    def folder(self, place: str) -> str | None:
        """Digest of the names in a folder; None if there is no such folder."""
        names = self.names(place)
        return None if names is None else digest("\0".join(names).encode("utf-8", "surrogateescape"))

    def presence(self, place: str) -> str | None:
        """What `os.stat` tells of a file and a lesson may use: its kind and size, not its times."""
        path = self.path(place)
        kind = _kind(path)
        if kind != "file":
            return kind
        try:
            return f"file of {_stat(path).st_size} bytes"
        except OSError:  # gone since
            return None

    def importable(self, place: str) -> dict[str, list[str]]:
        """For each module that an import could find in the folder, the files and folders of its name."""
        if place not in self._importable:
            found: dict[str, list[str]] = {}
            for name in self.names(place) or ():
                ending = next((suffix for suffix in SUFFIXES if name.endswith(suffix)), None)
                if ending:
                    found.setdefault(name[: -len(ending)], []).append(name)
                elif (
                    "." not in name
                    and name != "__pycache__"
                    and _kind(self.path(f"{place}/{name}")) == "folder"
                ):
                    inside = "/__init__.py" if _kind(self.path(f"{place}/{name}/__init__.py")) else "/"
                    found.setdefault(name, []).append(name + inside)
            self._importable[place] = found
        return self._importable[place]

    def hiding(self, place: str, modules: Iterable[str]) -> list[str]:
        """Files in a folder that bear the name of one of Python's own modules or of `modules`."""
        importable = self.importable(place)
        named = sorted(importable.keys() & (sys.stdlib_module_names | set(modules)))
        return [f"{place}/{file}" for name in named for file in importable[name] if file.endswith(".py")]

    def pattern(self, place: str) -> str:
        """Digest of names and contents of all files that match a pattern, `snippets/es/masks/data/*.txt`."""
        if place not in self._patterns:
            self._patterns[place] = digest_pattern(self._root, place)
        return self._patterns[place]

    def names(self, place: str) -> list[str] | None:
        """Names in a folder, sorted; None if there is no such folder."""
        if place not in self._folders:
            try:
                self._folders[place] = sorted(_listdir(self.path(place)))
            except OSError:
                self._folders[place] = None
        return self._folders[place]


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def digest_file(path: str) -> str | None:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    try:
        found = hashlib.blake2b(digest_size=16)
        while block := os.read(handle, 1 << 20):
            found.update(block)
        return found.hexdigest()
    except OSError:  # a folder
        return None
    finally:
        os.close(handle)


def digest_pattern(root: str, place: str) -> str:
    base, parts = root, place.split("/")
    while parts and not any(sign in parts[0] for sign in "*?["):
        base = os.path.normpath(os.path.join(base, parts.pop(0)))
    paths: Iterable[Path] = Path(base).glob("/".join(parts)) if parts else [Path(base)]
    lines = sorted(
        f"{os.path.relpath(path, root)}\0{digest_file(str(path))}" for path in paths if path.is_file()
    )
    return digest("\n".join(lines).encode("utf-8", "surrogateescape"))


def _kind(path: str) -> str | None:
    try:
        mode = _stat(path).st_mode
    except (OSError, ValueError):
        return None
    return "folder" if mode & 0o170000 == 0o040000 else "file"
