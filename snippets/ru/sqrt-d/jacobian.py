"""На сколько сдвигается каждый вес, если сдвинуть оценку: матрица Якоби и насыщение.

Вычислена по формуле, измерена конечными разностями и сверена с nanotorch.
"""
# %% weights
import numpy as np

import nanotorch as nt


def softmax(scores):
    exps = np.exp(scores - scores.max())
    return exps / exps.sum()


scores = np.log([6.0, 3.0, 1.0])                     # экспоненты равны 6, 3 и 1
weights = softmax(scores)
print("оценки:", *scores.round(2))
print("веса:  ", *weights.round(2))

# %% formula
def jacobian(weights):
    """(n, n): в строке i и столбце j стоит α_i(δ_ij − α_j)."""
    return np.diag(weights) - np.outer(weights, weights)


def show(matrix):
    for row in matrix.round(4) + 0.0:                # прибавить 0: −0 станет 0
        print(*(f"{number:8.4f}" for number in row))


J = jacobian(weights)
show(J)
print(f"сумма диагонали: {np.trace(J):.4f}")
print(f"1 − сумма α²:    {1 - (weights**2).sum():.4f}")

# %% measured
step = 1e-6
measured = np.empty((3, 3))
for j in range(3):
    nudge = step * np.eye(3)[j]                      # сдвигаем только оценку j
    change = softmax(scores + nudge) - softmax(scores - nudge)
    measured[:, j] = change / (2 * step)
print("конечные разности: совпадает", np.abs(measured - J).max() < 1e-9)

by_nanotorch = np.empty((3, 3))
for i in range(3):
    s = nt.tensor(scores, requires_grad=True)
    powers = s.exp()
    (powers[i] / powers.sum()).backward()         # строка i: производные веса i
    by_nanotorch[i] = s.grad
print("nanotorch:         совпадает", np.abs(by_nanotorch - J).max() < 1e-12)

# %% saturated
far = 8 * scores                                     # в восемь раз больше
J_far = jacobian(softmax(far))
print("оценки:", *far.round(2))
print("веса:  ", *softmax(far).round(4))
show(J_far)
print(f"сумма диагонали: {np.trace(J_far):.4f}")
