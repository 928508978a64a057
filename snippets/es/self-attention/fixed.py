"""Una capa densa mezcla los tokens siempre igual; la autoatención, según la frase."""
# %% layers
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(0)
n, d, d_k = 8, 16, 8
M = nt.tensor(rng.normal(size=(n, n)) / np.sqrt(n))
W_Q, W_K, W_V = rng.normal(size=(3, d, d_k)) / np.sqrt(d)


def dense(X):
    """Cada salida suma los ocho tokens con los números de su fila de M."""
    return (M @ X).data


def attention(X):
    """Cada salida mezcla los tokens que haya con pesos que salen de ellos."""
    return nt.scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V)[0].data


# %% probe
one, other = rng.normal(size=(2, n, d))            # dos frases de 8 tokens
nudge = rng.normal(size=d)               # el mismo empujón siempre


def influence(layer, X):
    """Cuánto mueve cada salida el empujón a cada token: (8, 8)."""
    moved = [layer(X + np.eye(n)[:, [j]] * nudge) - layer(X)
             for j in range(n)]
    return np.linalg.norm(moved, axis=-1).T


# %% two-sentences
for name, layer in [("capa densa", dense),
                    ("autoatención", attention)]:
    change = np.abs(influence(layer, one) - influence(layer, other)).max()
    print(f"{name}: entre una frase y otra, hasta {change:.2f}")

# %% parameters
for length in (8, 16, 1024):
    print(f"{length:4} tokens: capa densa {length**2},"
          f" autoatención {3 * d * d_k}")

# %% longer
long = rng.normal(size=(11, d))                    # una frase de 11 tokens
print("autoatención:", attention(long).shape)

# %% dense-longer raises=ValueError
dense(long)
