"""Наибольший вес при восьми ключах и d = 64: одна проба, 40 000 проб и средние по сто.

Источник: Васвани и др. (2017), §3.2.1.
"""
# %% one-draw
import matplotlib.pyplot as plt
import numpy as np

import vis


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


rng = np.random.default_rng(0)
d = 64
q = rng.standard_normal(d)                           # один запрос
keys = rng.standard_normal((8, d))                   # восемь ключей
products = keys @ q
undivided = softmax(products)
divided = softmax(products / np.sqrt(d))
print("q·k               ", *(f"{number:6.1f}" for number in products))
print("веса без деления  ", *(f"{weight:6.3f}" for weight in undivided))
print("веса с делением   ", *(f"{weight:6.3f}" for weight in divided))

# %% bars
names = [f"k{j}" for j in range(1, 9)]
vis.bars(undivided, labels=names, limits=(0, 1),
         title="Без деления", decimal=",")
vis.bars(divided, labels=names, limits=(0, 1),
         title="С делением на √64 = 8", decimal=",")

# %% temperatures
for temperature in (1, 2, 4, 8, 16, 64):
    largest = softmax(products / temperature).max()
    print(f"T = {temperature:2d}   наибольший вес {largest:.3f}")

# %% many-draws
def random_products(draws, keys, d, rng, batch=500):
    """(draws, keys): произведения случайных запросов с ключами. Порциями."""
    batches = []
    for _ in range(draws // batch):
        q = rng.standard_normal((batch, d, 1), dtype=np.float32)
        k = rng.standard_normal((batch, keys, d), dtype=np.float32)
        batches.append((k @ q)[:, :, 0])
    return np.concatenate(batches).astype(float)


many = random_products(40_000, 8, d, rng)
largest_undivided = softmax(many).max(axis=1)    # наибольший вес в каждой пробе
largest_divided = softmax(many / np.sqrt(d)).max(axis=1)

# %% averages
for name, largest in (("без деления", largest_undivided),
                      ("с делением", largest_divided)):
    print(f"{name:11}: среднее {largest.mean():.3f}, "
          f"стандартная ошибка {largest.std() / np.sqrt(len(many)):.4f}, "
          f"отклонение одной пробы {largest.std():.3f}")

# %% distribution
plt.style.use("vis.lesson")
fig, axes = plt.subplots(2, 1, figsize=(6.5, 5.6), sharex=True)
panels = (("без деления", largest_undivided, undivided),
          ("с делением", largest_divided, divided))
for ax, (name, largest, drawn) in zip(axes, panels):
    ax.hist(largest, bins=np.linspace(0, 1, 51), color=vis.color("weight"))
    ax.axvline(drawn.max(), color=vis.color("ink"), linestyle="--",
               label="та самая проба")
    ax.set(title=name, yticks=[])
axes[0].legend(loc="upper left")
axes[1].set_xlabel("наибольший вес")
axes[1].set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0,25", "0,5", "0,75", "1"])

# %% hundreds
means = largest_undivided.reshape(-1, 100).mean(axis=1)          # 400 средних
print(f"отклонение средних: {means.std():.3f}")
print(f"наименьшее: {means.min():.3f}, наибольшее: {means.max():.3f}")
print(f"округляются до 0.89: {(means.round(2) == 0.89).mean():.0%}")

# %% hundreds-figure
fig, ax = plt.subplots()
ax.hist(means, bins=np.arange(0.80, 0.951, 0.01), color=vis.color("weight"))
ax.axvline(largest_undivided.mean(), color=vis.color("ink"), linestyle="--",
           label="среднее по всем 40 000")
ax.set_xlabel("среднее по 100 пробам, без деления")
ax.set_xticks([0.80, 0.85, 0.90, 0.95], ["0,80", "0,85", "0,90", "0,95"])
ax.set(ylabel="сколько средних", ylim=(0, 110))
ax.legend(loc="upper left")
