"""Три слова, четыре матрицы: один и тот же вектор как запрос, ключ и значение.

Числа написаны вручную. Источник: Васвани и др. (2017), §3.2.2, но голова одна.
"""
# %% words
import numpy as np

import vis

tokens = ["ключ", "от", "двери"]
X = np.array([[2.0, 0.0, 0.0, 1.0],       # многозначность, подсказка, сторона
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
    """Превращает каждую строку оценок в положительные веса с суммой 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


scores = Q @ K.T / np.sqrt(2)
weights = softmax(scores)
print(weights.round(3))

# %% output
mixture = weights @ V                     # инструмент, вода
output = mixture @ W_O                    # снова четыре, как в X
print("смесь слова «ключ»:", *mixture[0].round(2))
print("его выход:         ", *output[0].round(2))
print("плюс его вектор:   ", *(X + output)[0].round(2))

# %% lines
vis.attention(tokens, weights, title="Кто на кого смотрит", decimal=",")
