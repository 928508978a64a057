"""Где стоит максимум строки? Случайные предложения и матрицы, много раз."""
# %% draws
import numpy as np

import vis

n = 8                                              # токенов в предложении


def diagonal_share(d_k, tied, draws=4000, seed=0):
    """Доля строк, где наибольшая оценка стоит на диагонали."""
    rng = np.random.default_rng(seed)
    d = 2 * d_k
    X = rng.normal(size=(draws, n, d))
    W_Q, W_K = rng.normal(size=(2, draws, d, d_k))
    Q = X @ W_Q
    K = Q if tied else X @ W_K
    best = (Q @ K.swapaxes(1, 2)).argmax(axis=-1)  # (draws, 8)
    return (best == np.arange(n)).mean()


# %% shares
print("d_k    две матрицы       одна")
for d_k in (2, 8, 32):
    apart, tied = diagonal_share(d_k, False), diagonal_share(d_k, True)
    print(f"{d_k:3} {apart:11.1%} {tied:13.1%}")

# %% bars
vis.bars([diagonal_share(8, False), 1 / n, diagonal_share(8, True)],
         labels=["две матрицы", "наугад", "одна"], limits=(0, 1),
         title="Строки с максимумом на диагонали", digits=3,
         decimal=",")
