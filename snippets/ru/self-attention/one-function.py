"""Самовнимание и перекрёстное внимание: одна функция. Матрицы случайные.

Источник: Васвани и др. (2017), §3.2.3.
"""
# %% function
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(0)
d, d_k = 16, 8
W_Q, W_K, W_V = (rng.normal(size=(d, d_k)) / np.sqrt(d) for _ in range(3))
W_O = rng.normal(size=(d_k, d)) / np.sqrt(d_k)


def attention(X, C):
    """Спрашивают строки X; из строк C получаются ключи и значения."""
    mixture, weights = nt.scaled_dot_product_attention(
        X @ W_Q, C @ W_K, C @ W_V)
    return mixture.data @ W_O, weights.data


# %% sequences
target = rng.normal(size=(5, d))                   # что уже написано
source = rng.normal(size=(7, d))                   # исходная фраза

# %% two-calls
for name, X, C in [("самовнимание", target, target),
                   ("перекрёстное внимание", target, source)]:
    output, weights = attention(X, C)
    print(f"{name}: веса {weights.shape}, выход {output.shape}")

# %% source
output, weights = attention(target, source)
backwards = attention(target, source[::-1])[0]     # исходная задом наперёд
shorter = attention(target, source[:3])[0]         # всего три токена
one_row = attention(target[2:3], source)[0]        # один запрос
print("исходная задом наперёд, разница:",
      np.abs(backwards - output).max().round(12))
print("исходная из трёх токенов, выход:", shorter.shape)
print("один запрос без остальных, разница:",
      np.abs(one_row - output[2:3]).max().round(12))

# %% mixed raises=ValueError
nt.scaled_dot_product_attention(target @ W_Q, source @ W_K, target @ W_V)
