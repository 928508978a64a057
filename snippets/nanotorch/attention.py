"""Attention: weights = softmax(score(Q, K)), out = weights V. Its inventors differ in the score.

Bahdanau et al. 2014 add (`AdditiveScore`), Luong et al. 2015 multiply (`dot_score`, `GeneralScore`), Vaswani
et al. 2017 multiply and divide by √d (`scaled_dot_product_attention`), several times at once
(`MultiHeadAttention`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .functional import broadcast_mask, softmax
from .layers import Linear
from .module import Module, random_parameter
from .tensor import Tensor, as_tensor, broadcastable, concatenate, where


def scaled_dot_product_attention(Q: Any, K: Any, V: Any, mask: Any = None) -> tuple[Tensor, Tensor]:
    """softmax(Q Kᵀ / √d) V, and the weights (Vaswani et al. 2017, section 3.2.1, equation 1).

    Q (…, m, d): m queries. K (…, n, d): n keys. V (…, n, d_v): their values. The axes … broadcast.
    mask: booleans that broadcast to (…, m, n). True at (i, j) = forbidden: query i may not look at key j.
    Returns out (…, m, d_v) and weights (…, m, n). What a mask promises is said in `attend`.
    """
    def score(Q: Tensor, K: Tensor) -> Tensor:
        return dot_score(Q, K) / math.sqrt(Q.shape[-1])
    return attend(score, Q, K, V, mask)


def attend(score: Callable[[Tensor, Tensor], Tensor], Q: Any, K: Any, V: Any,
           mask: Any = None) -> tuple[Tensor, Tensor]:
    """softmax(score(Q, K)) V, and the weights: attention with any score.

    ``score`` takes Q (…, m, d_q) and K (…, n, d_k) to (…, m, n), a row per query and a column per key.
    V (…, n, d_v): a value per key. mask: booleans that broadcast to (…, m, n). True at (i, j) = forbidden:
    query i may not look at key j. Returns out (…, m, d_v) and weights (…, m, n).

    A forbidden weight is exactly 0. What a query may not see changes neither its results nor the gradients
    that pass through them, be it NaN or infinite. A query that may see nothing gets zeros, and no gradient
    passes through its row. NaN that a query does see makes its results NaN; with a mask, infinity does too.
    """
    Q, K, V = as_tensor(Q), as_tensor(K), as_tensor(V)
    _check_shapes(Q.shape, K.shape, V.shape)
    if mask is None:
        weights = softmax(_scores(score, Q, K))                        # (…, m, n)
        return weights @ V, weights                                    # (…, m, d_v)

    # A weight of 0 hides a forbidden value, except that 0 * NaN is NaN, and 0 * inf too. So no such number
    # enters a product; NaN comes back where a query does see one.
    (Q, Q_lost), (K, K_lost), (V, V_lost) = _finite(Q), _finite(K), _finite(V)
    scores = _scores(score, Q, K)                                      # (…, m, n)
    if Q_lost.any() or K_lost.any():
        scores = where(Q_lost.any(-1)[..., :, None] | K_lost.any(-1)[..., None, :], np.nan, scores)

    mask = broadcast_mask(mask, scores.shape, "the scores, queries by keys,")
    blind = mask.all(axis=-1, keepdims=True)                           # (…, m, 1): the query may see nothing
    scores = where(mask, -np.inf, scores)                              # exp(-inf) is exactly 0
    scores = where(blind, 0.0, scores)                                 # nothing but -inf would give 0 / 0
    weights = where(mask, 0.0, softmax(scores))                        # 0 already, but for blind and NaN rows

    out = weights @ V                                                  # (…, m, d_v)
    if V_lost.any():
        out = where(~mask @ V_lost, np.nan, out)
    return where(blind, 0.0, out), weights


def _scores(score: Callable[[Tensor, Tensor], Tensor], Q: Tensor, K: Tensor) -> Tensor:
    scores = score(Q, K)
    if scores.shape[-2:] != (Q.shape[-2], K.shape[-2]):
        raise ValueError(f"the score of Q {Q.shape} and K {K.shape} has shape {scores.shape}: it must end in "
                         f"{(Q.shape[-2], K.shape[-2])}, a row per query and a column per key")
    return scores


def _finite(x: Tensor) -> tuple[Tensor, np.ndarray]:
    """x with 0 for every NaN and infinity, and booleans that tell where they stood."""
    lost = ~np.isfinite(x.data)
    return (where(lost, 0.0, x) if lost.any() else x), lost


# ---- scores: Q (…, m, d_q), K (…, n, d_k) → (…, m, n) ----

def dot_score(Q: Any, K: Any) -> Tensor:
    """Q Kᵀ, the dot product of each query with each key (Luong et al. 2015, section 3.1, "dot")."""
    Q, K = as_tensor(Q), as_tensor(K)
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"dot products of Q {Q.shape} with K {K.shape}: the last sizes must agree, "
                         f"not {Q.shape[-1]} and {K.shape[-1]}")
    return Q @ K.swapaxes(-1, -2)


class GeneralScore(Module):
    """Q W_a Kᵀ (Luong et al. 2015, section 3.1, "general"). W_a (d_query, d_key) starts as in `Linear`."""

    def __init__(self, d_query: int, d_key: int, rng: np.random.Generator, dtype: Any = np.float64) -> None:
        self.W_a = random_parameter(rng, (d_query, d_key), 1 / math.sqrt(d_query), dtype)

    def forward(self, Q: Any, K: Any) -> Tensor:
        return dot_score(Q @ self.W_a, K)


class AdditiveScore(Module):
    """v_a · tanh(W_a q + U_a k) for each query q and key k (Bahdanau et al. 2014, appendix A.1.2).

    W_a (d_query, d_hidden), U_a (d_key, d_hidden), v_a (d_hidden,), all starting as in `Linear`. Luong's
    "concat", v_a · tanh(W [q; k]), is the same: his W is these two matrices side by side.
    """

    def __init__(self, d_query: int, d_key: int, d_hidden: int, rng: np.random.Generator,
                 dtype: Any = np.float64) -> None:
        self.W_a = random_parameter(rng, (d_query, d_hidden), 1 / math.sqrt(d_query), dtype)
        self.U_a = random_parameter(rng, (d_key, d_hidden), 1 / math.sqrt(d_key), dtype)
        self.v_a = random_parameter(rng, (d_hidden,), 1 / math.sqrt(d_hidden), dtype)

    def forward(self, Q: Any, K: Any) -> Tensor:
        queries, keys = Q @ self.W_a, K @ self.U_a                     # (…, m, d_hidden), (…, n, d_hidden)
        pairs = queries[..., :, None, :] + keys[..., None, :, :]       # (…, m, n, d_hidden)
        return pairs.tanh() @ self.v_a                                 # (…, m, n)


# ---- several heads ----

class MultiHeadAttention(Module):
    """n_heads attentions at once, each in its own d_model / n_heads components (Vaswani et al. 2017, 3.2.2).

    ``W_Q``, ``W_K``, ``W_V``, ``W_O``: Linear, d_model → d_model. Head i has columns i·d_k … (i+1)·d_k - 1 of
    the first three and the same rows of W_O. They have no bias, as in the paper; BERT, GPT-2 and PyTorch
    have one, ``bias=True``.
    """

    def __init__(self, d_model: int, n_heads: int, rng: np.random.Generator, bias: bool = False,
                 dtype: Any = np.float64) -> None:
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(f"d_model must be a multiple of n_heads, got {d_model} and {n_heads}")
        self.d_model, self.n_heads = d_model, n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (Linear(d_model, d_model, rng, bias, dtype) for _ in range(4))

    def forward(self, X: Any, C: Any = None, mask: Any = None,
                cache: KVCache | None = None) -> tuple[Tensor, Tensor]:
        """Queries come from X (…, m, d_model), keys and values from C (…, n, d_model).

        Without C, X looks at itself: self-attention; with C, cross-attention. mask: booleans that broadcast to
        (…, m, n), True = forbidden, the same for all heads. Returns out (…, m, d_model) and the weights of
        each head (…, n_heads, m, n).

        With a cache, X holds only the tokens that are new; n counts those before them too.
        """
        if C is not None and cache is not None:
            raise ValueError("a cache is for self-attention: leave out C, whose keys and values do not grow")
        X = as_tensor(X)
        C = X if C is None else as_tensor(C)
        self._check_inputs(X.shape, C.shape)

        Q, K, V = (self._split_heads(each) for each in (self.W_Q(X), self.W_K(C), self.W_V(C)))
        if cache is not None:
            K, V = cache.append(K, V)
        if mask is not None:
            batch = np.broadcast_shapes(X.shape[:-2], C.shape[:-2])
            scores = (*batch, Q.shape[-2], K.shape[-2])
            mask = broadcast_mask(mask, scores, "the scores of each head, queries by keys,")[..., None, :, :]
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)    # (…, n_heads, m, d_k)
        heads = heads.swapaxes(-2, -3)                                  # (…, m, n_heads, d_k)
        return self.W_O(heads.reshape(*heads.shape[:-2], self.d_model)), weights

    def _split_heads(self, x: Tensor) -> Tensor:
        """(…, m, d_model) → (…, n_heads, m, d_k)"""
        return x.reshape(*x.shape[:-1], self.n_heads, self.d_model // self.n_heads).swapaxes(-2, -3)

    def _check_inputs(self, X: tuple[int, ...], C: tuple[int, ...]) -> None:
        for name, shape in (("X", X), ("C", C)):
            if len(shape) < 2 or shape[-1] != self.d_model:
                raise ValueError(f"MultiHeadAttention takes {name} of shape (…, tokens, {self.d_model}), "
                                 f"got {shape}")
        if not broadcastable(X[:-2], C[:-2]):
            raise ValueError(f"attention from X {X} to C {C}: before the last two, sizes must be equal or 1")


class KVCache:
    """Keys and values of the tokens read so far, of one `MultiHeadAttention` (one layer, one sequence or batch).

    While a text is generated they do not change: causal attention never recomputes them. The cache keeps
    plain values: no gradient passes through it. ``len(cache)`` is the number of tokens.
    """

    def __init__(self) -> None:
        self.K: Tensor | None = None
        self.V: Tensor | None = None

    def __len__(self) -> int:
        return 0 if self.K is None else self.K.shape[-2]

    def append(self, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
        """Add keys and values (…, n_heads, new, d_k) and return all, (…, n_heads, len(cache), d_k)."""
        K, V = K.detach(), V.detach()
        if self.K is not None:
            K, V = concatenate([self.K, K], axis=-2), concatenate([self.V, V], axis=-2)
        self.K, self.V = K, V
        return K, V


def _check_shapes(Q: tuple[int, ...], K: tuple[int, ...], V: tuple[int, ...]) -> None:
    shapes = f"attention of Q {Q}, K {K}, V {V}: "
    if min(len(Q), len(K), len(V)) < 2:
        raise ValueError(shapes + "each needs two axes or more, rows and their components; "
                                  "reshape(1, -1) makes one row of a vector")
    if K[-2] != V[-2]:
        raise ValueError(shapes + f"K and V must have as many rows, one per key, not {K[-2]} and {V[-2]}")
    if K[-1] == 0 or K[-2] == 0:
        raise ValueError(shapes + "there must be at least one key, of at least one component")
    if not broadcastable(Q[:-2], K[:-2], V[:-2]):
        raise ValueError(shapes + "before the last two, sizes must be equal or 1")
