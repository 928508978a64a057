"""Optimizers: after ``loss.backward()``, each moves the parameters a small step against their gradients."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .tensor import Tensor


class Optimizer:
    """Holds the parameters; a subclass says in ``update`` how one of them moves.

    ``lr`` is the learning rate; assigning another value between two steps changes it from then on.
    """

    def __init__(self, parameters: Iterable[Tensor], lr: float) -> None:
        name = type(self).__name__
        if isinstance(parameters, Tensor) or not isinstance(parameters, Iterable):
            raise TypeError(f"{name} takes a list of parameters, got {type(parameters).__name__}: "
                            "write model.parameters(), or [w, b]")
        self.parameters = list(parameters)
        if not self.parameters:
            raise ValueError(f"{name} got no parameters; if they came from model.parameters(), "
                             "the model has no attribute made with requires_grad=True")
        for parameter in self.parameters:
            if not isinstance(parameter, Tensor):
                raise TypeError(f"{name} takes a list of parameters, got a list with {type(parameter).__name__}: "
                                "write [*encoder.parameters(), *decoder.parameters()]")
            if not parameter.requires_grad:
                raise ValueError(f"{name} cannot move a tensor of shape {parameter.shape}: "
                                 "it was not made with requires_grad=True")
        self.lr = lr

    def zero_grad(self) -> None:
        """Forget the gradients, else those of the next ``backward()`` are added to them."""
        for parameter in self.parameters:
            parameter.zero_grad()

    def step(self) -> None:
        """Move every parameter that has a gradient; one that the loss does not depend on has none."""
        if all(parameter.grad is None for parameter in self.parameters):
            raise RuntimeError("step() before backward(): no parameter has a gradient")
        for index, parameter in enumerate(self.parameters):
            if parameter.grad is not None:
                parameter.data -= self.update(index, parameter.grad)

    def update(self, index: int, grad: np.ndarray) -> np.ndarray:
        """What to subtract from parameter ``index``, whose gradient is ``grad``; both have its shape."""
        raise NotImplementedError


class SGD(Optimizer):
    """Gradient descent: w ← w - lr · gradient. ("Stochastic": the gradient is that of a random batch.)"""

    def update(self, index: int, grad: np.ndarray) -> np.ndarray:
        return self.lr * grad


class Adam(Optimizer):
    """Steps of about ``lr`` for each number, however large its gradients (Kingma & Ba 2015, algorithm 1).

    m and v are moving averages of the gradient and of its square. They start at 0, too low; dividing by
    1 - β^t, t being the number of steps, makes up for that.
    """

    def __init__(self, parameters: Iterable[Tensor], lr: float = 1e-3,
                 betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8) -> None:
        super().__init__(parameters, lr)
        self.betas, self.eps = betas, eps
        self.m = [np.zeros_like(parameter.data) for parameter in self.parameters]
        self.v = [np.zeros_like(parameter.data) for parameter in self.parameters]
        self.t = [0] * len(self.parameters)

    def update(self, index: int, grad: np.ndarray) -> np.ndarray:
        beta_1, beta_2 = self.betas
        self.t[index] += 1
        self.m[index] = beta_1 * self.m[index] + (1 - beta_1) * grad
        self.v[index] = beta_2 * self.v[index] + (1 - beta_2) * grad**2
        m = self.m[index] / (1 - beta_1 ** self.t[index])
        v = self.v[index] / (1 - beta_2 ** self.t[index])
        return self.lr * m / (np.sqrt(v) + self.eps)
