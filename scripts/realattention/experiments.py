"""What could have shown that a pretty map means less than it seems: fresh sentences, controls, contributions, ablations."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from realattention.encoder import Intervention, Pass
from realattention.method import Case, head_name, rows
from realattention.model import E5, Model, Reading


def look_again(model: Model, head: list[int], cases: list[Case]) -> list[dict[str, Any]]:
    """Where a head's largest weight falls in other sentences of the same word."""
    found = []
    for case in cases:
        side = rows(model, case)
        row = side.weights[head[0] - 1, head[1] - 1]
        found.append(
            {
                "sentence": case.sentence,
                "decides": case.decides,
                "weight": row[side.decides],
                "largest": side.reading.words[row.argmax()].text,
                "hit": bool(row.argmax() == side.decides),
            }
        )
    return found


def hits(model: Model, cases: list[Case]) -> np.ndarray:
    """(layers, heads): in how many of the sentences the head's largest weight falls on the deciding word."""
    return sum((side.largest == side.decides).astype(int) for side in (rows(model, case) for case in cases))


def nearest_centroid(vectors: np.ndarray, senses: np.ndarray) -> int:
    """How many of n vectors lie nearer to the mean of their own sense than to that of the other, each left out of its mean."""
    right = 0
    for place, vector in enumerate(vectors):
        others = np.arange(len(vectors)) != place
        distances = [np.linalg.norm(vector - vectors[others & (senses == sense)].mean(axis=0)) for sense in (0, 1)]
        right += int(np.argmin(distances) == senses[place])
    return right


def accuracy_by_layer(model: Model, sentences: list[list[str]], word: str) -> list[int]:
    """Nearest centroid's right answers, from the input's vectors (first) to the last layer's."""
    vectors = np.array([model.read(sentence).vectors(word) for group in sentences for sentence in group])
    senses = np.repeat([0, 1], [len(group) for group in sentences])
    return [nearest_centroid(vectors[:, layer], senses) for layer in range(vectors.shape[1])]


def share_of_marks(model: E5, sentences: list[str]) -> dict[str, list[float]]:
    """By layer, what part of a word's row goes to marks: by weight, and by length of what is let through."""
    by_weight, by_contribution = [], []
    for sentence in sentences:
        reading, ran = model.read(sentence), model.passes(sentence)
        marks = [place for word in reading.words if word.mark for place in word.places]
        inner = [place for word in reading.words if not word.mark for place in word.places]
        for found, table in ((by_weight, ran.attention), (by_contribution, ran.contribution)):
            row = table[:, :, inner]
            found.append((row[..., marks].sum(axis=-1) / row.sum(axis=-1)).mean(axis=(1, 2)))
    return {"weight": np.mean(by_weight, axis=0).tolist(), "contribution": np.mean(by_contribution, axis=0).tolist()}


def hide(places: tuple[int, ...]) -> Intervention:
    """Nobody sees these tokens, in any layer: their columns become 0, the rest of each row is scaled up to 1 again."""

    def intervene(_layer: int, weights: np.ndarray) -> np.ndarray:
        left = weights.copy()
        left[:, :, list(places)] = 0
        return left / left.sum(axis=-1, keepdims=True)

    return intervene


def flatten(layer: int | None = None, head: int | None = None) -> Intervention:
    """All weights of one head (indices from 0), or of every head, become equal."""

    def intervene(number: int, weights: np.ndarray) -> np.ndarray:
        flat = np.full_like(weights, 1 / weights.shape[-1])
        if layer is None:
            return flat
        if number != layer:
            return weights
        changed = weights.copy()
        changed[head] = flat[head]
        return changed

    return intervene


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """1 − cosine."""
    return float(1 - one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def _vector(ran: Pass, reading: Reading, place: int) -> np.ndarray:
    return ran.hidden[-1][list(reading.words[place].places)].mean(axis=0)


def hide_each_word(model: E5, case: Case) -> list[dict[str, Any]]:
    """Each other word hidden in turn: how far the word's last vector moves, beside the mean weight it had from the word."""
    side = rows(model, case)
    reading, whole = side.reading, model.passes(case.sentence)
    before = _vector(whole, reading, side.place)
    found = []
    for place, word in enumerate(reading.words):
        if word.mark or place == side.place:
            continue
        after = _vector(model.changed(case.sentence, hide(word.places)), reading, side.place)
        found.append({"word": word.text, "weight": side.weights[:, :, place].mean(), "effect": distance(before, after)})
    return found


def flatten_each_head(model: E5, case: Case) -> np.ndarray:
    """(layers, heads): how far the word's last vector moves when one head's weights are made equal."""
    side = rows(model, case)
    before = _vector(model.passes(case.sentence), side.reading, side.place)
    layers, heads = side.largest.shape
    return np.array(
        [
            [
                distance(before, _vector(model.changed(case.sentence, flatten(layer, head)), side.reading, side.place))
                for head in range(heads)
            ]
            for layer in range(layers)
        ]
    )


def ranks(effects: np.ndarray, heads: list[list[int]]) -> list[dict[str, Any]]:
    """The place of some heads (numbered from 1) when all are put in order of their effect."""
    return [
        {"head": head, "effect": (own := effects[head[0] - 1, head[1] - 1]), "rank": int((effects > own).sum()) + 1}
        for head in heads
    ]


def strongest(effects: np.ndarray) -> dict[str, Any]:
    place = np.unravel_index(effects.argmax(), effects.shape)
    return {"head": head_name(*place), "effect": effects[place]}


def weight_against_effect(model: E5, sentence: str) -> dict[str, Any]:
    """For each word of a sentence: the weight and the contribution it receives (mean over heads and tokens), and how far
    the sentence's embedding moves when nobody sees it."""
    reading, whole = model.read(sentence), model.passes(sentence)
    words = [word for word in reading.words if not word.mark]

    def received(table: np.ndarray) -> list[float]:
        share = table / table.sum(axis=-1, keepdims=True)
        return [share[..., list(word.places)].sum(axis=-1).mean() for word in words]

    effects = [distance(whole.embedding, model.changed(sentence, hide(word.places)).embedding) for word in words]
    weight, contribution = received(whole.attention), received(whole.contribution)
    return {
        "sentence": sentence,
        "words": [word.text for word in words],
        "weight": weight,
        "contribution": contribution,
        "effect": effects,
    }


def everything_flat(model: E5, sentences: list[str]) -> dict[str, float]:
    """What is left of a sentence's embedding when all heads' weights are equal.

    Mean cosine with its own embedding and, to compare, of that with the next sentence's in the list; for how many
    sentences their own embedding, of all, is the nearest.
    """
    whole = np.array([model.passes(sentence).embedding for sentence in sentences])
    flat = np.array([model.changed(sentence, flatten()).embedding for sentence in sentences])
    cosines = flat @ whole.T
    return {
        "same_sentence_flat": float(cosines.diagonal().mean()),
        "another_sentence": float(np.mean([one @ other for one, other in itertools.pairwise(whole)])),
        "nearest_is_own": int((cosines.argmax(axis=1) == np.arange(len(whole))).sum()),
    }
