"""Una pasada con máscara causal vale por todas las pasadas sobre los prefijos."""
# %% prefixes
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(7)
X = rng.normal(scale=0.5, size=(4, 8))             # cuatro tokens; cada uno hace de consulta, clave y valor


def attend(X, masked):
    mask = np.triu(np.ones((len(X), len(X)), dtype=bool), k=1) if masked else None
    return nt.scaled_dot_product_attention(X, X, X, mask=mask)[0].data


def difference(a, b):
    return np.abs(a - b).max().round(3)


one_pass = attend(X, masked=True)
for n in (1, 2, 3, 4):
    alone = attend(X[:n], masked=False)            # los n primeros tokens y nada más
    print(f"fila {n} y prefijo de {n}: difieren en", difference(one_pass[n - 1], alone[-1]))

# %% newest
one_layer = difference(attend(X, masked=True)[3], attend(X, masked=False)[3])
print("el cuarto token, con máscara o sin ella: difiere en", one_layer)

# %% two-layers
def two_layers(X, masked):
    return attend(attend(X, masked), masked)


for masked, name in ((False, "sin máscara"), (True, "con máscara")):
    moved = difference(two_layers(X, masked)[:3], two_layers(X[:3], masked))
    print(f"{name}, llega el cuarto: los tres primeros se mueven", moved)
newest = difference(two_layers(X, True)[3], two_layers(X, False)[3])
print("el cuarto token, con máscara o sin ella: difiere en", newest)
