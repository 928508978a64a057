"""Modules: parts of a model that know their parameters, whatever they are nested in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .tensor import Tensor, tensor


class Module:
    """A part of a model: its parameters are attributes, its computation is ``forward``.

    >>> import numpy as np, nanotorch as nt
    >>> class Double(nt.Module):
    ...     def __init__(self):
    ...         self.factor = nt.parameter(2.0)
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> model = Double()
    >>> model(nt.tensor([1.0, 3.0]))
    tensor([2., 6.], shape=(2,), requires_grad=True)
    >>> [name for name, _ in model.named_parameters()]
    ['factor']

    Calling a module calls its ``forward``. A parameter is a tensor that requires a gradient and was computed
    from nothing; what ``forward`` leaves in an attribute, to be drawn for instance, is none. Modules, lists,
    tuples and dictionaries among the attributes are searched too.
    """

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        return self.forward(*inputs, **options)

    def forward(self, *inputs: Any, **options: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must say in forward() what it computes")

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """Names such as ``blocks.0.attention.W_Q.weight``, and the tensors; a shared one comes once."""
        return _named_parameters("", self, seen=set())

    def parameters(self) -> Iterator[Tensor]:
        return (parameter for _, parameter in self.named_parameters())

    def state_dict(self) -> dict[str, np.ndarray]:
        """A copy of all values by name: ``np.savez(path, **model.state_dict())`` keeps a trained model."""
        return {name: parameter.data.copy() for name, parameter in self.named_parameters()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Set all values; ``state`` is what `state_dict` gave, or ``np.load`` read. Types stay as they are."""
        parameters = dict(self.named_parameters())
        if missing := sorted(parameters.keys() - state.keys()):
            raise ValueError(f"no values for the parameters {', '.join(missing)}")
        if unknown := sorted(state.keys() - parameters.keys()):
            raise ValueError(f"{type(self).__name__} has no parameters {', '.join(unknown)}")
        values = {name: np.asarray(state[name]) for name in parameters}
        for name, parameter in parameters.items():
            if values[name].shape != parameter.shape:
                raise ValueError(f"the parameter {name} has shape {parameter.shape}, "
                                 f"its values {values[name].shape}: they must be equal")
        for name, parameter in parameters.items():
            parameter.data[...] = values[name]


def _named_parameters(name: str, value: Any, seen: set[int]) -> Iterator[tuple[str, Tensor]]:
    if id(value) in seen:
        return
    if isinstance(value, Tensor):
        if value.requires_grad and not value._edges:
            seen.add(id(value))
            yield name, value
        return
    if isinstance(value, Module):
        seen.add(id(value))
        parts = vars(value).items()
    elif isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value)
    else:
        return
    for key, part in parts:
        yield from _named_parameters(f"{name}.{key}" if name else str(key), part, seen)


# ---- making parameters ----

def parameter(values: Any, dtype: Any = None) -> Tensor:
    """A tensor to be learned: a copy of ``values`` that requires a gradient."""
    return tensor(values, requires_grad=True, dtype=dtype)


def random_parameter(rng: np.random.Generator, shape: tuple[int, ...], bound: float, dtype: Any) -> Tensor:
    """A parameter that starts with numbers drawn uniformly from [-bound, bound)."""
    return parameter(check_generator(rng).uniform(-bound, bound, shape), dtype)


def check_generator(rng: Any) -> np.random.Generator:
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy Generator, got {type(rng).__name__}: write once "
                        "rng = np.random.default_rng(0) and hand the same rng to every layer")
    return rng
