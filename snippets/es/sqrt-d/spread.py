"""La desviación estándar de q·k crece como √d; después de dividir entre √d no depende de d.

Fuente: Vaswani et al. (2017), §3.2.1, nota 4.
"""
# %% products
import matplotlib.pyplot as plt
import numpy as np


def random_products(draws, d, rng, batch=500):
    """(draws,): productos q·k al azar; en memoria, una tanda cada vez."""
    batches = []
    for _ in range(draws // batch):
        # Componentes independientes, de media 0 y varianza 1.
        q = rng.standard_normal((batch, d), dtype=np.float32)
        k = rng.standard_normal((batch, d), dtype=np.float32)
        batches.append((q * k).sum(axis=1))
    return np.concatenate(batches).astype(float)


rng = np.random.default_rng(0)
products = {d: random_products(20_000, d, rng) for d in (1, 2, 64, 512)}

# %% four-sizes
print(f"{'d':>3} {'√d':>5} {'desv. de q·k':>14} {'desv. de q·k/√d':>17}")
for d, qk in products.items():
    scaled = qk / np.sqrt(d)
    print(f"{d:3d} {np.sqrt(d):5.1f} {qk.std():14.1f} {scaled.std():17.1f}")

# %% histograms
plt.style.use("vis.lesson")
fig, (above, below) = plt.subplots(2, 1, figsize=(6.5, 6))
for d, line in ((2, "-"), (64, "--"), (512, ":")):
    look = dict(density=True, histtype="step", linestyle=line, linewidth=2)
    above.hist(products[d], bins=np.arange(-60, 61, 2),
               label=f"d = {d}", **look)
    below.hist(products[d] / np.sqrt(d), bins=np.arange(-4, 4.1, 0.2), **look)
above.set(title="q·k", yticks=[])
below.set(title="q·k / √d", yticks=[])
above.legend()
