"""Absolute paths of the machine that builds: found in what a page would publish, shortened in messages."""

from __future__ import annotations

import functools
import os
import re
import site
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path


@functools.cache
def library_folders() -> tuple[str, ...]:
    """Where Python and its installed packages lie, as given and with links resolved, the longest first."""
    found = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    found |= (
        {*site.getsitepackages(), site.getusersitepackages()} if hasattr(site, "getsitepackages") else set()
    )
    found |= {os.path.realpath(folder) for folder in found if folder}
    return tuple(sorted((folder for folder in found if folder), key=len, reverse=True))


class MachinePaths:
    """Knows the folders that differ from one machine to the next.

    The checkout, Python's own, the scratch folder.
    """

    def __init__(self, root: Path | str, scratch: Iterable[Path | str] = ()) -> None:
        roots = _spellings([root])
        own = _spellings([*scratch])
        python = _spellings([*library_folders(), *(folder for folder in _environment_folders())])
        self._root = _pattern(roots)
        self._any = _pattern(roots | own | python)

    def find(self, text: str) -> str | None:
        """The first path of this machine in `text`, up to the next space or quote; None if there is none."""
        match = self._any.search(text)
        if not match:
            return None
        return re.match(r"[^\s\"'<>|]*", text[match.start() :])[0] or match[0]

    def shorten_root(self, text: str) -> str:
        """`text` with paths below the project's root made relative to it."""
        return self._root.sub("", text)

    def shorten(self, text: str) -> str:
        """`text` with all paths of this machine made relative to the folder that they lie in."""
        return self._any.sub("", self._root.sub("", text))


def _environment_folders() -> Iterable[str]:
    """The virtual environment, which also holds the interpreter.

    A system-wide prefix (/usr) says nothing of anyone.
    """
    if sys.prefix != sys.base_prefix:
        yield sys.prefix
    if len(Path(sys.base_prefix).parts) > 3:
        yield sys.base_prefix


def _spellings(folders: Iterable[Path | str]) -> set[str]:
    found = set()
    for folder in map(str, folders):
        for path in (folder, os.path.realpath(folder)):
            if len(Path(path).parts) > 1:
                found |= {path, path.replace("\\", "/"), path.replace("\\", "\\\\")}
    return found


def _pattern(paths: set[str]) -> re.Pattern[str]:
    if not paths:
        return re.compile(r"(?!)")
    longest_first = sorted(paths, key=len, reverse=True)
    return re.compile(
        r"(?<![\w.])(?:" + "|".join(map(re.escape, longest_first)) + r")(?:(?:\\\\|[/\\])|(?![\w-]))"
    )
