"""Mayor peso y gradiente restante según d, con ocho claves: sin dividir, entre √d y entre d.

Fuente: Vaswani et al. (2017), §3.2.1.
"""
# %% draws
import matplotlib.pyplot as plt
import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def random_products(draws, keys, d, rng, batch=500):
    """(draws, keys): productos de consultas y claves al azar, por tandas."""
    batches = []
    for _ in range(draws // batch):
        q = rng.standard_normal((batch, d, 1), dtype=np.float32)
        k = rng.standard_normal((batch, keys, d), dtype=np.float32)
        batches.append((k @ q)[:, :, 0])
    return np.concatenate(batches).astype(float)

# %% measures
sizes = np.array([1, 2, 4, 8, 16, 64, 512])
divisors = {"1": lambda d: 1, "√d": np.sqrt, "d": lambda d: d}
rng = np.random.default_rng(0)
largest, left, starved = ({name: [] for name in divisors} for _ in range(3))
for d in sizes:
    products = random_products(10_000, 8, d, rng)
    for name, divisor in divisors.items():
        weights = softmax(products / divisor(d))
        gradient = 1 - (weights**2).sum(axis=1)    # lo que queda en cada sorteo
        largest[name].append(weights.max(axis=1).mean())
        left[name].append(gradient.mean())
        starved[name].append((gradient < 0.01).mean())  # casi sin gradiente

# %% largest-weight
print("mayor peso, según entre qué se divide")
print("  d", *(f"{name:>7}" for name in divisors))
for row, d in enumerate(sizes):
    print(f"{d:3d}", *(f"{largest[name][row]:7.3f}" for name in divisors))

# %% gradient-left
print(f"{'':3} {'gradiente restante':>23} {'menos de 0.01':>23}")
print("  d", *(f"{name:>7}" for name in (*divisors, *divisors)))
for row, d in enumerate(sizes):
    print(f"{d:3d}", *(f"{left[name][row]:7.3f}" for name in divisors),
          *(f"{starved[name][row]:7.1%}" for name in divisors))

# %% curves
plt.style.use("vis.lesson")
fig, axes = plt.subplots(2, 1, figsize=(6.5, 6.4), sharex=True)
for name in divisors:
    axes[0].plot(sizes, largest[name], marker="o", label=f"entre {name}")
    axes[1].plot(sizes, left[name], marker="o")
axes[0].set(title="mayor peso", ylim=(0, 1), xscale="log")
axes[1].set(title="gradiente restante", ylim=(0, 1), xlabel="d")
for ax in axes:
    ax.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
axes[1].set_xticks([1, 8, 64, 512], ["1", "8", "64", "512"])
axes[1].minorticks_off()
axes[0].legend()
