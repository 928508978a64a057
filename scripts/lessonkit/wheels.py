"""The course's libraries as a wheel, which a notebook installs where they are missing."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from pathlib import Path

from lessonkit.project import LIBRARIES

NAME, VERSION = "attention-course", "1.0"
"""As in pyproject.toml."""
FILE_NAME = f"{NAME.replace('-', '_')}-{VERSION}-py3-none-any.whl"
_INFO = f"{NAME.replace('-', '_')}-{VERSION}.dist-info"
_METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: nanotorch and vis, the libraries of the course on attention
License: MIT
Requires-Python: >=3.11
Requires-Dist: numpy>=1.26
Requires-Dist: matplotlib
"""
_WHEEL = "Wheel-Version: 1.0\nGenerator: lessonkit\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_SUFFIXES = (".py", ".mplstyle")


def library_wheel(snippets: Path) -> bytes:
    """A wheel of nanotorch and vis as they lie in `snippets`. The same sources give the same bytes: nothing in it is
    compressed, and nothing is dated."""
    files = {
        f"{name}/{file.relative_to(snippets / name).as_posix()}": file.read_bytes().replace(b"\r\n", b"\n")
        for name in LIBRARIES
        for file in sorted((snippets / name).rglob("*"))
        if file.suffix in _SUFFIXES and file.is_file()
    }
    files |= {f"{_INFO}/METADATA": _METADATA.encode(), f"{_INFO}/WHEEL": _WHEEL.encode()}
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{_INFO}/RECORD"] = f"{record}{_INFO}/RECORD,,\n".encode()
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, wherever it is made
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, data)
    return written.getvalue()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
