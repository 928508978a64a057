"""Cuts a sentence into the pieces of XLM-R: normalise, mark spaces, take the likeliest cut (Kudo 2018, SentencePiece)."""

from __future__ import annotations

from dataclasses import dataclass

from realattention.e5_file import Vocabulary

SPACE = "\u2581"
UNKNOWN_PENALTY = 10.0
# XLM-R counts <s>, <pad>, </s>, <unk> first; the file's own order is that of the ids already.


@dataclass(frozen=True)
class Tokens:
    """Pieces of a sentence with their ids, the two special ones included."""

    pieces: tuple[str, ...]
    ids: tuple[int, ...]


class Tokenizer:
    """Pieces and ids of a sentence, by the vocabulary of the model's file."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        special = (vocabulary.begin, vocabulary.end, vocabulary.unknown, 1)
        self._ids = {piece: index for index, piece in enumerate(vocabulary.pieces) if index not in special}
        self._longest = max(map(len, self._ids))
        self._unknown_score = float(vocabulary.scores.min()) - UNKNOWN_PENALTY

    def __call__(self, sentence: str) -> Tokens:
        """The sentence's pieces between <s> and </s>."""
        found = self._best_cut(self._normalise(sentence))
        inner = [self._ids.get(piece, self._vocabulary.unknown) for piece in found]
        return Tokens(("<s>", *found, "</s>"), (self._vocabulary.begin, *inner, self._vocabulary.end))

    def _normalise(self, sentence: str) -> str:
        text = "".join(self._vocabulary.replacements.get(character, character) for character in sentence)
        return SPACE + SPACE.join(word for word in text.split(" ") if word)

    def _best_cut(self, text: str) -> list[str]:
        """Viterbi: ``best[end]`` is the highest sum of scores of any cut of ``text[:end]``, and where its last piece begins."""
        best: list[tuple[float, int]] = [(0.0, 0)]
        for end in range(1, len(text) + 1):
            options = [(best[end - 1][0] + self._unknown_score, end - 1)]
            for start in range(max(0, end - self._longest), end):
                index = self._ids.get(text[start:end])
                if index is not None:
                    options.append((best[start][0] + float(self._vocabulary.scores[index]), start))
            best.append(max(options))
        pieces, end = [], len(text)
        while end:
            start = best[end][1]
            pieces.append(text[start:end])
            end = start
        return pieces[::-1]
