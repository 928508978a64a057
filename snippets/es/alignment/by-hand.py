"""La puntuación aditiva, a mano: una red pequeña con dos neuronas.

Bahdanau et al. (2014), §3.1 y apéndice A. Números escritos a mano.
"""
# %% scores
import numpy as np

W, U, v = np.array([0.5, 0.0]), np.array([0.5, 1.0]), np.array([1.0, -1.0])
s = 1.0                       # el estado del decodificador
h = np.array([2.0, -1.0])     # los estados de dos palabras
inside = W * s + np.outer(h, U)
scores = np.tanh(inside) @ v
print("dentro de la tangente:", *inside.round(2))
print("puntuaciones:", scores.round(3))

# %% mixture
weights = np.exp(scores) / np.exp(scores).sum()
print("pesos:", weights.round(3))
print("contexto:", round(weights @ h, 3))
