"""Dos puntuaciones y sus pesos. Fuente: Vaswani et al. (2017), §3.2.1."""
# %% weights
import numpy as np

import vis

scores = np.array([1.0, 0.0])
weights = np.exp(scores) / np.exp(scores).sum()  # softmax
print("pesos:", *weights.round(3))

# %% picture
vis.bars(weights, labels=["primera", "segunda"], title="Pesos", decimal=".")
