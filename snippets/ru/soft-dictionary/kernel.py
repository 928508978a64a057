"""Ядерная регрессия: мягкий поиск, который старше этих сетей, на одиннадцати точках синуса.

Источник: Надарая (1964) и Ватсон (1964), по D2L, §11.2; скалярное произведение — §11.3.1.
"""
# %% points
import matplotlib.pyplot as plt
import numpy as np

import vis

xs = np.arange(0.0, 5.5, 0.5)                      # ключи: где измерили
ys = np.sin(xs)                                    # значения: что получили
query = 2.6                                        # запрос: здесь не измеряли
bandwidths = [0.1, 0.5, 2.0]                       # ширины для опыта


def softmax(scores):
    """Положительные веса с суммой 1."""
    exps = np.exp(scores - scores.max())
    return exps / exps.sum()


def estimate(query, bandwidth):
    """Смесь значений; оценка — минус половина квадрата расстояния в ширинах."""
    scores = -((query - xs) / bandwidth) ** 2 / 2
    return softmax(scores) @ ys

# %% bandwidths
for bandwidth in bandwidths:
    print(f"ширина {bandwidth}: {estimate(query, bandwidth):6.3f}")
print(f"синус     : {np.sin(query):6.3f}")

# %% curves
plt.style.use("vis.lesson")
grid = np.linspace(0, 5, 501)
fig, ax = plt.subplots()
ax.axvline(query, color=vis.color("query"), linewidth=1)         # запрос
labels = ("ширина 0,1", "ширина 0,5", "ширина 2")
for bandwidth, label in zip(bandwidths, labels):
    ax.plot(grid, [estimate(x, bandwidth) for x in grid], label=label)
ax.plot(xs, ys, "o", color=vis.color("value"), label="измерено")
ax.set(xlabel="x", ylabel="ответ", xticks=range(6), yticks=[-1, 0, 1])
ax.legend()

# %% dot-product
h = 0.5
by_distance = softmax(-(query - xs) ** 2 / (2 * h ** 2))
fined = softmax((query * xs - xs ** 2 / 2) / h ** 2)  # произведение минус штраф
plain = softmax(query * xs / h ** 2)                  # произведение без штрафа
print("произведение со штрафом, те же веса:", np.allclose(by_distance, fined))
print("произведение без штрафа, те же веса:", np.allclose(by_distance, plain))

asked = np.array([0.6, -1.2])
circle = np.stack([np.cos(xs), np.sin(xs)], axis=1)   # ключи с нормой 1
by_distance = softmax(-((asked - circle) ** 2).sum(axis=1) / (2 * h ** 2))
plain = softmax(circle @ asked / h ** 2)
print("ключи с нормой 1, без штрафа:", np.allclose(by_distance, plain))
