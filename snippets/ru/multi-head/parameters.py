"""Сколько параметров и операций у слоя при разном числе голов.

Источник: Васвани и др. (2017), §3.2.2.
"""
# %% count
import numpy as np

import nanotorch as nt

d_model, n = 512, 100
rng = np.random.default_rng(0)


def count(heads, bias=False):
    """Сколько параметров у слоя."""
    layer = nt.MultiHeadAttention(d_model, heads, rng, bias=bias)
    return sum(parameter.data.size for parameter in layer.parameters())


def operations(heads):
    """Умножения и сложения в оценках и смеси для n токенов."""
    d_k = d_model // heads
    return heads * 2 * (2 * n * n * d_k)


print(" головы  d_k   параметры     операции   веса")
counts = {heads: count(heads) for heads in (1, 2, 4, 8)}
with_bias = count(8, bias=True)
for heads in counts:
    print(f"{heads:7d}  {d_model // heads:3d}  {counts[heads]:10d}"
          f"  {operations(heads):11d}  {heads * n * n:5d}")
print("со сдвигами:", with_bias)

# %% bert
layers, bert_heads, width = 12, 12, 768
print("BERT base:", layers * bert_heads, "головы по",
      width // bert_heads, "компоненты")
