"""Четыре токена и одна строка оценок: что маска делает с весами и со смесью.

Все числа написаны вручную.
"""
# %% row
import numpy as np


def softmax(scores):
    """Превращает каждую строку оценок в положительные веса с суммой 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


tokens = ["Где", "мой", "ключ", "▢"]               # ▢ — паддинг
scores = np.array([0.7, 0.0, 1.1, 1.4])            # строка слова «ключ»
values = np.array([6.0, 12.0, 4.0, 100.0])
mask = np.array([False, False, False, True])       # True: запрещено

# %% masked
weights = softmax(scores)
masked_scores = np.where(mask, -np.inf, scores)    # −∞ там, где запрещено
masked_weights = softmax(masked_scores)

print("токен       s     вес      с маской")
for token, s, before, after in zip(tokens, scores, weights, masked_weights):
    print(f"{token:8} {s:4.1f}   {before:.3f}        {after:.3f}")
print(f"{'сумма':13}   {weights.sum():.3f}        {masked_weights.sum():.3f}")
mixture, masked_mixture = weights @ values, masked_weights @ values
print(f"{'смесь':13}   {mixture:5.2f}        {masked_mixture:5.2f}")

# %% four-rows
causal = np.triu(np.ones((4, 4), dtype=bool), k=1)      # True выше диагонали
four_rows = softmax(np.where(causal, -np.inf, scores))  # одни на всех четверых
print(four_rows.round(2))
