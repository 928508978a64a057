"""Recurrent cells: one step of a network that reads a sequence item by item and keeps a state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .module import Module, random_parameter
from .tensor import Tensor, split


class RNNCell(Module):
    """h' = tanh(x W_ih + b_ih + h W_hh + b_hh) (after Elman 1990, whose unit is logistic).

    x (…, input_size), the item read, and h (…, hidden_size), the state so far → the new state
    (…, hidden_size). Before the first item h is zeros, ``np.zeros((batch, hidden_size))``.
    ``weight_ih`` (input_size, hidden_size), ``weight_hh`` (hidden_size, hidden_size), ``bias_ih`` and
    ``bias_hh`` (hidden_size,) start uniform in ±1/√hidden_size, as in ``torch.nn.RNNCell``, which keeps the
    weights transposed.
    """

    gates = 1

    def __init__(self, input_size: int, hidden_size: int, rng: np.random.Generator,
                 dtype: Any = np.float64) -> None:
        bound, columns = 1 / math.sqrt(hidden_size), self.gates * hidden_size
        self.weight_ih = random_parameter(rng, (input_size, columns), bound, dtype)
        self.weight_hh = random_parameter(rng, (hidden_size, columns), bound, dtype)
        self.bias_ih = random_parameter(rng, (columns,), bound, dtype)
        self.bias_hh = random_parameter(rng, (columns,), bound, dtype)

    def forward(self, x: Any, h: Any) -> Tensor:
        return (x @ self.weight_ih + self.bias_ih + h @ self.weight_hh + self.bias_hh).tanh()


class GRUCell(RNNCell):
    """The gated recurrent unit (Cho et al. 2014, section 2.3): two gates decide what the state keeps.

    r = σ(x W_ir + h W_hr)           the reset gate: how much of the old state the new proposal sees
    z = σ(x W_iz + h W_hz)           the update gate: how much of the old state stays
    n = tanh(x W_in + r (h W_hn))    the proposal
    h' = (1 - z) n + z h             (each product x W and h W also has a bias)

    x (…, input_size) and h (…, hidden_size) → h' (…, hidden_size). ``weight_ih`` (input_size, 3·hidden_size)
    and ``weight_hh`` (hidden_size, 3·hidden_size) hold the columns of r, z and n side by side, in the order of
    ``torch.nn.GRUCell``, whose formula this is. Cho's applies r one step earlier, (r h) W_hn; Bahdanau's
    (2014, appendix A.1.1) does too, and there z is what is called 1 - z here.
    """

    gates = 3

    def forward(self, x: Any, h: Any) -> Tensor:
        x_r, x_z, x_n = split(x @ self.weight_ih + self.bias_ih, self.gates, axis=-1)
        h_r, h_z, h_n = split(h @ self.weight_hh + self.bias_hh, self.gates, axis=-1)
        r, z = (x_r + h_r).sigmoid(), (x_z + h_z).sigmoid()
        n = (x_n + r * h_n).tanh()
        return (1 - z) * n + z * h
