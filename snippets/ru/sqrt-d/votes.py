"""Дисперсия суммы без случая: компоненты равны 1 или −1, и все случаи на виду.

Источник: Васвани и др. (2017), §3.2.1, сноска 4.
"""
# %% two-votes
from itertools import product

import numpy as np

cases = np.array(list(product([1, -1], repeat=2)))   # четыре случая (p1, p2)
p1, p2 = cases.T
total = p1 + p2
table = np.column_stack([p1, p2, total, p1**2, p2**2, 2 * p1 * p2, total**2])
averages = table.mean(axis=0)

names = ("p1", "p2", "сумма", "p1²", "p2²", "2p1p2", "сумма²")
print(f"{'':8}", *(f"{name:>6}" for name in names))
for number, row in enumerate(table, 1):
    case = f"случай {number}"
    print(f"{case:8}", *(f"{number:6d}" for number in row))
print(f"{'среднее':8}", *(f"{number:6.0f}" for number in averages))

# %% same-vote
copied = p1 + p1                                 # второй голос повторяет первый
print("суммы:", *copied)
print(f"дисперсия: {copied.var():.1f}, "
      f"стандартное отклонение: {copied.std():.1f}")

# %% all-vectors
def every_score(d):
    """Произведения q·k всех пар векторов из d компонент, равных 1 или −1."""
    vectors = np.array(list(product([1, -1], repeat=d)))
    return (vectors @ vectors.T).ravel()


print(f"d {'пар':>8} {'среднее':>8} {'дисперсия':>10} "
      f"{'дисперсия q·k/√d':>20}")
for d in range(1, 7):
    scores = every_score(d)
    scaled = scores / np.sqrt(d)
    print(f"{d} {len(scores):8d} {scores.mean():8.1f} {scores.var():10.1f} "
          f"{scaled.var():20.1f}")
