"""Una pasada con máscara causal vale por todas las pasadas sobre los prefijos."""
# %% prefixes
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(7)
X = rng.normal(scale=0.5, size=(4, 8))             # cuatro tokens


def attend(X, masked):
    """Cada token hace de consulta, de clave y de valor."""
    causal = np.triu(np.ones((len(X), len(X)), dtype=bool), k=1)
    mask = causal if masked else None
    return nt.scaled_dot_product_attention(X, X, X, mask=mask)[0].data


def difference(a, b):
    return np.abs(a - b).max().round(3)


one_pass = attend(X, masked=True)
for n in (1, 2, 3, 4):
    alone = attend(X[:n], masked=False)            # los n primeros y nada más
    gap = difference(one_pass[n - 1], alone[-1])
    print(f"fila {n} y prefijo de {n}: difieren en", gap)

# %% newest
one_layer = difference(attend(X, masked=True)[3], attend(X, masked=False)[3])
print("el cuarto, con máscara y sin ella: difiere en", one_layer)

# %% two-layers
def two_layers(X, masked):
    return attend(attend(X, masked), masked)


for masked, name in ((False, "sin máscara"), (True, "con máscara")):
    moved = difference(two_layers(X, masked)[:3], two_layers(X[:3], masked))
    print(f"{name}: los tres primeros se mueven", moved)
newest = difference(two_layers(X, True)[3], two_layers(X, False)[3])
print("el cuarto, con máscara y sin ella: difiere en", newest)
