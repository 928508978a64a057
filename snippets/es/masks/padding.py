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
cut, _ = nt.scaled_dot_product_attention(Q[:3], K[:3], V[:3])  # sin el relleno
gap = np.abs(output.data[:3] - cut.data).max()
print("igual que sin relleno:", bool(gap < 1e-12))

wild_K, wild_V = K.copy(), V.copy()
wild_K[3], wild_V[3] = 1000.0, 1000.0              # otro relleno, disparatado
wild, _ = nt.scaled_dot_product_attention(Q, wild_K, wild_V, mask=pad)
print("con otro relleno cambia en", np.abs(wild.data - output.data).max())

# %% batch
lengths = np.array([3, 4])                         # dos frases
batch_pad = np.arange(4) >= lengths[:, None]       # (2, 4): frases y claves
mask = batch_pad[:, None, :]                       # (2, 1, 4)
print(batch_pad.astype(int))

Q2, K2, V2 = np.stack([Q, Q]), np.stack([K, K]), np.stack([V, V])
_, batch_weights = nt.scaled_dot_product_attention(Q2, K2, V2, mask=mask)
print("pesos", batch_weights.shape)
for sentence in (0, 1):
    column = batch_weights.data[sentence, :, 3].round(2)
    print(f"frase {sentence + 1}, cuarta columna:", *column)
