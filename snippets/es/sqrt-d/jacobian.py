"""Cuánto se mueve cada peso cuando se mueve cada puntuación: el jacobiano del softmax y su saturación.

Se calcula con la fórmula, se mide con diferencias finitas y se compara con nanotorch.
"""
# %% weights
import numpy as np

import nanotorch as nt


def softmax(scores):
    exps = np.exp(scores - scores.max())
    return exps / exps.sum()


scores = np.log([6.0, 3.0, 1.0])      # así las exponenciales son 6, 3 y 1
weights = softmax(scores)
print("puntuaciones:", *scores.round(2))
print("pesos:       ", *weights.round(2))

# %% formula
def jacobian(weights):
    """(n, n): en la fila i y la columna j, α_i(δ_ij − α_j)."""
    return np.diag(weights) - np.outer(weights, weights)


def show(matrix):
    for row in matrix.round(4) + 0.0:      # sumar 0 borra el signo de −0
        print(*(f"{number:8.4f}" for number in row))


J = jacobian(weights)
show(J)
print(f"suma de la diagonal: {np.trace(J):.4f}")
print(f"1 − suma de α²:      {1 - (weights**2).sum():.4f}")

# %% measured
step = 1e-6
measured = np.empty((3, 3))
for j in range(3):
    nudge = step * np.eye(3)[j]                    # mueve solo la puntuación j
    change = softmax(scores + nudge) - softmax(scores - nudge)
    measured[:, j] = change / (2 * step)
print("diferencias finitas: coincide", np.abs(measured - J).max() < 1e-9)

by_nanotorch = np.empty((3, 3))
for i in range(3):
    s = nt.tensor(scores, requires_grad=True)
    powers = s.exp()
    (powers[i] / powers.sum()).backward()      # la fila i: derivadas del peso i
    by_nanotorch[i] = s.grad
print("nanotorch:           coincide", np.abs(by_nanotorch - J).max() < 1e-12)

# %% saturated
far = 8 * scores      # las mismas puntuaciones, ocho veces mayores
J_far = jacobian(softmax(far))
print("puntuaciones:", *far.round(2))
print("pesos:       ", *softmax(far).round(4))
show(J_far)
print(f"suma de la diagonal: {np.trace(J_far):.4f}")
