"""How long a training step of a small GPT takes: nanotorch against PyTorch, same shapes, same weights, one thread.

    python tests/bench/gpt_step.py

A step is the loss of a batch, ``zero_grad``, ``backward`` and one of Adam's. Both start from the same weights, and a test
(tests/snippets/test_nanotorch_layers_against_torch.py) holds their losses against each other, so that they compute the same.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable

if __name__ == "__main__":
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"  # read when numpy is imported: hence before it

import numpy as np

import nanotorch as nt

VOCABULARY, CONTEXT, D_MODEL, LAYERS, HEADS, BATCH = 92, 64, 64, 2, 4, 16
LEARNING_RATE = 3e-3
FUTURE = np.triu(np.ones((CONTEXT, CONTEXT), bool), k=1)


class Block(nt.Module):
    def __init__(self, rng: np.random.Generator, dtype: type) -> None:
        self.norm_1, self.norm_2 = nt.LayerNorm(D_MODEL, dtype=dtype), nt.LayerNorm(D_MODEL, dtype=dtype)
        self.attention = nt.MultiHeadAttention(D_MODEL, HEADS, rng, bias=True, dtype=dtype)
        self.up = nt.Linear(D_MODEL, 4 * D_MODEL, rng, dtype=dtype)
        self.down = nt.Linear(4 * D_MODEL, D_MODEL, rng, dtype=dtype)

    def forward(self, x: nt.Tensor) -> nt.Tensor:
        x = x + self.attention(self.norm_1(x), mask=FUTURE)[0]
        return x + self.down(nt.gelu(self.up(self.norm_2(x)), approximate="tanh"))


class GPT(nt.Module):
    """GPT-2's architecture, small: 115 968 parameters. tokens (…, CONTEXT) → logits (…, CONTEXT, VOCABULARY)."""

    def __init__(self, rng: np.random.Generator, dtype: type = np.float64) -> None:
        self.token = nt.Embedding(VOCABULARY, D_MODEL, rng, dtype=dtype)
        self.position = nt.Embedding(CONTEXT, D_MODEL, rng, dtype=dtype)
        self.blocks = [Block(rng, dtype) for _ in range(LAYERS)]
        self.norm = nt.LayerNorm(D_MODEL, dtype=dtype)
        self.head = nt.Linear(D_MODEL, VOCABULARY, rng, bias=False, dtype=dtype)

    def forward(self, tokens: np.ndarray) -> nt.Tensor:
        x = self.token(tokens) + self.position.weight
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def make_batch() -> tuple[np.ndarray, np.ndarray]:
    """Random tokens and what follows each: (BATCH, CONTEXT) twice."""
    text = np.random.default_rng(1).integers(0, VOCABULARY, (BATCH, CONTEXT + 1))
    return text[:, :-1], text[:, 1:]


def nanotorch_step(model: GPT) -> Callable[[], float]:
    """A function that takes one training step and returns the loss before it."""
    optimizer = nt.Adam(model.parameters(), lr=LEARNING_RATE)
    tokens, targets = make_batch()

    def step() -> float:
        loss = nt.cross_entropy(model(tokens), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


def torch_step(model: GPT) -> Callable[[], float]:
    """The same in PyTorch, from the weights that ``model`` has now, with its own fused layers and attention."""
    import torch
    import torch.nn.functional as F

    weights = {name: torch.tensor(values, requires_grad=True) for name, values in model.state_dict().items()}
    optimizer = torch.optim.Adam(weights.values(), lr=LEARNING_RATE)
    tokens, targets = (torch.tensor(each) for each in make_batch())

    def linear(x: torch.Tensor, name: str) -> torch.Tensor:
        return F.linear(x, weights[f"{name}.weight"].T, weights.get(f"{name}.bias"))

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        return F.layer_norm(x, (D_MODEL,), weights[f"{name}.weight"], weights[f"{name}.bias"])

    def attention(x: torch.Tensor, name: str) -> torch.Tensor:
        Q, K, V = (linear(x, f"{name}.{each}").unflatten(-1, (HEADS, -1)).transpose(1, 2)
                   for each in ("W_Q", "W_K", "W_V"))
        heads = F.scaled_dot_product_attention(Q, K, V, is_causal=True)
        return linear(heads.transpose(1, 2).flatten(-2), f"{name}.W_O")

    def step() -> float:
        x = F.embedding(tokens, weights["token.weight"]) + weights["position.weight"]
        for block in (f"blocks.{layer}" for layer in range(LAYERS)):
            x = x + attention(norm(x, f"{block}.norm_1"), f"{block}.attention")
            hidden = linear(norm(x, f"{block}.norm_2"), f"{block}.up")
            x = x + linear(F.gelu(hidden, approximate="tanh"), f"{block}.down")
        loss = F.cross_entropy(linear(norm(x, "norm"), "head").flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


def measure(steps: dict[str, Callable[[], float]], rounds: int = 30) -> dict[str, float]:
    """The median time of each step in milliseconds; in turns, so that a busy moment hits all of them."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for number in range(rounds + 3):
        for name, step in steps.items():
            start = time.perf_counter()
            step()
            if number >= 3:  # the first ones warm up
                times[name].append(1000 * (time.perf_counter() - start))
    return {name: statistics.median(each) for name, each in times.items()}


def main() -> None:
    import torch

    torch.set_num_threads(1)
    print(f"GPT: {sum(each.data.size for each in GPT(np.random.default_rng(0)).parameters())} parameters, "
          f"batch {BATCH}, context {CONTEXT}; median ms a step, one thread; "
          f"numpy {np.__version__}, PyTorch {torch.__version__}\n")
    print("          nanotorch   PyTorch   ratio")
    for dtype in (np.float64, np.float32):
        model = GPT(np.random.default_rng(0), dtype)
        found = measure({"PyTorch": torch_step(model), "nanotorch": nanotorch_step(model)})
        print(f"{dtype.__name__:<9}{found['nanotorch']:>10.1f}{found['PyTorch']:>10.1f}"
              f"{found['nanotorch'] / found['PyTorch']:>8.1f}")


if __name__ == "__main__":
    main()
