"""Tres palabras, cuatro matrices: un mismo vector como consulta, clave y valor.

Los números están escritos a mano. Fuente: Vaswani et al. (2017), §3.2.2, con una
sola cabeza.
"""
# %% words
import numpy as np

import vis

tokens = ["banco", "de", "jardín"]
X = np.array([[2.0, 0.0, 0.0, 1.0],       # ambigüedad, pista, lado
              [0.0, 0.0, 0.0, 1.0],
              [0.0, 2.0, 1.0, 1.0]])

# %% matrices
W_Q = np.array([[0.0, 1.0], [0.0, -1.0], [0.0, 0.0], [1.0, 0.0]])    # 4 → 2
W_K = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])     # 4 → 2
W_V = np.array([[0.5, 0.5], [0.5, 0.5], [1.0, -1.0], [0.0, 0.0]])    # 4 → 2
W_O = np.array([[-0.5, 0.0, 0.5, 0.0], [-0.5, 0.0, -0.5, 0.0]])      # 2 → 4

# %% projections
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
for token, q, k, v in zip(tokens, Q, K, V):
    print(f"{token:7} q = {q}, k = {k}, v = {v}")

# %% weights
def softmax(scores):
    """Convierte cada fila de puntuaciones en pesos positivos que suman 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


scores = Q @ K.T / np.sqrt(2)
weights = softmax(scores)
print(weights.round(3))

# %% output
mixture = weights @ V                     # asiento, dinero
output = mixture @ W_O                    # otra vez las cuatro de X
print("la mezcla de «banco»:", *mixture[0].round(2))
print("su salida:           ", *output[0].round(2))
print("más su vector:       ", *(X + output)[0].round(2))

# %% lines
vis.attention(tokens, weights, title="Quién mira a quién", decimal=".")
