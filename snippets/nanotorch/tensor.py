"""Tensors that remember how they were computed, so that gradients can flow back: reverse-mode autodiff.

``loss = (x * w).sum()`` runs two operations. Each computes its result with numpy and notes on it, for every
operand that needs a gradient, an edge: the operand, and a function that turns d loss / d result into
d loss / d operand. That function is the chain rule for this one operation, written next to it. ``backward()``
follows the edges from the loss to the inputs and adds up what arrives at each tensor. That is all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

Edge = tuple["Tensor", Callable[[np.ndarray], np.ndarray]]
Axis = int | tuple[int, ...] | None


class Tensor:
    """An array of floats that can take part in a computation to be differentiated; `tensor` makes one.

    ``data`` is the numpy array. After ``backward()``, ``grad`` is an array of the same shape: by how much the
    loss changes per unit of each element. A result requires a gradient if one of its operands does; otherwise
    it keeps no edges. Edges hold on to ``data``: do not change it in place between the computation and
    ``backward()``.
    """

    __slots__ = ("_edges", "data", "grad", "requires_grad")
    __array_ufunc__ = None  # makes numpy leave `array * tensor` to Tensor.__rmul__

    def __init__(self, data: Any, requires_grad: bool = False, edges: Sequence[Edge] = ()) -> None:
        self.data: np.ndarray = np.asarray(data)
        self.grad: np.ndarray | None = None
        self.requires_grad = requires_grad
        self._edges = edges

    def backward(self, gradient: Any = None) -> None:
        """Add d self / d t to ``t.grad`` for every tensor t from which self was computed, self included.

        ``gradient``, of self's shape, is d loss / d self; it may be left out if self is one number, the loss
        itself. Gradients of several calls add up; `zero_grad` forgets them.
        """
        if not self.requires_grad:
            raise RuntimeError(f"no gradient: this tensor of shape {self.shape} was computed from no tensor "
                               "made with requires_grad=True")
        if gradient is None:
            if self.data.size != 1:
                raise ValueError(f"backward() starts from one number, this tensor has shape {self.shape}: "
                                 "call .sum().backward(), or pass a gradient of the same shape")
            gradient = np.ones(self.shape)
        gradient = np.array(gradient, dtype=self.dtype)
        if gradient.shape != self.shape:
            raise ValueError(f"the gradient has shape {gradient.shape}, the tensor {self.shape}: "
                             "they must be equal")

        arrived = {id(self): gradient}
        for node in _results_before_operands(self):
            gradient = arrived.pop(id(node))  # complete: all that was computed from node has had its turn
            node.grad = gradient if node.grad is None else np.asarray(node.grad + gradient)
            for operand, operand_gradient in node._edges:
                part = _fit(operand_gradient(gradient), operand.shape)
                if id(operand) in arrived:
                    arrived[id(operand)] += part
                else:  # an array of its own: no two tensors share their grad
                    own = part.copy() if np.may_share_memory(part, gradient) else part
                    arrived[id(operand)] = np.asarray(own, dtype=operand.dtype)

    def zero_grad(self) -> None:
        """Forget the gradients of earlier ``backward()`` calls."""
        self.grad = None

    # ---- looking at a tensor ----

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    @property
    def ndim(self) -> int:
        return self.data.ndim

    @property
    def dtype(self) -> np.dtype:
        return self.data.dtype

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        """Values rounded to four decimals, and the shape; ``data`` has all digits."""
        text = np.array2string(self.data, separator=", ", prefix="tensor(", precision=4, suppress_small=True)
        dtype = "" if self.dtype == np.float64 else f", dtype={self.dtype}"
        gradient = ", requires_grad=True" if self.requires_grad else ""
        return f"tensor({text}, shape={self.shape}{dtype}{gradient})"

    def item(self) -> float:
        """The only number of a tensor of size 1, as a Python float."""
        if self.data.size != 1:
            raise ValueError(f"item() needs a tensor of one number, this one has shape {self.shape}")
        return self.data.item()

    def numpy(self) -> np.ndarray:
        """The values as a numpy array: ``data`` itself, not a copy."""
        return self.data

    def detach(self) -> Tensor:
        """The same values (shared, not copied) with no history: gradients stop here."""
        return Tensor(self.data)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """What ``np.asarray(tensor)`` and plotting functions call."""
        if self.requires_grad:
            raise TypeError(f"numpy would lose the gradient of this tensor of shape {self.shape}: "
                            "use nanotorch's operations, or .data for the plain values")
        return self.data.astype(dtype or self.dtype, copy=bool(copy))

    # ---- arithmetic, element by element; shapes broadcast as in numpy ----

    def _operand(self, other: Any, symbol: str) -> Tensor:
        """``other`` as a tensor, once it is sure that its shape broadcasts with self's."""
        other = as_tensor(other, like=self)
        if not broadcastable(self.shape, other.shape):
            raise ValueError(f"{self.shape} {symbol} {other.shape}: "
                             "counted from the right, sizes must be equal or 1")
        return other

    def __add__(self, other: Any) -> Tensor:
        other = self._operand(other, "+")
        return from_operation(self.data + other.data, (self, lambda grad: grad), (other, lambda grad: grad))

    def __sub__(self, other: Any) -> Tensor:
        other = self._operand(other, "-")
        return from_operation(self.data - other.data, (self, lambda grad: grad), (other, lambda grad: -grad))

    def __mul__(self, other: Any) -> Tensor:
        other = self._operand(other, "*")
        return from_operation(self.data * other.data,
                              (self, lambda grad: grad * other.data),
                              (other, lambda grad: grad * self.data))

    def __truediv__(self, other: Any) -> Tensor:
        other = self._operand(other, "/")
        quotient = self.data / other.data
        return from_operation(quotient,
                              (self, lambda grad: grad / other.data),
                              (other, lambda grad: -grad * quotient / other.data))

    def __pow__(self, exponent: float) -> Tensor:
        if not np.isscalar(exponent):
            raise TypeError(f"the exponent must be a number, got {type(exponent).__name__}")
        exponent = self.dtype.type(exponent)
        # x ** 0 is constant, at x = 0 too, where 0 * x ** -1 would be NaN.
        lowered = exponent - 1 if exponent else exponent
        return from_operation(self.data**exponent, (self, lambda grad: grad * exponent * self.data**lowered))

    def __neg__(self) -> Tensor:
        return from_operation(-self.data, (self, lambda grad: -grad))

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Any) -> Tensor:
        return as_tensor(other, like=self) - self

    def __rtruediv__(self, other: Any) -> Tensor:
        return as_tensor(other, like=self) / self

    def exp(self) -> Tensor:
        result = np.exp(self.data)
        return from_operation(result, (self, lambda grad: grad * result))

    def log(self) -> Tensor:
        return from_operation(np.log(self.data), (self, lambda grad: grad / self.data))

    def sqrt(self) -> Tensor:
        result = np.sqrt(self.data)
        return from_operation(result, (self, lambda grad: grad / (2 * result)))

    def tanh(self) -> Tensor:
        result = np.tanh(self.data)
        return from_operation(result, (self, lambda grad: grad * (1 - result**2)))

    def sigmoid(self) -> Tensor:
        """1 / (1 + exp(-x)), written with tanh, which cannot overflow."""
        result = (1 + np.tanh(self.data / 2)) / 2
        return from_operation(result, (self, lambda grad: grad * result * (1 - result)))

    # ---- the matrix product ----

    def __matmul__(self, other: Any) -> Tensor:
        """(…, m, k) @ (…, k, n) → (…, m, n). The axes … broadcast; vectors count as in numpy."""
        other = as_tensor(other, like=self)
        product = f"{self.shape} @ {other.shape}: "
        if self.ndim == 0 or other.ndim == 0:
            raise ValueError(product + "a single number has no rows and columns, multiply by it with *")
        columns, rows = self.shape[-1], other.shape[-2:][0]
        if columns != rows:
            raise ValueError(product + f"the left operand has {columns} columns, the right one {rows} rows; "
                                       "they must be equal")
        if not broadcastable(self.shape[:-2], other.shape[:-2]):
            raise ValueError(product + "before the last two, sizes must be equal or 1")
        if other.ndim == 1:
            return (self @ other.reshape(-1, 1))[..., 0]
        if self.ndim == 1:
            return (self.reshape(1, -1) @ other)[..., 0, :]
        return from_operation(self.data @ other.data,
                              (self, lambda grad: grad @ other.data.swapaxes(-1, -2)),
                              (other, lambda grad: self.data.swapaxes(-1, -2) @ grad))

    def __rmatmul__(self, other: Any) -> Tensor:
        return as_tensor(other, like=self) @ self

    # ---- reductions: over all axes, over one, or over several ----

    def sum(self, axis: Axis = None, keepdims: bool = False) -> Tensor:
        def to_summands(grad: np.ndarray) -> np.ndarray:
            return np.broadcast_to(_restore_axes(grad, axis, keepdims), self.shape)
        return from_operation(self.data.sum(axis=axis, keepdims=keepdims), (self, to_summands))

    def mean(self, axis: Axis = None, keepdims: bool = False) -> Tensor:
        total = self.sum(axis, keepdims)
        return total / (self.data.size // max(total.data.size, 1))

    def max(self, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """The largest element; if several are, they share the gradient equally."""
        def to_largest(grad: np.ndarray) -> np.ndarray:
            largest = self.data == self.data.max(axis=axis, keepdims=True)
            return _restore_axes(grad, axis, keepdims) * largest / largest.sum(axis=axis, keepdims=True)
        return from_operation(self.data.max(axis=axis, keepdims=keepdims), (self, to_largest))

    # ---- the same numbers in another arrangement ----

    def reshape(self, *shape: int) -> Tensor:
        """The same elements in reading order in another shape; one size may be -1: whatever is left."""
        try:
            data = self.data.reshape(*shape)
        except ValueError:
            raise ValueError(f"cannot reshape {self.shape} to {_as_tuple(shape)}: "
                             f"there are {self.data.size} numbers") from None
        return from_operation(data, (self, lambda grad: grad.reshape(self.shape)))

    def transpose(self, *axes: int) -> Tensor:
        """Axis i of the result is axis ``axes[i]`` of self; without arguments the order is reversed."""
        axes = _as_tuple(axes) or tuple(reversed(range(self.ndim)))
        order = [axis + self.ndim if axis < 0 else axis for axis in axes]
        if sorted(order) != list(range(self.ndim)):
            raise ValueError(f"transpose of {self.shape} needs each of its {self.ndim} axes once, "
                             f"got {axes}; to exchange two axes, use swapaxes")
        back = np.argsort(order)
        return from_operation(self.data.transpose(order), (self, lambda grad: grad.transpose(back)))

    @property
    def T(self) -> Tensor:
        return self.transpose()

    def swapaxes(self, first: int, second: int) -> Tensor:
        return from_operation(self.data.swapaxes(first, second),
                              (self, lambda grad: grad.swapaxes(first, second)))

    def __getitem__(self, index: Any) -> Tensor:
        """Ints, slices, None, ``...``, arrays of ints (repeats too) and of booleans, as in numpy."""
        try:
            picked = self.data[index]
        except IndexError as error:
            raise IndexError(f"cannot index shape {self.shape}: {error}") from None

        def to_places(grad: np.ndarray) -> np.ndarray:
            if np.may_share_memory(picked, self.data):  # a view: ints and slices pick no element twice
                total = np.zeros_like(self.data)
                total[index] = grad
                return total
            # The same index, applied to the elements' numbers, tells where each gradient belongs;
            # bincount adds up the gradients of an element that was picked more than once.
            numbers = np.arange(self.data.size).reshape(self.shape)[index]
            total = np.bincount(numbers.ravel(), weights=grad.ravel(), minlength=self.data.size)
            return total.reshape(self.shape)
        return from_operation(picked, (self, to_places))


# ---- making tensors ----

def tensor(data: Any, requires_grad: bool = False, dtype: Any = None) -> Tensor:
    """A tensor with a copy of ``data``: a number, nested lists or an array of any shape.

    Arrays of floats keep their type (float32 stays float32); everything else, integers too, becomes float64,
    unless ``dtype`` names another type of floats. Indices are no tensors: leave them in arrays of integers.
    """
    return Tensor(np.array(_floats(data, dtype)), requires_grad)


def as_tensor(value: Any, like: Any = None) -> Tensor:
    """``value`` itself if it is a tensor, otherwise a constant made of it.

    Arrays of floats keep their type; numbers and integers adapt to that of the tensor ``like``, if it is one.
    """
    if isinstance(value, Tensor):
        return value
    array = np.asarray(value)
    adapts = isinstance(like, Tensor) and (array.ndim == 0 or array.dtype.kind != "f")
    return Tensor(_floats(array, like.dtype if adapts else None))


def _floats(data: Any, dtype: Any) -> np.ndarray:
    array = np.asarray(data)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"a tensor holds real numbers, got an array of dtype {array.dtype}")
    if dtype is None:
        dtype = array.dtype if array.dtype.kind == "f" else np.float64
    elif np.dtype(dtype).kind != "f":
        raise TypeError(f"a tensor holds floats, got dtype {np.dtype(dtype)}; leave indices in numpy arrays")
    return array.astype(dtype, copy=False)


def from_operation(data: Any, *edges: Edge) -> Tensor:
    """The result of an operation: its values, and an edge for each operand.

    The function in an edge takes the gradient of the result (shape of ``data``) to that of the operand. Where
    the operand was broadcast, it may leave the gradient in the larger shape: ``backward`` sums it down.
    """
    needed = tuple(edge for edge in edges if edge[0].requires_grad)
    return Tensor(data, requires_grad=bool(needed), edges=needed)


# ---- operations on several tensors ----

def concatenate(tensors: Sequence[Any], axis: int = 0) -> Tensor:
    """The tensors one behind the other along ``axis``; their other sizes must agree."""
    tensors = [as_tensor(each) for each in tensors]
    try:
        data = np.concatenate([each.data for each in tensors], axis=axis)
    except ValueError as error:
        shapes = ", ".join(str(each.shape) for each in tensors)
        raise ValueError(f"cannot concatenate shapes {shapes} along axis {axis}: {error}") from None
    edges, start = [], 0
    for each in tensors:
        piece = range(start, start + each.shape[axis])
        edges.append((each, lambda grad, piece=piece: grad.take(piece, axis=axis)))
        start = piece.stop
    return from_operation(data, *edges)


def stack(tensors: Sequence[Any], axis: int = 0) -> Tensor:
    """Tensors of one shape side by side along a new axis, which comes to stand at ``axis``."""
    tensors = [as_tensor(each) for each in tensors]
    if not tensors:
        raise ValueError("stack needs at least one tensor")
    shapes = dict.fromkeys(each.shape for each in tensors)  # each shape once, in order
    if len(shapes) > 1:
        raise ValueError(f"cannot stack shapes {', '.join(map(str, shapes))}: all must be equal")
    data = np.stack([each.data for each in tensors], axis=axis)
    return from_operation(data, *((each, lambda grad, i=i: grad.take(i, axis=axis))
                                  for i, each in enumerate(tensors)))


def split(x: Any, sections: int, axis: int = 0) -> list[Tensor]:
    """``sections`` equal pieces of x along ``axis``, in order."""
    x = as_tensor(x)
    size, rest = divmod(x.shape[axis], sections)
    if rest:
        raise ValueError(f"cannot split axis {axis} of {x.shape} into {sections} equal pieces")
    before = (slice(None),) * (axis % x.ndim)
    return [x[*before, start:start + size] for start in range(0, sections * size, size)]


def where(condition: Any, a: Any, b: Any) -> Tensor:
    """Elements of ``a`` where ``condition`` (booleans) is True, of ``b`` elsewhere; all three broadcast.

    An element that is not chosen gets a gradient of exactly 0, whatever it is (NaN and infinity included).
    """
    condition = np.asarray(condition)
    if condition.dtype != bool:
        raise TypeError(f"where needs a condition of booleans, got dtype {condition.dtype}")
    a, b = as_tensor(a, like=b), as_tensor(b, like=a)
    if not broadcastable(condition.shape, a.shape, b.shape):
        raise ValueError(f"where({condition.shape}, {a.shape}, {b.shape}): "
                         "counted from the right, sizes must be equal or 1")
    return from_operation(np.where(condition, a.data, b.data),
                          (a, lambda grad: np.where(condition, grad, 0)),
                          (b, lambda grad: np.where(condition, 0, grad)))


# ---- order, shapes, indices ----

def _results_before_operands(root: Tensor) -> Iterator[Tensor]:
    """All tensors that root was computed from, each after everything that was computed from it.

    A depth-first search, with a list in place of recursion: a graph may be deeper than Python's call stack.
    """
    finished: list[Tensor] = []
    seen: set[int] = set()
    stack = [(root, False)]
    while stack:
        node, operands_done = stack.pop()
        if operands_done:
            finished.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((operand, False) for operand, _ in node._edges)
    return reversed(finished)


def _fit(gradient: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A gradient in its operand's shape. Broadcasting copies the operand: sum the gradients of its copies."""
    if gradient.shape == shape:
        return gradient
    added = gradient.ndim - len(shape)
    stretched = [added + axis for axis, size in enumerate(shape) if size == 1]
    return gradient.sum(axis=(*range(added), *stretched)).reshape(shape)


def _restore_axes(grad: np.ndarray, axis: Axis, keepdims: bool) -> np.ndarray:
    """The gradient of a reduction with the reduced axes back in place, of size 1, ready to broadcast."""
    return grad if keepdims or axis is None else np.expand_dims(grad, axis)


def broadcastable(*shapes: tuple[int, ...]) -> bool:
    if len(set(shapes)) == 1:
        return True
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


def check_indices(indices: Any, count: int, what: str) -> np.ndarray:
    """The indices as an array, once it is sure that they are integers from 0 to count - 1.

    numpy would count negative ones from the end: -1, a common mark for padding, would be the last row.
    """
    indices = np.asarray(indices)
    if indices.dtype.kind not in "iu":
        raise TypeError(f"{what} must be integers, got dtype {indices.dtype}")
    wrong = indices[(indices < 0) | (indices >= count)]
    if wrong.size:
        raise IndexError(f"{what} must be from 0 to {count - 1}, got {wrong.flat[0]}")
    return indices


def _as_tuple(arguments: tuple) -> tuple:
    """f(2, 3) and f((2, 3)) mean the same."""
    return tuple(arguments[0]) if len(arguments) == 1 and not np.isscalar(arguments[0]) else arguments
