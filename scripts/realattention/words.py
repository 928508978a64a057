"""From pieces to words: what a person reads in a map. Marks are <s>, </s> and punctuation."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np

from realattention.errors import RealAttentionError
from realattention.unigram import SPACE

SPECIAL = ("<s>", "</s>", "[CLS]", "[SEP]")


@dataclass(frozen=True)
class Word:
    """A word or a mark, and the places of its pieces among the tokens."""

    text: str
    places: tuple[int, ...]
    mark: bool


def is_mark(piece: str) -> bool:
    """Whether a piece is <s>, </s> or nothing but punctuation."""
    text = piece.strip(SPACE)
    return piece in SPECIAL or (bool(text) and all(unicodedata.category(letter)[0] in "PS" for letter in text))


def words_of(pieces: tuple[str, ...]) -> tuple[Word, ...]:
    """Pieces put together again, for both notations: ▁ before a word (XLM-R), ## before its continuation (BERT).

    A mark ends a word; a lone ▁ belongs to the piece after it.
    """
    wordpiece = "[CLS]" in pieces
    groups: list[list[int]] = []
    for place, piece in enumerate(pieces):
        begins = not piece.startswith("##") if wordpiece else piece.startswith(SPACE)
        before = pieces[place - 1] if place else ""
        if (begins and before != SPACE) or is_mark(piece) or is_mark(before):
            groups.append([place])
        else:
            groups[-1].append(place)
    return tuple(
        Word(_text(pieces, group), tuple(group), all(is_mark(pieces[place]) for place in group)) for group in groups
    )


def _text(pieces: tuple[str, ...], group: list[int]) -> str:
    return "".join(pieces[place].removeprefix("##") for place in group).replace(SPACE, "")


def word_level(weights: np.ndarray, words: tuple[Word, ...]) -> np.ndarray:
    """Weights between tokens, (…, n, n), as weights between words: columns of a word's pieces summed, rows averaged.

    Each row still sums to 1.
    """
    columns = np.stack([weights[..., list(word.places)].sum(axis=-1) for word in words], axis=-1)
    return np.stack([columns[..., list(word.places), :].mean(axis=-2) for word in words], axis=-2)


def find_word(words: tuple[Word, ...], wanted: str, sentence: str) -> int:
    """Index of the only word with this text (capital letters do not count).

    Raises RealAttentionError if it is not there, or more than once.
    """
    found = [index for index, word in enumerate(words) if word.text.casefold() == wanted.casefold() and not word.mark]
    if len(found) == 1:
        return found[0]
    listed = " · ".join(word.text for word in words)
    how_often = "is not a word of" if not found else f"stands {len(found)} times in"
    raise RealAttentionError(f"“{wanted}” {how_often} “{sentence}”.\n    Its words and marks are: {listed}")
