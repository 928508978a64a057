"""Búsqueda dura (argmax) y búsqueda blanda (softmax): qué gradiente recibe cada pieza.

Las derivadas se miden con diferencias finitas y se comparan con las que calcula nanotorch.
"""
# %% searches
import matplotlib.pyplot as plt
import numpy as np

import nanotorch as nt

keys = np.array([[1.0, 0.0], [0.9, 0.3], [0.0, 1.0], [0.1, 0.9]])
celsius = np.array([8.0, 2.0, 15.0, 15.0])         # los valores
query = np.array([3.0, 0.0])                       # la consulta «comida»


def hard_answer(query, keys, values):
    """Entrega entero el valor cuya clave tiene la mayor puntuación."""
    return values[np.argmax(keys @ query)]


def soft_answer(query, keys, values):
    """Entrega la mezcla de todos los valores, con los pesos del softmax."""
    exps = np.exp(keys @ query)
    return exps @ values / exps.sum()

# %% slope
def slope(answer, point, step=1e-6):
    """Derivadas medidas: mueve cada número a ambos lados y mira el cambio."""
    gradient = np.zeros(point.shape)
    for place in np.ndindex(point.shape):
        nudge = np.zeros(point.shape)
        nudge[place] = step
        change = answer(point + nudge) - answer(point - nudge)
        gradient[place] = change / (2 * step)
    return gradient

# %% slopes
def slopes(search):
    """Gradientes respecto de la consulta, de las claves y de los valores."""
    return (slope(lambda q: search(q, keys, celsius), query),
            slope(lambda k: search(query, k, celsius), keys),
            slope(lambda v: search(query, keys, v), celsius))


hard_slopes, soft_slopes = slopes(hard_answer), slopes(soft_answer)
for name, measured in (("dura", hard_slopes), ("blanda", soft_slopes)):
    by_query, by_keys, by_values = measured
    print("búsqueda", name)
    print("  consulta  ", *(f"{number:6.3f}" for number in by_query))
    print("  claves    ", *(f"{number:6.3f}" for number in by_keys[:, 0]),
          "(primera componente)")
    print("            ", *(f"{number:6.3f}" for number in by_keys[:, 1]),
          "(segunda componente)")
    print("  valores   ", *(f"{number:6.3f}" for number in by_values))

# %% autograd
q, k, v = (nt.tensor(numbers, requires_grad=True)
           for numbers in (query, keys, celsius))
answer = nt.softmax(k @ q) @ v
answer.backward()
gaps = [np.abs(piece.grad - measured).max()
        for piece, measured in zip((q, k, v), soft_slopes)]
print("consulta, según nanotorch:", *(f"{number:6.3f}" for number in q.grad))
print("coincide con lo medido:", max(gaps) < 1e-8)

# %% staircase
plt.style.use("vis.lesson")
transport = np.linspace(0, 6, 601)
path = [np.array([3.0, t]) for t in transport]   # de comida hacia transporte
fig, ax = plt.subplots()
ax.plot(transport, [hard_answer(q, keys, celsius) for q in path],
        "--", label="dura")
ax.plot(transport, [soft_answer(q, keys, celsius) for q in path],
        "-", label="blanda")
ax.set(xlabel="segunda componente de la consulta (3, t)",
       ylabel="respuesta, °C", xticks=range(7), yticks=[0, 2, 8, 15])
ax.legend()

# %% descent
def descend(search, start, target, rate=0.02, steps=50):
    """Mueve solo la consulta, para que la respuesta se acerque a `target`."""
    moving = np.array(start)
    for _ in range(steps):
        error = search(moving, keys, celsius) - target
        by_query = slope(lambda q: search(q, keys, celsius), moving)
        moving -= rate * 2 * error * by_query
    return moving


hard_end = descend(hard_answer, start=[0.0, 3.0], target=8.0)
soft_end = descend(soft_answer, start=[0.0, 3.0], target=8.0)
for name, search, end in (("dura  ", hard_answer, hard_end),
                          ("blanda", soft_answer, soft_end)):
    answer = search(end, keys, celsius)
    print(f"{name} consulta {end[0]:.3f} {end[1]:.3f} "
          f"respuesta {answer:.2f} °C")
