"""Tres consultas y cinco claves de una vez, con nanotorch; después, lo mismo con bucles de Python.

Fuente: Vaswani et al. (2017), §3.2.1, ecuación 1.
"""
# %% rows
import math

import numpy as np

import nanotorch as nt
import vis

rng = np.random.default_rng(0)
Q = rng.normal(size=(3, 8))    # tres consultas de ocho componentes
K = rng.normal(size=(5, 8))    # cinco claves, también de ocho
V = rng.normal(size=(5, 4))    # un valor de cuatro componentes por clave
output, weights = nt.scaled_dot_product_attention(Q, K, V)

print("pesos", weights.shape)
print(weights.data.round(2))
print("suma de cada fila:", *weights.data.sum(axis=1).round(6))
print("salida", output.shape)

# %% heatmap
query_names = ["q₁", "q₂", "q₃"]
key_names = ["k₁", "k₂", "k₃", "k₄", "k₅"]
vis.heatmap(weights, xlabels=key_names, ylabels=query_names,
            title="Cada fila es una consulta", decimal=".")

# %% lines
vis.attention(key_names, weights, query_tokens=query_names,
              title="Los mismos quince pesos", decimal=".")

# %% wrong-axis
scores = Q @ K.T / math.sqrt(8)           # (3, 5): consultas por claves
wrong = nt.softmax(scores, axis=0).data   # el eje equivocado: por columnas
print("suma de cada fila:   ", *wrong.sum(axis=1).round(2))
print("suma de cada columna:", *wrong.sum(axis=0).round(2))

# %% loop
def attend(query, keys, values):
    """Una consulta, número a número: sus pesos y su salida."""
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
    """Compara número por número."""
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max() <= 1e-12)


looped = [attend(query, K.tolist(), V.tolist()) for query in Q.tolist()]
print("bucle y matrices, pesos: ",
      same([row for row, _ in looped], weights.data))
print("bucle y matrices, salida:",
      same([row for _, row in looped], output.data))

alone, _ = nt.scaled_dot_product_attention(Q[1:2], K, V)
print("la segunda consulta sola:", same(alone.data[0], output.data[1]))

order = [3, 0, 4, 1, 2]        # los pares clave-valor, en otro orden
shuffled, shuffled_weights = nt.scaled_dot_product_attention(
    Q, K[order], V[order])
print("otro orden, misma salida:", same(shuffled.data, output.data))
print("cada peso con su clave:  ",
      same(shuffled_weights.data, weights.data[:, order]))
