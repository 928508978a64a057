"""The forward pass of BERT in numpy (Devlin et al. 2018: post-norm, GELU), with everything it computes on the way."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from realattention.e5_file import E5File
from realattention.errors import RealAttentionError

Intervention = Callable[[int, np.ndarray], np.ndarray]
"""(layer from 0, weights of shape (heads, n, n)) → weights used instead of them."""

_erf = np.vectorize(math.erf, otypes=[np.float64])


@dataclass(frozen=True)
class Layer:
    """Matrices as (out, in), as in the file; query, key and value hold all heads one below the other."""

    query: tuple[np.ndarray, np.ndarray]
    key: tuple[np.ndarray, np.ndarray]
    value: tuple[np.ndarray, np.ndarray]
    output: tuple[np.ndarray, np.ndarray]
    attention_norm: tuple[np.ndarray, np.ndarray]
    widen: tuple[np.ndarray, np.ndarray]
    narrow: tuple[np.ndarray, np.ndarray]
    output_norm: tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Pass:
    """What one sentence of n tokens leaves behind in L layers of H heads, d numbers a token."""

    attention: np.ndarray
    """(L, H, n, n): rows are queries, each sums to 1."""
    contribution: np.ndarray
    """(L, H, n, n): ‖α v Wᴼ‖, how long the vector is that each weight lets through (Kobayashi et al. 2020)."""
    hidden: np.ndarray
    """(L + 1, n, d): the input's vectors, then each layer's output."""

    @property
    def embedding(self) -> np.ndarray:
        """The sentence's vector: the mean over all tokens, of length 1."""
        mean = self.hidden[-1].mean(axis=0)
        return mean / np.linalg.norm(mean)


class Encoder:
    """multilingual-e5-small."""

    def __init__(self, file: E5File) -> None:
        self.sizes = file.sizes
        self._file = file
        self._layers = [_layer(file, number) for number in range(file.sizes.layers)]

    def __call__(self, ids: tuple[int, ...], intervene: Intervention | None = None) -> Pass:
        """Run the model on ids; ``intervene`` may replace each layer's weights.

        Raises RealAttentionError if there are more tokens than the model has positions.
        """
        if len(ids) > self.sizes.positions:
            raise RealAttentionError(
                f"The sentence has {len(ids)} tokens; the model has {self.sizes.positions} positions. "
                "Shorten the sentence."
            )
        x = self._input(ids)
        attention, contribution, hidden = [], [], [x]
        for number, layer in enumerate(self._layers):
            weights, values = self._heads(layer, x)
            if intervene is not None:
                weights = intervene(number, weights)
            written = _written(layer, values)
            attention.append(weights)
            contribution.append(weights * np.linalg.norm(written, axis=-1)[:, None, :])
            mixed = (weights @ written).sum(axis=0) + layer.output[1]
            x = self._normalise(x + mixed, layer.attention_norm)
            x = self._normalise(x + _linear(gelu(_linear(x, layer.widen)), layer.narrow), layer.output_norm)
            hidden.append(x)
        return Pass(np.array(attention), np.array(contribution), np.array(hidden))

    def _input(self, ids: tuple[int, ...]) -> np.ndarray:
        width = self.sizes.hidden
        words = self._file.matrix("emb.word", width, list(ids))
        positions = self._file.matrix("emb.pos", width)[: len(ids)]
        kind = self._file.matrix("emb.type", width)[0]
        return self._normalise(words + positions + kind, (self._file.vector("emb.ln.w"), self._file.vector("emb.ln.b")))

    def _heads(self, layer: Layer, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights (H, n, n) and values (H, n, d/H) of all heads."""
        query, key, value = (self._split(_linear(x, matrix)) for matrix in (layer.query, layer.key, layer.value))
        return softmax(query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])), value

    def _split(self, x: np.ndarray) -> np.ndarray:
        return x.reshape(len(x), self.sizes.heads, -1).transpose(1, 0, 2)

    def _normalise(self, x: np.ndarray, norm: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        centred = x - x.mean(axis=-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self.sizes.epsilon) * norm[0] + norm[1]


def _layer(file: E5File, number: int) -> Layer:
    width, wide = file.sizes.hidden, file.sizes.feed_forward

    def linear(name: str, columns: int = width) -> tuple[np.ndarray, np.ndarray]:
        return file.matrix(f"l{number}.{name}.w", columns), file.vector(f"l{number}.{name}.b")

    def norm(name: str) -> tuple[np.ndarray, np.ndarray]:
        return file.vector(f"l{number}.{name}.w"), file.vector(f"l{number}.{name}.b")

    return Layer(
        linear("q"), linear("k"), linear("v"), linear("ao"), norm("aln"), linear("fi"), linear("fo", wide), norm("oln")
    )


def _linear(x: np.ndarray, matrix: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    return x @ matrix[0].T + matrix[1]


def _written(layer: Layer, values: np.ndarray) -> np.ndarray:
    """(H, n, d): each head's values through its own block of Wᴼ; the output is the sum over heads of weights @ these."""
    heads, _, size = values.shape
    blocks = layer.output[0].reshape(-1, heads, size).transpose(1, 2, 0)
    return values @ blocks


def softmax(scores: np.ndarray) -> np.ndarray:
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gelu(x: np.ndarray) -> np.ndarray:
    """x·Φ(x) with the exact error function, as BERT was trained (Hendrycks & Gimpel 2016)."""
    return x * (1 + _erf(x / math.sqrt(2))) / 2
