"""La máscara causal: puntuaciones de 4 por 4, máscara triangular y pesos triangulares.

Fuente: Vaswani et al. (2017), §3.2.3.
"""
# %% mask
import numpy as np

import nanotorch as nt
import vis

rng = np.random.default_rng(1)
Q = rng.normal(size=(4, 8))
K = rng.normal(size=(4, 8))
V = np.eye(4)

causal = np.triu(np.ones((4, 4), dtype=bool), k=1)  # True encima de la diagonal
print(causal.astype(int))

# %% scores
scores = Q @ K.T / np.sqrt(8)
masked_scores = np.where(causal, -np.inf, scores)
print(scores.round(2))

# %% weights
_, weights = nt.scaled_dot_product_attention(Q, K, V, mask=causal)
print(weights.data.round(2))
print("suma de cada fila:", *weights.data.sum(axis=1).round(6))

# %% maps
queries, keys = ["q₁", "q₂", "q₃", "q₄"], ["k₁", "k₂", "k₃", "k₄"]
vis.heatmap(masked_scores, xlabels=keys, ylabels=queries,
            title="Puntuaciones con la máscara", decimal=".")
vis.heatmap(weights, xlabels=keys, ylabels=queries, title="Pesos", decimal=".")
