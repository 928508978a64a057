"""Autoatención y atención cruzada: una función, dos llamadas. Matrices al azar.

Fuente: Vaswani et al. (2017), §3.2.3.
"""
# %% function
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(0)
d, d_k = 16, 8
W_Q, W_K, W_V = (rng.normal(size=(d, d_k)) / np.sqrt(d) for _ in range(3))
W_O = rng.normal(size=(d_k, d)) / np.sqrt(d_k)


def attention(X, C):
    """Preguntan las filas de X; de las filas de C salen claves y valores."""
    mixture, weights = nt.scaled_dot_product_attention(
        X @ W_Q, C @ W_K, C @ W_V)
    return mixture.data @ W_O, weights.data


# %% sequences
target = rng.normal(size=(5, d))                   # lo ya escrito
source = rng.normal(size=(7, d))                   # la frase original

# %% two-calls
for name, X, C in [("autoatención", target, target),
                   ("atención cruzada", target, source)]:
    output, weights = attention(X, C)
    print(f"{name}: pesos {weights.shape}, salida {output.shape}")

# %% source
output, weights = attention(target, source)
backwards = attention(target, source[::-1])[0]     # la original, al revés
shorter = attention(target, source[:3])[0]         # solo tres tokens
one_row = attention(target[2:3], source)[0]        # una consulta sola
print("con la original al revés cambia:",
      np.abs(backwards - output).max().round(12))
print("con tres tokens, la salida es", shorter.shape)
print("una consulta a solas, diferencia:",
      np.abs(one_row - output[2:3]).max().round(12))

# %% mixed raises=ValueError
nt.scaled_dot_product_attention(target @ W_Q, source @ W_K, target @ W_V)
