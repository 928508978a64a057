"""¿Dónde cae el máximo de la fila? Frases y matrices al azar, muchas veces."""
# %% draws
import numpy as np

import vis

n = 8                                              # tokens por frase


def diagonal_share(d_k, tied, draws=4000, seed=0):
    """Parte de las filas cuya mayor puntuación está en la diagonal."""
    rng = np.random.default_rng(seed)
    d = 2 * d_k
    X = rng.normal(size=(draws, n, d))
    W_Q, W_K = rng.normal(size=(2, draws, d, d_k))
    Q = X @ W_Q
    K = Q if tied else X @ W_K
    best = (Q @ K.swapaxes(1, 2)).argmax(axis=-1)  # (draws, 8)
    return (best == np.arange(n)).mean()


# %% shares
print("d_k   dos matrices   una sola")
for d_k in (2, 8, 32):
    apart, tied = diagonal_share(d_k, False), diagonal_share(d_k, True)
    print(f"{d_k:3} {apart:11.1%} {tied:13.1%}")

# %% bars
vis.bars([diagonal_share(8, False), 1 / n, diagonal_share(8, True)],
         labels=["dos matrices", "al azar", "una sola"], limits=(0, 1),
         title="Filas cuyo máximo está en la diagonal", digits=3,
         decimal=".")
