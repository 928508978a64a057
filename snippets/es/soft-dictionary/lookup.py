"""Un diccionario blando de cuatro entradas: puntuaciones, pesos y mezcla para tres consultas.

Fuente: Vaswani et al. (2017), §3.2; aquí, sin dividir las puntuaciones entre √d_k.
"""
# %% entries
import matplotlib.pyplot as plt
import numpy as np

import vis

names = ["frutas", "bayas", "autos", "bicicletas"]
keys = np.array([[1.0, 0.0],             # (comida, transporte)
                 [0.9, 0.3],
                 [0.0, 1.0],
                 [0.1, 0.9]])

query_names = ["comida", "transporte", "indecisa"]
queries = np.array([[3.0, 0.0],
                    [0.0, 3.0],
                    [1.5, 1.5]])

# %% softmax
def softmax(scores):
    """Convierte cada fila de puntuaciones en pesos positivos que suman 1."""
    highest = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - highest)      # restar lo mismo no cambia los pesos
    return exps / exps.sum(axis=-1, keepdims=True)


scores = queries @ keys.T             # (3, 4): fila = consulta, columna = clave
weights = softmax(scores)

# %% weights
for name, score_row, weight_row in zip(query_names, scores, weights):
    print(name)
    print("  puntuaciones", *(f"{score:5.1f}" for score in score_row))
    print("  pesos       ", *(f"{weight:5.3f}" for weight in weight_row))
print("suma de cada fila:", *weights.sum(axis=1).round(3))
vis.heatmap(weights, xlabels=names, ylabels=query_names, digits=3, decimal=".",
            title="Pesos de atención")

# %% map
plt.style.use("vis.lesson")
fig, ax = plt.subplots()
direction = queries[2] / np.linalg.norm(queries[2])  # norma 1, solo dirección
ax.axline((0, 0), direction, color=vis.color("query"))
for name, key in zip(names, keys):
    shadow = (key @ direction) * direction          # pie de la perpendicular
    ax.plot(*zip((0, 0), key), "-o", color=vis.color("key"), markevery=[1])
    ax.plot(*zip(key, shadow), ":x", color=vis.color("muted"), markevery=[1])
    ax.annotate(name, key, xytext=(7, 4), textcoords="offset points")
ax.annotate("consulta indecisa", (1.0, 1.0), xytext=(0, -18),
            textcoords="offset points")
ax.set(xlabel="comida", ylabel="transporte", aspect="equal",
       xlim=(-0.05, 1.4), ylim=(-0.05, 1.15), xticks=[0, 1], yticks=[0, 1])

# %% values
celsius = np.array([8.0, 2.0, 15.0, 15.0])         # a cuántos grados se guarda
kilograms = np.array([0.2, 0.01, 1200.0, 12.0])    # la masa de cada cosa

# %% temperature
for name, answer in zip(query_names, weights @ celsius):
    print(f"{name:10} {answer:6.2f} °C")

# %% mass
for name, answer in zip(query_names, weights @ kilograms):
    print(f"{name:10} {answer:6.2f} kg")
