"""La varianza de una suma sin azar: componentes que valen 1 o −1, con todos los casos a la vista.

Fuente: Vaswani et al. (2017), §3.2.1, nota 4.
"""
# %% two-votes
from itertools import product

import numpy as np

cases = np.array(list(product([1, -1], repeat=2)))  # los cuatro casos (p1, p2)
p1, p2 = cases.T
total = p1 + p2
table = np.column_stack([p1, p2, total, p1**2, p2**2, 2 * p1 * p2, total**2])
averages = table.mean(axis=0)

names = ("p1", "p2", "suma", "p1²", "p2²", "2p1p2", "suma²")
print(f"{'':8}", *(f"{name:>6}" for name in names))
for number, row in enumerate(table, 1):
    case = f"caso {number}"
    print(f"{case:8}", *(f"{number:6d}" for number in row))
print(f"{'promedio':8}", *(f"{number:6.0f}" for number in averages))

# %% same-vote
copied = p1 + p1      # el segundo voto copia al primero
print("sumas:", *copied)
print(f"varianza: {copied.var():.1f}, "
      f"desviación estándar: {copied.std():.1f}")

# %% all-vectors
def every_score(d):
    """Los q·k de todas las parejas de vectores con d componentes 1 o −1."""
    vectors = np.array(list(product([1, -1], repeat=d)))
    return (vectors @ vectors.T).ravel()


print(f"d {'parejas':>8} {'media':>8} {'varianza':>10} "
      f"{'varianza de q·k/√d':>20}")
for d in range(1, 7):
    scores = every_score(d)
    scaled = scores / np.sqrt(d)
    print(f"{d} {len(scores):8d} {scores.mean():8.1f} {scores.var():10.1f} "
          f"{scaled.var():20.1f}")
