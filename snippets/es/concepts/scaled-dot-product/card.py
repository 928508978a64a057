"""Repaso: mezclar con pesos, primero números y después vectores; al final, la fórmula entera.

Fuente: Vaswani et al. (2017), §3.2.1, ecuación 1.
"""
# %% mixture
import numpy as np

import nanotorch as nt

weights = np.array([0.25, 0.75])
given = np.array([2.0, 6.0])              # dos valores de un solo número
number = weights @ given
vector = weights @ np.array([[2.0, 0.0],  # dos valores de dos componentes
                             [0.0, 4.0]])
print("número:", number)
print("vector:", *vector)

# %% whole-formula
Q = np.full((1, 4), np.log(3) / 2)        # una consulta, d_k = 4
K = np.array([[0.0] * 4, [1.0] * 4])      # dos claves
V = np.array([[2.0, 0.0], [0.0, 4.0]])
output, shares = nt.scaled_dot_product_attention(Q, K, V)
print("puntuaciones:", *(Q @ K.T / np.sqrt(4))[0].round(3))
print("pesos:       ", *shares.data[0].round(3))
print("salida:      ", *output.data[0].round(3))
