"""Text of a source file, as every reader wants it: UTF-8, no byte-order mark, LF line ends."""

from __future__ import annotations

from lessonkit.problems import Problem
from lessonkit.project import Project


def read_source(project: Project, path: str, *, rule: str) -> tuple[str, Problem | None]:
    """(text, None), or ("", problem) if the file is missing or is not UTF-8.

    `path` is relative to the root. The problem names the first line that is not UTF-8.
    """
    try:
        data = (project.root / path).read_bytes()
    except OSError as error:
        return "", Problem(path, 0, rule, f"This file cannot be read: {error.strerror}", "Look at its name and rights.")
    return decode_source(data, path, rule=rule)


def decode_source(data: bytes, path: str, *, rule: str) -> tuple[str, Problem | None]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        return "", Problem(path, line, rule, f"This line is not UTF-8 (byte 0x{byte:02x})", "Save the file as UTF-8.")
    return text.replace("\r\n", "\n").replace("\r", "\n"), None
