"""Text whose width nobody can measure: an SVG is drawn before the reader's browser picks the font.

Widths are therefore estimated from above, by classes of characters after DejaVu Sans, which is wider than the
usual fonts of pages. A label takes at most the room that it is given here; in a narrower font it takes less.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_CLASSES = (
    (0.36, "iIjJlíìîïÍÌÎÏІіЇїјЈ|.,:;'’‘· \u00a0\u202f"),
    (0.48, 'frt()[]/\\-!"₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹'),
    (0.54, "*°`–⁻"),
    (0.76, "дцъм"),
    (0.88, "+=<>~^#&×÷±¬−ωώŵ"),
    (0.95, "wжшщыюфљњ"),
    (1.0, "mM%@æ—…©®¼½¾ŴĦ"),
)
_EM = {character: em for em, characters in _CLASSES for character in characters}
_WIDEST = 1.1  # Ж, Ш, Œ, arrows, other scripts


def _em(character: str) -> float:
    if character in _EM:
        return _EM[character]
    if unicodedata.combining(character):
        return 0.0
    common = "!" <= character < "\u0180" or "Α" <= character <= "ώ" or "Ё" <= character <= "џ"
    if not common or character in "WЖШЩЮЉЊŒœÆŉ":
        return _WIDEST
    return 0.89 if character.isupper() else 0.7 if character.isalpha() and character > "~" else 0.66


def width(text: str, size: float) -> float:
    """Room for a text, in the unit of ``size`` (the font size); never less than it takes in DejaVu Sans."""
    return size * sum(map(_em, text))


def widest(texts: Sequence[str], size: float) -> float:
    """Room for the widest of some texts; 0 if there are none."""
    return max((width(text, size) for text in texts), default=0.0)


_SHOWN = {"\n": "↵", "\t": "⇥", "\x7f": "␡"} | {chr(code): chr(0x2400 + code) for code in range(9)}
_SHOWN |= {chr(code): chr(0x2400 + code) for code in range(11, 32)}


def visible(token: str) -> str:
    """A token as a reader can see it: ``" banco"`` → ``"␣banco"``, a newline → ``"↵"``, nothing → ``"∅"``."""
    if not token:
        return "∅"
    kept = token.strip(" ")
    lead = len(token) - len(token.lstrip(" "))
    tail = len(token) - len(kept) - lead
    return "␣" * lead + "".join(_SHOWN.get(character, character) for character in kept) + "␣" * tail


def abbreviate(text: str, size: float, room: float) -> str:
    """The text, without its middle if it needs more than ``room``: ends such as -1, -2 tell labels apart."""
    if width(text, size) <= room:
        return text
    for kept in range(len(text) - 1, 1, -1):
        tail = kept // 3
        short = f"{text[:kept - tail].rstrip()}…{text[len(text) - tail:].lstrip()}"
        if width(short, size) <= room:
            return short
    return text[:1] + "…"


def wrap(text: str, size: float, room: float) -> list[str]:
    """Lines of whole words, each within ``room``; a single word that is wider is abbreviated."""
    lines: list[str] = []
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and width(joined, size) <= room:
            lines[-1] = joined
        else:
            lines.append(abbreviate(word, size, room))
    return lines
