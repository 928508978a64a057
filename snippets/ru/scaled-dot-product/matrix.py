"""Три запроса и пять ключей сразу, через nanotorch, и то же циклами на чистом Python.

Источник: Васвани и др. (2017), §3.2.1, формула 1.
"""
# %% rows
import math

import numpy as np

import nanotorch as nt
import vis

rng = np.random.default_rng(0)
Q = rng.normal(size=(3, 8))                    # три запроса по восемь компонент
K = rng.normal(size=(5, 8))                    # пять ключей, тоже по восемь
V = rng.normal(size=(5, 4))                    # пять значений по четыре
output, weights = nt.scaled_dot_product_attention(Q, K, V)

print("веса", weights.shape)
print(weights.data.round(2))
print("сумма каждой строки:", *weights.data.sum(axis=1).round(6))
print("выход", output.shape)

# %% heatmap
query_names = ["q₁", "q₂", "q₃"]
key_names = ["k₁", "k₂", "k₃", "k₄", "k₅"]
vis.heatmap(weights, xlabels=key_names, ylabels=query_names,
            title="Каждая строка — один запрос", decimal=",")

# %% lines
vis.attention(key_names, weights, query_tokens=query_names,
              title="Те же пятнадцать весов", decimal=",")

# %% wrong-axis
scores = Q @ K.T / math.sqrt(8)                # (3, 5): оси — запросы и ключи
wrong = nt.softmax(scores, axis=0).data        # не та ось: по столбцам
print("сумма каждой строки: ", *wrong.sum(axis=1).round(2))
print("сумма каждого столбца:", *wrong.sum(axis=0).round(2))

# %% loop
def attend(query, keys, values):
    """Один запрос, число за числом: его веса и его выход."""
    scores = []
    for key in keys:
        products = [a * b for a, b in zip(query, key)]
        scores.append(sum(products) / math.sqrt(len(query)))
    exps = [math.exp(score) for score in scores]
    weights = [exp / sum(exps) for exp in exps]

    mixture = [0.0] * len(values[0])
    for weight, value in zip(weights, values):
        for c, component in enumerate(value):
            mixture[c] += weight * component
    return weights, mixture


# %% checks
def same(a, b):
    """Сравнивает числа попарно."""
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max() <= 1e-12)


looped = [attend(query, K.tolist(), V.tolist()) for query in Q.tolist()]
print("цикл и матрицы, веса:  ",
      same([row for row, _ in looped], weights.data))
print("цикл и матрицы, выход: ",
      same([row for _, row in looped], output.data))

alone, _ = nt.scaled_dot_product_attention(Q[1:2], K, V)
print("второй запрос отдельно:", same(alone.data[0], output.data[1]))

order = [3, 0, 4, 1, 2]                        # пары в другом порядке
shuffled, shuffled_weights = nt.scaled_dot_product_attention(
    Q, K[order], V[order])
print("порядок другой, выход: ", same(shuffled.data, output.data))
print("каждый вес у ключа:    ",
      same(shuffled_weights.data, weights.data[:, order]))
