"""La misma desviación medida de dos maneras con diez claves: todo junto, o consulta por consulta.

El 0.92 sale de la distribución chi: E[s]/σ = √(2/n)·Γ(n/2)/Γ((n − 1)/2).
"""
# %% draws
from math import exp, lgamma, sqrt

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

# %% two-ways
rng = np.random.default_rng(0)
products = {d: random_products(10_000, 10, d, rng) for d in (4, 64, 512)}
print(f"{'d':>3} {'divisor':>9} {'juntos':>8} "
      f"{'por consulta':>14} {'mayor peso':>12}")
for d, qk in products.items():
    for name, scores in (("1", qk), ("√d", qk / sqrt(d))):
        by_query = scores.std(axis=1).mean()
        largest = softmax(scores).max(axis=1).mean()
        print(f"{d:3d} {name:>9} {scores.std():8.2f} "
              f"{by_query:14.2f} {largest:12.3f}")

# %% factor
def shrink(n):
    """Desviación media de n normales de desviación 1, desde su propia media."""
    return sqrt(2 / n) * exp(lgamma(n / 2) - lgamma((n - 1) / 2))


def mean_norm(d):
    """Norma media de una consulta normal de d componentes, medida en √d."""
    return sqrt(2 / d) * exp(lgamma((d + 1) / 2) - lgamma(d / 2))


print(f"factor de las diez claves: {shrink(10):.4f}")
for d in products:
    both = shrink(10) * mean_norm(d)
    print(f"d = {d:3d}: {shrink(10):.4f} · {mean_norm(d):.4f} = {both:.4f}")
