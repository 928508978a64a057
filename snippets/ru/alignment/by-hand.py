"""Аддитивная оценка вручную: маленькая сеть из двух нейронов.

Бахданау и др. (2014), §3.1 и приложение A. Числа написаны от руки.
"""
# %% scores
import numpy as np

W, U, v = np.array([0.5, 0.0]), np.array([0.5, 1.0]), np.array([1.0, -1.0])
s = 1.0                       # состояние декодера
h = np.array([2.0, -1.0])     # состояния двух слов
inside = W * s + np.outer(h, U)
scores = np.tanh(inside) @ v
print("внутри tanh:", *inside.round(2))
print("оценки:", scores.round(3))

# %% mixture
weights = np.exp(scores) / np.exp(scores).sum()
print("веса:", weights.round(3))
print("контекст:", round(weights @ h, 3))
