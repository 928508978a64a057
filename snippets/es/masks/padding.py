"""Máscara de relleno en una frase y en un lote de dos frases, con nanotorch."""
# %% weights
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(1)
Q = rng.normal(size=(4, 8))
K = rng.normal(size=(4, 8))
V = rng.normal(size=(4, 3))

pad = np.array([False, False, False, True])        # el último token es relleno
output, weights = nt.scaled_dot_product_attention(Q, K, V, mask=pad)
print(weights.data.round(2))
print("suma de cada fila:", *weights.data.sum(axis=1).round(6))

# %% cut
cut, _ = nt.scaled_dot_product_attention(Q[:3], K[:3], V[:3])          # la frase sin su relleno
print("igual que sin relleno:", bool(np.abs(output.data[:3] - cut.data).max() < 1e-12))

wild_K, wild_V = K.copy(), V.copy()
wild_K[3], wild_V[3] = 1000.0, 1000.0                                  # otro relleno, disparatado
wild, _ = nt.scaled_dot_product_attention(Q, wild_K, wild_V, mask=pad)
print("con otro relleno cambia en", np.abs(wild.data - output.data).max())

# %% batch
lengths = np.array([3, 4])                         # dos frases, de tres y de cuatro tokens
batch_pad = np.arange(4) >= lengths[:, None]       # (2, 4): una fila por frase, una columna por clave
mask = batch_pad[:, None, :]                       # (2, 1, 4): la misma fila para todas sus consultas
print(batch_pad.astype(int))

Q2, K2, V2 = np.stack([Q, Q]), np.stack([K, K]), np.stack([V, V])
_, batch_weights = nt.scaled_dot_product_attention(Q2, K2, V2, mask=mask)
print("pesos", batch_weights.shape)
print("lo que recibe la cuarta clave en la frase 1:", *batch_weights.data[0, :, 3].round(2))
print("lo que recibe la cuarta clave en la frase 2:", *batch_weights.data[1, :, 3].round(2))
