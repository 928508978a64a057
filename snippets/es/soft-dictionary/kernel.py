"""Regresión por núcleos: una búsqueda blanda anterior a las redes, sobre once puntos del seno.

Fuente: Nadaraya (1964) y Watson (1964), según D2L, §11.2; el producto punto, §11.3.1.
"""
# %% points
import matplotlib.pyplot as plt
import numpy as np

import vis

xs = np.arange(0.0, 5.5, 0.5)                    # claves: dónde se midió
ys = np.sin(xs)                                  # valores: qué se midió
query = 2.6                                      # la consulta: aquí no se midió
bandwidths = [0.1, 0.5, 2.0]                     # los anchos que probaremos


def softmax(scores):
    """Pesos positivos que suman 1."""
    exps = np.exp(scores - scores.max())
    return exps / exps.sum()


def estimate(query, bandwidth):
    """Mezcla de los valores; la puntuación baja con (distancia / ancho)²."""
    scores = -((query - xs) / bandwidth) ** 2 / 2
    return softmax(scores) @ ys

# %% bandwidths
for bandwidth in bandwidths:
    print(f"ancho {bandwidth}: {estimate(query, bandwidth):6.3f}")
print(f"seno     : {np.sin(query):6.3f}")

# %% curves
plt.style.use("vis.lesson")
grid = np.linspace(0, 5, 501)
fig, ax = plt.subplots()
ax.axvline(query, color=vis.color("query"), linewidth=1)         # la consulta
labels = ("ancho 0.1", "ancho 0.5", "ancho 2")
for bandwidth, label in zip(bandwidths, labels):
    ax.plot(grid, [estimate(x, bandwidth) for x in grid], label=label)
ax.plot(xs, ys, "o", color=vis.color("value"), label="lo medido")
ax.set(xlabel="x", ylabel="respuesta", xticks=range(6), yticks=[-1, 0, 1])
ax.legend()

# %% dot-product
h = 0.5
by_distance = softmax(-(query - xs) ** 2 / (2 * h ** 2))
fined = softmax((query * xs - xs ** 2 / 2) / h ** 2)   # producto menos la multa
plain = softmax(query * xs / h ** 2)                   # producto sin multa
print("producto con multa, mismos pesos:", np.allclose(by_distance, fined))
print("producto sin multa, mismos pesos:", np.allclose(by_distance, plain))

asked = np.array([0.6, -1.2])
circle = np.stack([np.cos(xs), np.sin(xs)], axis=1)    # once claves de norma 1
by_distance = softmax(-((asked - circle) ** 2).sum(axis=1) / (2 * h ** 2))
plain = softmax(circle @ asked / h ** 2)
print("claves de norma 1, sin multa:", np.allclose(by_distance, plain))
