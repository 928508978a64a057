"""Разрезать, применить внимание, склеить, спроецировать — и сверить с nanotorch.

Васвани и др. (2017), §3.2.2. Векторы и матрицы случайные.
"""
# %% project
import numpy as np

import nanotorch as nt

n, d_model, heads = 5, 8, 2
d_k = d_model // heads
rng = np.random.default_rng(0)
X = rng.standard_normal((n, d_model))
layer = nt.MultiHeadAttention(d_model, heads, rng)
matrices = layer.W_Q, layer.W_K, layer.W_V, layer.W_O
W_Q, W_K, W_V, W_O = (each.weight.numpy() for each in matrices)

Q, K, V = X @ W_Q, X @ W_K, X @ W_V
print("X", X.shape, " W_Q", W_Q.shape, " Q", Q.shape)

# %% split
def pieces(matrix):
    """Режет столбцы на равные части, по одной на голову."""
    return np.split(matrix, heads, axis=1)


print("Q каждой головы:", *(piece.shape for piece in pieces(Q)))
small_W_Q = pieces(W_Q)[1]  # 8 × 4: столбцы второй головы
same = np.allclose(pieces(Q)[1], X @ small_W_Q)
print("разрезать Q или проецировать куском W_Q:",
      "одно и то же" if same else "разное")

# %% attend
def attention(Q, K, V):
    """Масштабированное внимание. Возвращает смесь и веса."""
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ V, weights


parts = zip(pieces(Q), pieces(K), pieces(V))
results = [attention(*part) for part in parts]
outputs = [mixture for mixture, weights in results]
print("строка X₁ в голове 1:", results[0][1][0].round(2))
print("строка X₁ в голове 2:", results[1][1][0].round(2))

# %% concatenate
together = np.concatenate(outputs, axis=1)
output = together @ W_O
print("после склейки", together.shape, " выход", output.shape)
ours, weights = layer(X)
print("как у nanotorch:", np.allclose(output, ours.numpy()))

# %% sum
blocks = np.split(W_O, heads, axis=0)
by_heads = sum(mixture @ block for mixture, block in zip(outputs, blocks))
print("сумма голов, каждая через свой блок W_O:",
      np.allclose(output, by_heads))
