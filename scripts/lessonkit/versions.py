"""What every stored thing depends on: the engine's own source, Python, the installed packages."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import sys
import sysconfig
from pathlib import Path


@functools.cache
def engine_digest() -> str:
    """Digest of the engine's source as it was when this process loaded it."""
    return _digest_engine()


def engine_changed() -> bool:
    """Whether the engine was edited since this process loaded it: then what it makes must not be stored."""
    return _engine_times() != _TIMES and _digest_engine() != engine_digest()


def _engine_times() -> list[tuple[str, int, int]]:
    """Names, times and sizes of the engine's files: while they are the same, nobody need read the files."""
    with os.scandir(Path(__file__).parent) as files:
        sources = [file for file in files if file.name.endswith(".py")]
        return sorted((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in sources)


def _digest_engine() -> str:
    found = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        try:
            found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        except OSError:  # removed this moment
            continue
    return found.hexdigest()


def python_digest() -> str:
    """Digest of the interpreter and of names and versions of all installed packages."""
    parts = [sys.implementation.name, sys.version, sys.platform, platform.machine(), *_distributions()]
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def _distributions() -> list[str]:
    """Names of the folders in which packages note their version: `numpy-2.4.6.dist-info`."""
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *sys.path}
    found = set()
    for folder in folders:
        try:
            found |= {name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info"))}
        except OSError:
            continue
    return sorted(found)


engine_digest()
_TIMES = _engine_times()
