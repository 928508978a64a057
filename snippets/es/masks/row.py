"""Cuatro tokens y una fila de puntuaciones: qué les hace la máscara a los pesos y a la mezcla.

Todos los números están escritos a mano.
"""
# %% row
import numpy as np


def softmax(scores):
    """Convierte cada fila de puntuaciones en pesos positivos que suman 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


tokens = ["Busco", "el", "banco", "▢"]             # ▢ es relleno
scores = np.array([0.7, 0.0, 1.1, 1.4])            # la fila de «banco»
values = np.array([6.0, 12.0, 4.0, 100.0])
mask = np.array([False, False, False, True])       # True: prohibido

# %% masked
weights = softmax(scores)
masked_scores = np.where(mask, -np.inf, scores)    # −∞ donde está prohibido
masked_weights = softmax(masked_scores)

print("token       s    peso  con máscara")
for token, s, before, after in zip(tokens, scores, weights, masked_weights):
    print(f"{token:8} {s:4.1f}   {before:.3f}        {after:.3f}")
print(f"{'suma':13}   {weights.sum():.3f}        {masked_weights.sum():.3f}")
mixture, masked_mixture = weights @ values, masked_weights @ values
print(f"{'mezcla':13}   {mixture:5.2f}        {masked_mixture:5.2f}")

# %% four-rows
causal = np.triu(np.ones((4, 4), dtype=bool), k=1)  # True encima de la diagonal
four_rows = softmax(np.where(causal, -np.inf, scores))  # las mismas para todas
print(four_rows.round(2))
