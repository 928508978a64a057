"""Cuántos parámetros y operaciones tiene una capa según sus cabezas.

Fuente: Vaswani et al. (2017), §3.2.2.
"""
# %% count
import numpy as np

import nanotorch as nt

d_model, n = 512, 100
rng = np.random.default_rng(0)


def count(heads, bias=False):
    """Parámetros de una capa."""
    layer = nt.MultiHeadAttention(d_model, heads, rng, bias=bias)
    return sum(parameter.data.size for parameter in layer.parameters())


def operations(heads):
    """Las de las puntuaciones y la mezcla de n tokens."""
    d_k = d_model // heads
    return heads * 2 * (2 * n * n * d_k)


print("cabezas  d_k  parámetros  operaciones  pesos")
counts = {heads: count(heads) for heads in (1, 2, 4, 8)}
with_bias = count(8, bias=True)
for heads in counts:
    print(f"{heads:7d}  {d_model // heads:3d}  {counts[heads]:10d}"
          f"  {operations(heads):11d}  {heads * n * n:5d}")
print("con sesgos:", with_bias)

# %% bert
layers, bert_heads, width = 12, 12, 768
print("BERT base:", layers * bert_heads, "cabezas de",
      width // bert_heads, "componentes")
