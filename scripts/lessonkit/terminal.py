"""What a terminal would show of printed text: carriage returns obeyed, colours and other sequences gone."""

from __future__ import annotations

import re
import unicodedata

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
TOKENS = re.compile(
    r"(?P<text>[^\x00-\x08\x0a-\x1f\x7f-\x9f]+)"
    r"|(?P<newline>[\n\x0b\x0c\x85])"
    r"|(?P<return>\r)"
    r"|(?P<back>\x08)"
    r"|(?:\x1b\[|\x9b)(?P<numbers>[0-?]*)[ -/]*(?P<final>[@-~])"  # CSI: cursor moves, erasing, colours
    r"|(?:\x1b[PX^_\]]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)"  # OSC: titles, links
    r"|\x1b[ -/]*[0-~]?"  # other escape sequences
    r"|.",  # a bell, a lone control character
    re.DOTALL,
)
WIDEST = 10_000
"""Columns that a cursor move may reach; a typing error must not cost gigabytes."""


def plain_text(printed: str) -> str:
    """`printed` as a terminal shows it in the end, with LF line ends.

    A redrawn line keeps its last state only (progress bars), as does one that is reached again by moving
    the cursor up. Colours, links and other sequences go; tabs stay.
    """
    printed = printed.replace("\r\n", "\n")
    if not CONTROLS.search(printed):
        return printed
    screen = _Screen()
    for token in TOKENS.finditer(printed):
        screen.take(token)
    return screen.text()


class _Screen:
    """A grid that has no bottom: a list of characters a line, and the cursor."""

    def __init__(self) -> None:
        self._lines: list[list[str]] = [[]]
        self._row = 0
        self._column = 0

    def text(self) -> str:
        return "\n".join("".join(line) for line in self._lines)

    def take(self, token: re.Match[str]) -> None:
        if token["text"]:
            self._write(token["text"])
        elif token["newline"]:
            self._row += 1
            self._column = 0
            if self._row == len(self._lines):
                self._lines.append([])
        elif token["return"]:
            self._column = 0
        elif token["back"]:
            self._column = max(0, self._column - 1)
        elif token["final"]:
            self._control(token["final"], token["numbers"])

    def _write(self, text: str) -> None:
        line = self._lines[self._row]
        characters = list(text)
        if not text.isascii():
            characters = _join_combining(characters, line, self._column)
        if len(line) < self._column:
            line.extend(" " * (self._column - len(line)))
        line[self._column : self._column + len(characters)] = characters
        self._column += len(characters)

    def _control(self, final: str, numbers: str) -> None:
        first = numbers.split(";")[0]
        count = int(first) if first.isdecimal() else 0
        steps = max(1, count)
        line = self._lines[self._row]
        if final == "A":
            self._row = max(0, self._row - steps)
        elif final == "F":
            self._row, self._column = max(0, self._row - steps), 0
        elif final == "B":
            self._row = min(len(self._lines) - 1, self._row + steps)
        elif final == "E":
            self._row, self._column = min(len(self._lines) - 1, self._row + steps), 0
        elif final == "C":
            self._column = min(WIDEST, self._column + steps)
        elif final == "D":
            self._column = max(0, self._column - steps)
        elif final == "G":
            self._column = min(WIDEST, steps - 1)
        elif final == "H" and not numbers:
            self._row = self._column = 0
        elif final == "K":
            if count == 0:
                del line[self._column :]
            else:
                line[: self._column] = " " * min(self._column, len(line))
                if count == 2:
                    line.clear()
        elif final == "J" and count == 0:
            del line[self._column :]
            del self._lines[self._row + 1 :]
        elif final == "J" and count >= 2:
            self._lines = [[] for _ in self._lines[: self._row + 1]]


def _join_combining(characters: list[str], line: list[str], column: int) -> list[str]:
    """Characters with their accents as one: a combining accent takes no column of its own."""
    joined: list[str] = []
    for character in characters:
        if not unicodedata.combining(character):
            joined.append(character)
        elif joined:
            joined[-1] += character
        elif 0 < column <= len(line):
            line[column - 1] += character
    return joined
