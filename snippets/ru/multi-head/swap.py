"""О чём забывает среднее: кто что положил. Числа написаны от руки."""
# %% one
import numpy as np

a, b = 2.0, 6.0  # значения двух токенов
half = np.array([0.5, 0.5])
print("одна голова, пополам:", half @ [a, b])
print("поменяли местами:    ", half @ [b, a])

# %% uneven
uneven = np.array([0.6, 0.4])
print("одна голова, 0.6 и 0.4:", round(uneven @ [a, b], 2))
print("поменяли местами:      ", round(uneven @ [b, a], 2))

# %% two
first_head, second_head = np.array([1.0, 0.0]), np.array([0.0, 1.0])
for values in ([a, b], [b, a]):
    print("две головы:", first_head @ values, second_head @ values)
