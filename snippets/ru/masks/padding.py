"""Маска паддинга для одного предложения и для батча из двух, на nanotorch."""
# %% weights
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(1)
Q = rng.normal(size=(4, 8))
K = rng.normal(size=(4, 8))
V = rng.normal(size=(4, 3))

pad = np.array([False, False, False, True])        # последний токен — паддинг
output, weights = nt.scaled_dot_product_attention(Q, K, V, mask=pad)
print(weights.data.round(2))
print("сумма по строкам:", *weights.data.sum(axis=1).round(6))

# %% cut
cut, _ = nt.scaled_dot_product_attention(Q[:3], K[:3], V[:3])          # предложение без паддинга
print("то же, что без паддинга:", bool(np.abs(output.data[:3] - cut.data).max() < 1e-12))

wild_K, wild_V = K.copy(), V.copy()
wild_K[3], wild_V[3] = 1000.0, 1000.0                                  # другой паддинг, нелепый
wild, _ = nt.scaled_dot_product_attention(Q, wild_K, wild_V, mask=pad)
print("с другим паддингом изменится на", np.abs(wild.data - output.data).max())

# %% batch
lengths = np.array([3, 4])                         # два предложения, из трёх и из четырёх токенов
batch_pad = np.arange(4) >= lengths[:, None]       # (2, 4): строка на предложение, столбец на ключ
mask = batch_pad[:, None, :]                       # (2, 1, 4): одна строка на все его запросы
print(batch_pad.astype(int))

Q2, K2, V2 = np.stack([Q, Q]), np.stack([K, K]), np.stack([V, V])
_, batch_weights = nt.scaled_dot_product_attention(Q2, K2, V2, mask=mask)
print("веса", batch_weights.shape)
print("что получает четвёртый ключ в предложении 1:", *batch_weights.data[0, :, 3].round(2))
print("что получает четвёртый ключ в предложении 2:", *batch_weights.data[1, :, 3].round(2))
