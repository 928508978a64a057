"""Functions of tensors that have no parameters: softmax, activations, cross-entropy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .tensor import Tensor, as_tensor, check_indices, from_operation


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


def log_softmax(x: Any, axis: int = -1) -> Tensor:
    """log(softmax(x)), where softmax alone would round to 0 and its logarithm be -inf."""
    x = as_tensor(x)
    shifted = x.data - x.data.max(axis=axis, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    return from_operation(logs, (x, lambda grad: grad - np.exp(logs) * grad.sum(axis=axis, keepdims=True)))


def cross_entropy(logits: Any, targets: Any, mask: Any = None) -> Tensor:
    """The mean of -log softmax(logits)[target]: how surprised a model is by what really came, in nats.

    logits (…, V): a score for each of V classes. targets (…): the right ones, integers from 0 to V - 1.
    mask: booleans that broadcast to (…). True = does not count: neither in the mean nor in the gradient, and
    the target there may be any integer. (PyTorch marks such targets by the number ``ignore_index`` instead.)
    """
    logits, targets = as_tensor(logits), np.asarray(targets)
    if logits.ndim == 0 or targets.shape != logits.shape[:-1]:
        raise ValueError(f"cross_entropy of logits {logits.shape} needs one target per row of logits, "
                         f"{logits.shape[:-1]}, got {targets.shape}")
    counted = ~broadcast_mask(mask, targets.shape, "the targets")
    targets = check_indices(targets[counted], logits.shape[-1], "the targets of cross_entropy")
    if not targets.size:
        raise ValueError(f"cross_entropy of logits {logits.shape}: no target counts, there is no mean")
    rows, count = logits.data[counted], len(targets)               # (count, V)
    shifted = rows - rows.max(axis=-1, keepdims=True)
    powers = np.exp(shifted)
    total = powers.sum(axis=-1, keepdims=True)
    chosen = np.arange(count), targets
    loss = (np.log(total[:, 0]) - shifted[chosen]).mean()

    def backward(grad: np.ndarray) -> np.ndarray:
        # The gradient of each row is what the model expected, less what came: softmax(row) - one-hot(target).
        difference = powers / total
        difference[chosen] -= 1
        result = np.zeros_like(logits.data)
        result[counted] = difference * (grad / count)
        return result
    return from_operation(loss, (logits, backward))


def relu(x: Any) -> Tensor:
    """max(0, x), element by element; at 0 the gradient is 0."""
    x = as_tensor(x)
    return from_operation(np.maximum(x.data, 0), (x, lambda grad: grad * (x.data > 0)))


def gelu(x: Any, approximate: str = "none") -> Tensor:
    """x Φ(x), where Φ(x) is the probability that a standard normal number is below x (Hendrycks & Gimpel 2016).

    By default exact, Φ(x) = (1 + erf(x / √2)) / 2, as BERT has it. ``approximate="tanh"`` is their formula
    with tanh, as GPT-2 has it: several times faster here, and never off by more than 0.0005.
    """
    x = as_tensor(x)
    if approximate == "tanh":
        cube = x * x * x  # numpy's x**3 is far slower
        return 0.5 * x * (1 + (math.sqrt(2 / math.pi) * (x + 0.044715 * cube)).tanh())
    if approximate != "none":
        raise ValueError(f'gelu is exact ("none") or approximate="tanh", got {approximate!r}')
    below = (1 + erf(x.data / math.sqrt(2))) / 2                    # Φ(x)

    def backward(grad: np.ndarray) -> np.ndarray:
        density = np.exp(-(x.data**2) / 2) / math.sqrt(2 * math.pi)  # Φ'(x)
        return grad * (below + x.data * density)
    return from_operation(x.data * below, (x, backward))


def erf(x: np.ndarray) -> np.ndarray:
    """The error function of each element; numpy has none, so Python's computes them one by one."""
    return np.fromiter(map(math.erf, x.ravel().tolist()), x.dtype, x.size).reshape(x.shape)


def broadcast_mask(mask: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """The mask as an array of booleans of that shape, all False if there is none."""
    mask = np.asarray(False if mask is None else mask)
    if mask.dtype != bool:
        raise TypeError(f"the mask must hold booleans, True = forbidden, got dtype {mask.dtype}: "
                        "write mask == 1 if 1 means forbidden, mask == 0 if 0 does")
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(f"a mask of shape {mask.shape} does not fit {what} of shape {shape}: "
                         "counted from the right, sizes must be equal or 1") from None
