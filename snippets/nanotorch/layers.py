"""Layers that treat each token by itself: Linear, Embedding, LayerNorm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .module import Module, check_generator, parameter, random_parameter
from .tensor import Tensor, as_tensor, check_indices


class Linear(Module):
    """x W + b: (…, in_features) → (…, out_features).

    ``weight`` (in_features, out_features) stands as in the formula x W; PyTorch keeps its transpose.
    ``bias`` (out_features,), or None. Both start uniform in ±1/√in_features, as in ``torch.nn.Linear``:
    inputs of size 1 then give outputs of a size that does not depend on in_features.
    """

    def __init__(self, in_features: int, out_features: int, rng: np.random.Generator, bias: bool = True,
                 dtype: Any = np.float64) -> None:
        bound = 1 / math.sqrt(in_features)
        self.weight = random_parameter(rng, (in_features, out_features), bound, dtype)
        self.bias = random_parameter(rng, (out_features,), bound, dtype) if bias else None

    def forward(self, x: Any) -> Tensor:
        product = x @ self.weight
        return product if self.bias is None else product + self.bias


class Embedding(Module):
    """A learned vector per token: integers (…) → (…, embedding_dim).

    ``weight`` (num_embeddings, embedding_dim): row i belongs to token i. It starts with normal numbers of
    variance 1, as in ``torch.nn.Embedding``.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, rng: np.random.Generator,
                 dtype: Any = np.float64) -> None:
        self.weight = parameter(check_generator(rng).normal(size=(num_embeddings, embedding_dim)), dtype)

    def forward(self, indices: Any) -> Tensor:
        return self.weight[check_indices(indices, len(self.weight), "the indices of an embedding")]


class LayerNorm(Module):
    """(x - mean) / √(variance + eps) · weight + bias, over the last axis (Ba et al. 2016, equation 4).

    (…, size) → (…, size): each token is normalised by itself, over its ``size`` components, and no other
    token is looked at. ``weight`` (size,) starts at 1, ``bias`` (size,) at 0.
    """

    def __init__(self, size: int, eps: float = 1e-5, dtype: Any = np.float64) -> None:
        self.weight = parameter(np.ones(size), dtype)
        self.bias = parameter(np.zeros(size), dtype)
        self.eps = eps

    def forward(self, x: Any) -> Tensor:
        x = as_tensor(x, like=self.weight)
        if x.shape[-1:] != self.weight.shape:
            raise ValueError(f"LayerNorm over {len(self.weight)} components got a tensor of shape {x.shape}: "
                             f"the last size must be {len(self.weight)}")
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = (centred * centred).mean(axis=-1, keepdims=True)
        return centred / (variance + self.eps).sqrt() * self.weight + self.bias
