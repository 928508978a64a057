"""Softmax and attention, built on the operations of ``tensor.py``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .tensor import Tensor, as_tensor, broadcastable, from_operation, where


def softmax(x: Any, axis: int = -1) -> Tensor:
    """exp(x) / sum of exp(x) along ``axis``: positive weights with sum 1, of the shape of x.

    The largest element is subtracted first: that changes nothing in the quotient, and exp cannot overflow.
    A row that holds nothing but -inf has no softmax; it gives NaN.
    """
    x = as_tensor(x)
    powers = np.exp(x.data - x.data.max(axis=axis, keepdims=True))
    weights = powers / powers.sum(axis=axis, keepdims=True)

    def backward(grad: np.ndarray) -> np.ndarray:
        # d w_i / d x_j = w_i (1{i=j} - w_j): only what differs from the weighted mean of grad passes.
        return weights * (grad - (grad * weights).sum(axis=axis, keepdims=True))
    return from_operation(weights, (x, backward))


def scaled_dot_product_attention(Q: Any, K: Any, V: Any, mask: Any = None) -> tuple[Tensor, Tensor]:
    """softmax(Q Kᵀ / √d) V, and the weights (Vaswani et al. 2017, section 3.2.1, equation 1).

    Q (…, m, d): m queries. K (…, n, d): n keys. V (…, n, d_v): their values. The axes … broadcast.
    mask: booleans that broadcast to (…, m, n). True at (i, j) = forbidden: query i may not look at key j.
    Returns out (…, m, d_v) and weights (…, m, n).

    A forbidden weight is exactly 0. What a query may not see changes neither its results nor the gradients
    that pass through them, be it NaN or infinite. A query that may see nothing gets zeros, and no gradient
    passes through its row. NaN that a query does see makes its results NaN; with a mask, infinity does too.
    """
    Q, K, V = as_tensor(Q), as_tensor(K), as_tensor(V)
    _check_shapes(Q.shape, K.shape, V.shape)
    sqrt_d = math.sqrt(Q.shape[-1])
    if mask is None:
        weights = softmax(Q @ K.swapaxes(-1, -2) / sqrt_d)             # (…, m, n)
        return weights @ V, weights                                    # (…, m, d_v)

    # A weight of 0 hides a forbidden value, except that 0 * NaN is NaN, and 0 * inf too. So no such number
    # enters a product; NaN comes back where a query does see one.
    (Q, Q_lost), (K, K_lost), (V, V_lost) = _finite(Q), _finite(K), _finite(V)
    scores = Q @ K.swapaxes(-1, -2) / sqrt_d                           # (…, m, n)
    if Q_lost.any() or K_lost.any():
        scores = where(Q_lost.any(-1)[..., :, None] | K_lost.any(-1)[..., None, :], np.nan, scores)

    mask = _check_mask(mask, scores.shape)
    blind = mask.all(axis=-1, keepdims=True)                           # (…, m, 1): the query may see nothing
    scores = where(mask, -np.inf, scores)                              # exp(-inf) is exactly 0
    scores = where(blind, 0.0, scores)                                 # nothing but -inf would give 0 / 0
    weights = where(mask, 0.0, softmax(scores))                        # 0 already, but for blind and NaN rows

    out = weights @ V                                                  # (…, m, d_v)
    if V_lost.any():
        out = where(~mask @ V_lost, np.nan, out)
    return where(blind, 0.0, out), weights


def _finite(x: Tensor) -> tuple[Tensor, np.ndarray]:
    """x with 0 for every NaN and infinity, and booleans that tell where they stood."""
    lost = ~np.isfinite(x.data)
    return (where(lost, 0.0, x) if lost.any() else x), lost


def _check_shapes(Q: tuple[int, ...], K: tuple[int, ...], V: tuple[int, ...]) -> None:
    shapes = f"attention of Q {Q}, K {K}, V {V}: "
    if min(len(Q), len(K), len(V)) < 2:
        raise ValueError(shapes + "each needs two axes or more, rows and their components; "
                                  "reshape(1, -1) makes one row of a vector")
    if Q[-1] != K[-1]:
        raise ValueError(shapes + f"the last sizes of Q and K must agree, not {Q[-1]} and {K[-1]}")
    if K[-2] != V[-2]:
        raise ValueError(shapes + f"K and V must have as many rows, one per key, not {K[-2]} and {V[-2]}")
    if K[-1] == 0 or K[-2] == 0:
        raise ValueError(shapes + "there must be at least one key, of at least one component")
    if not broadcastable(Q[:-2], K[:-2], V[:-2]):
        raise ValueError(shapes + "before the last two, sizes must be equal or 1")


def _check_mask(mask: Any, scores: tuple[int, ...]) -> np.ndarray:
    """The mask as an array of booleans in the shape of the scores."""
    mask = np.asarray(mask)
    if mask.dtype != bool:
        raise TypeError(f"the mask must hold booleans, True = forbidden, got dtype {mask.dtype}: "
                        "write mask == 1 if 1 means forbidden, mask == 0 if 0 does")
    try:
        return np.broadcast_to(mask, scores)
    except ValueError:
        raise ValueError(f"a mask of shape {mask.shape} does not fit the scores, {scores}, a row per query "
                         "and a column per key: counted from the right, sizes must be equal or 1") from None
