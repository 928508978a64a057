"""Повторение: смесь чисел, смесь векторов и вся формула.

Источник: Васвани и др. (2017), §3.2.1, формула 1.
"""
# %% mixture
import numpy as np

import nanotorch as nt

weights = np.array([0.25, 0.75])
given = np.array([2.0, 6.0])                          # два значения-числа
number = weights @ given
vector = weights @ np.array([[2.0, 0.0],             # два значения-вектора
                             [0.0, 4.0]])
print("число: ", number)
print("вектор:", *vector)

# %% whole-formula
Q = np.full((1, 4), np.log(3) / 2)                   # один запрос, d_k = 4
K = np.array([[0.0] * 4, [1.0] * 4])                 # два ключа
V = np.array([[2.0, 0.0], [0.0, 4.0]])
output, shares = nt.scaled_dot_product_attention(Q, K, V)
print("оценки:", *(Q @ K.T / np.sqrt(4))[0].round(3))
print("веса:  ", *shares.data[0].round(3))
print("выход: ", *output.data[0].round(3))
