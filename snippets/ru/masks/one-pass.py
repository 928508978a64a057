"""Один проход с причинной маской заменяет проходы по всем началам."""
# %% prefixes
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(7)
X = rng.normal(scale=0.5, size=(4, 8))             # четыре токена


def attend(X, masked):
    """Каждый токен сам себе запрос, ключ и значение."""
    causal = np.triu(np.ones((len(X), len(X)), dtype=bool), k=1)
    mask = causal if masked else None
    return nt.scaled_dot_product_attention(X, X, X, mask=mask)[0].data


def difference(a, b):
    return np.abs(a - b).max().round(3)


one_pass = attend(X, masked=True)
for n in (1, 2, 3, 4):
    alone = attend(X[:n], masked=False)            # первые n, и только они
    gap = difference(one_pass[n - 1], alone[-1])
    print(f"строка {n} и начало из {n}: разница", gap)

# %% newest
one_layer = difference(attend(X, masked=True)[3], attend(X, masked=False)[3])
print("четвёртый, с маской и без неё: разница", one_layer)

# %% two-layers
def two_layers(X, masked):
    return attend(attend(X, masked), masked)


for masked, name in ((False, "без маски"), (True, "с маской")):
    moved = difference(two_layers(X, masked)[:3], two_layers(X[:3], masked))
    print(f"{name}: первые три сдвинулись на", moved)
newest = difference(two_layers(X, True)[3], two_layers(X, False)[3])
print("четвёртый, с маской и без неё: разница", newest)
