"""Proyectar, partir, atender, juntar; contra `nt.MultiHeadAttention`.

Vaswani et al. (2017), §3.2.2. Vectores y matrices al azar.
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
    """Corta las columnas en partes iguales, una por cabeza."""
    return np.split(matrix, heads, axis=1)


print("Q de cada cabeza:", *(piece.shape for piece in pieces(Q)))
small_W_Q = pieces(W_Q)[1]  # 8 × 4: las columnas de la segunda cabeza
same = np.allclose(pieces(Q)[1], X @ small_W_Q)
print("cortar Q o proyectar con un trozo de W_Q:",
      "lo mismo" if same else "distinto")

# %% attend
def attention(Q, K, V):
    """Atención de producto punto escalado. Devuelve mezcla y pesos."""
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ V, weights


parts = zip(pieces(Q), pieces(K), pieces(V))
results = [attention(*part) for part in parts]
outputs = [mixture for mixture, weights in results]
print("fila de X₁ en la cabeza 1:", results[0][1][0].round(2))
print("fila de X₁ en la cabeza 2:", results[1][1][0].round(2))

# %% concatenate
together = np.concatenate(outputs, axis=1)
output = together @ W_O
print("concatenadas", together.shape, " salida", output.shape)
ours, weights = layer(X)
print("igual que nanotorch:", np.allclose(output, ours.numpy()))

# %% sum
blocks = np.split(W_O, heads, axis=0)
by_heads = sum(mixture @ block for mixture, block in zip(outputs, blocks))
print("suma de cabezas, cada una por su bloque de W_O:",
      np.allclose(output, by_heads))
