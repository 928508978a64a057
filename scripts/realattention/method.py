"""The method: which heads look from an ambiguous word at the word that decides its sense, and how many do at all.

It is that of the Spanish draft from which the course grew: among the heads whose largest weight falls on the deciding word in both
sentences, the one with the largest sum of the two weights. Layers and heads are numbered from 1 in everything
that leaves this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from realattention.model import Model, Reading


@dataclass(frozen=True)
class Case:
    """A sentence, a word of it, and the word that decides in which sense it is meant."""

    sentence: str
    word: str
    decides: str


@dataclass(frozen=True)
class Rows:
    """What all heads do with one word of one sentence."""

    reading: Reading
    place: int
    decides: int

    @property
    def weights(self) -> np.ndarray:
        """(layers, heads, words): the word's row in every head."""
        return self.reading.maps[:, :, self.place]

    @property
    def largest(self) -> np.ndarray:
        """(layers, heads): where the largest weight of the row falls."""
        return self.weights.argmax(axis=-1)

    @property
    def on_marks(self) -> int:
        """In how many heads it falls on <s>, </s> or punctuation, counted together: their vectors are all but equal."""
        return sum(self.reading.words[place].mark for place in self.largest.flat)

    @property
    def on_itself(self) -> int:
        return int((self.largest == self.place).sum())

    @property
    def on_decider(self) -> int:
        return int((self.largest == self.decides).sum())


def rows(model: Model, case: Case) -> Rows:
    """Raises RealAttentionError if a word is not in its sentence."""
    reading = model.read(case.sentence)
    return Rows(reading, reading.place(case.word), reading.place(case.decides))


def head_name(layer: int, head: int) -> list[int]:
    """[layer, head] as readers count them, from 1."""
    return [int(layer) + 1, int(head) + 1]


def qualifying(first: Rows, second: Rows) -> list[dict[str, Any]]:
    """The heads that meet the condition in both sentences, the largest sum of weights first."""
    both = (first.largest == first.decides) & (second.largest == second.decides)
    found = [
        {
            "head": head_name(layer, head),
            "weights": [first.weights[layer, head, first.decides], second.weights[layer, head, second.decides]],
        }
        for layer, head in np.argwhere(both)
    ]
    return sorted(found, key=lambda entry: -sum(entry["weights"]))


def compare(model: Model, pair: tuple[Case, Case]) -> dict[str, Any]:
    """The method's whole report on a pair of sentences."""
    sides = [rows(model, case) for case in pair]
    return {
        "sentences": [case.sentence for case in pair],
        "words": [case.word for case in pair],
        "decides": [case.decides for case in pair],
        "heads": int(sides[0].largest.size),
        "qualifying": qualifying(*sides),
        "on_decider": [side.on_decider for side in sides],
        "on_marks": [side.on_marks for side in sides],
        "on_itself": [side.on_itself for side in sides],
    }


def placebo(model: Model, pair: tuple[Case, Case]) -> dict[str, Any]:
    """The same condition for every other pair of words: how many heads would have been found for a senseless question."""
    first, second = (rows(model, case) for case in pair)
    targets = [
        [place for place, word in enumerate(side.reading.words) if not word.mark and place != side.place]
        for side in (first, second)
    ]
    table = [
        [int(((first.largest == one) & (second.largest == other)).sum()) for other in targets[1]] for one in targets[0]
    ]
    return {
        "rows": [first.reading.words[place].text for place in targets[0]],
        "columns": [second.reading.words[place].text for place in targets[1]],
        "heads": table,
    }


KINDS = ("next", "previous", "itself", "marks", "broad")


def habits(reading: Reading) -> dict[str, np.ndarray]:
    """For each kind of head and each word (not mark) of a sentence, (layers, heads, words): how much the head does it.

    next, previous, itself, marks: the weight that goes there (a neighbour that is a mark does not count);
    broad: entropy of the row over log(number of words and marks), 1 if all weights are equal.
    """
    maps, words = reading.maps, reading.words
    inner = [place for place, word in enumerate(words) if not word.mark]
    marks = [word.mark for word in words]
    followed = [place for place in inner if not marks[place + 1]]
    preceded = [place for place in inner if not marks[place - 1]]
    own = maps[:, :, inner]
    return {
        "next": maps[:, :, followed, [place + 1 for place in followed]],
        "previous": maps[:, :, preceded, [place - 1 for place in preceded]],
        "itself": maps[:, :, inner, inner],
        "marks": own[..., marks].sum(axis=-1),
        "broad": -(own * np.log(np.maximum(own, 1e-300))).sum(axis=-1) / np.log(len(words)),
    }


def mean_habits(model: Model, sentences: list[str]) -> dict[str, np.ndarray]:
    """Each kind's mean over all words of the sentences, (layers, heads)."""
    found = [habits(model.read(sentence)) for sentence in sentences]
    return {kind: np.concatenate([each[kind] for each in found], axis=-1).mean(axis=-1) for kind in KINDS}


def cleanest(chosen: np.ndarray, tested: np.ndarray) -> dict[str, Any]:
    """The head that is highest where it is chosen, and what it does in sentences that had no say in the choice."""
    place = np.unravel_index(chosen.argmax(), chosen.shape)
    return {
        "head": head_name(*place),
        "chosen": chosen[place],
        "tested": tested[place],
        "rank_tested": int((tested > tested[place]).sum()) + 1,
    }
