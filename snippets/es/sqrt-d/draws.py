"""El mayor peso con ocho claves y d = 64: un sorteo, 40 000 sorteos y los promedios de cien en cien.

Fuente: Vaswani et al. (2017), §3.2.1.
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
q = rng.standard_normal(d)                           # una consulta
keys = rng.standard_normal((8, d))                   # ocho claves
products = keys @ q
undivided = softmax(products)
divided = softmax(products / np.sqrt(d))
print("q·k               ", *(f"{number:6.1f}" for number in products))
print("pesos sin dividir ", *(f"{weight:6.3f}" for weight in undivided))
print("pesos dividiendo  ", *(f"{weight:6.3f}" for weight in divided))

# %% bars
names = [f"k{j}" for j in range(1, 9)]
vis.bars(undivided, labels=names, limits=(0, 1),
         title="Sin dividir", decimal=".")
vis.bars(divided, labels=names, limits=(0, 1),
         title="Dividiendo entre √64 = 8", decimal=".")

# %% temperatures
for temperature in (1, 2, 4, 8, 16, 64):
    largest = softmax(products / temperature).max()
    print(f"T = {temperature:2d}   mayor peso {largest:.3f}")

# %% many-draws
def random_products(draws, keys, d, rng, batch=500):
    """(draws, keys): productos de consultas y claves al azar, por tandas."""
    batches = []
    for _ in range(draws // batch):
        q = rng.standard_normal((batch, d, 1), dtype=np.float32)
        k = rng.standard_normal((batch, keys, d), dtype=np.float32)
        batches.append((k @ q)[:, :, 0])
    return np.concatenate(batches).astype(float)


many = random_products(40_000, 8, d, rng)
largest_undivided = softmax(many).max(axis=1)    # el mayor peso de cada sorteo
largest_divided = softmax(many / np.sqrt(d)).max(axis=1)

# %% averages
for name, largest in (("sin dividir", largest_undivided),
                      ("dividiendo", largest_divided)):
    print(f"{name:11}: media {largest.mean():.3f}, "
          f"error estándar {largest.std() / np.sqrt(len(many)):.4f}, "
          f"desviación de un sorteo {largest.std():.3f}")

# %% distribution
plt.style.use("vis.lesson")
fig, axes = plt.subplots(2, 1, figsize=(6.5, 5.6), sharex=True)
panels = (("sin dividir", largest_undivided, undivided),
          ("dividiendo", largest_divided, divided))
for ax, (name, largest, drawn) in zip(axes, panels):
    ax.hist(largest, bins=np.linspace(0, 1, 51), color=vis.color("weight"))
    ax.axvline(drawn.max(), color=vis.color("ink"), linestyle="--",
               label="el sorteo de antes")
    ax.set(title=name, yticks=[])
axes[0].legend(loc="upper left")
axes[1].set_xlabel("mayor peso")
axes[1].set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])

# %% hundreds
means = largest_undivided.reshape(-1, 100).mean(axis=1)  # 400 promedios de cien
print(f"desviación de los promedios: {means.std():.3f}")
print(f"el menor: {means.min():.3f}, el mayor: {means.max():.3f}")
print(f"se redondean a 0.89: {(means.round(2) == 0.89).mean():.0%}")

# %% hundreds-figure
fig, ax = plt.subplots()
ax.hist(means, bins=np.arange(0.80, 0.951, 0.01), color=vis.color("weight"))
ax.axvline(largest_undivided.mean(), color=vis.color("ink"), linestyle="--",
           label="media de los 40 000")
ax.set_xlabel("promedio de 100 sorteos, sin dividir")
ax.set_xticks([0.80, 0.85, 0.90, 0.95], ["0.80", "0.85", "0.90", "0.95"])
ax.set(ylabel="cuántos promedios", ylim=(0, 110))
ax.legend(loc="upper left")
