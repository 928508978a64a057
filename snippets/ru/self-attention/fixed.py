"""Полносвязный слой смешивает токены всегда одинаково, самовнимание — по-разному."""
# %% layers
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(0)
n, d, d_k = 8, 16, 8
M = nt.tensor(rng.normal(size=(n, n)) / np.sqrt(n))
W_Q, W_K, W_V = rng.normal(size=(3, d, d_k)) / np.sqrt(d)


def dense(X):
    """Каждый выход складывает восемь токенов с числами своей строки M."""
    return (M @ X).data


def attention(X):
    """Каждый выход смешивает все токены, а веса берёт из них же."""
    return nt.scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V)[0].data


# %% probe
one, other = rng.normal(size=(2, n, d))            # два предложения
nudge = rng.normal(size=d)               # толчок всегда один и тот же


def influence(layer, X):
    """Насколько толчок каждого токена сдвигает каждый выход: (8, 8)."""
    moved = [layer(X + np.eye(n)[:, [j]] * nudge) - layer(X)
             for j in range(n)]
    return np.linalg.norm(moved, axis=-1).T


# %% two-sentences
for name, layer in [("полносвязный слой", dense),
                    ("самовнимание", attention)]:
    change = np.abs(influence(layer, one) - influence(layer, other)).max()
    print(f"{name}: таблицы расходятся на {change:.2f}")

# %% parameters
for length in (8, 16, 1024):
    print(f"токенов {length:4}: слой {length**2},"
          f" самовнимание {3 * d * d_k}")

# %% longer
long = rng.normal(size=(11, d))                    # 11 токенов
print("самовнимание:", attention(long).shape)

# %% dense-longer raises=ValueError
dense(long)
