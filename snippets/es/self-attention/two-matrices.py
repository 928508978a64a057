"""Qué entra en la puntuación: el producto de dos matrices delgadas."""
# %% product
import numpy as np

rng = np.random.default_rng(0)
n, d, d_k = 32, 16, 8
X = rng.normal(size=(n, d))
W_Q, W_K = rng.normal(size=(2, d, d_k)) / np.sqrt(d)

scores = (X @ W_Q) @ (X @ W_K).T
product = W_Q @ W_K.T                              # (16, 16)
print("lo mismo:", np.allclose(scores, X @ product @ X.T))
print("rango del producto:", np.linalg.matrix_rank(product), "de", d)
print("rango de las puntuaciones:", np.linalg.matrix_rank(scores), "de", n)

# %% sizes
model, head = 512, 64                              # los del artículo de 2017
print("dos matrices delgadas:", 2 * model * head)
print("el producto, entero:  ", model**2)

# %% other-pair
A = rng.normal(size=(d_k, d_k))                    # casi seguro, invertible
other_Q, other_K = W_Q @ A, W_K @ np.linalg.inv(A).T
print("otra pareja, las mismas puntuaciones:",
      np.allclose(scores, (X @ other_Q) @ (X @ other_K).T))

# %% tied
def softmax(scores):
    """Convierte cada fila de puntuaciones en pesos positivos que suman 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


tied = (X @ W_Q) @ (X @ W_Q).T / np.sqrt(d_k)   # la misma matriz dos veces
weights = softmax(tied)
print("puntuaciones simétricas:", np.allclose(tied, tied.T))
print("pesos simétricos:", np.allclose(weights, weights.T))
print("la menor de un token consigo mismo:", tied.diagonal().min().round(2))
