"""Lo que un promedio olvida: quién puso qué. Números escritos a mano."""
# %% one
import numpy as np

a, b = 2.0, 6.0  # los valores de dos tokens
half = np.array([0.5, 0.5])
print("una cabeza, mitad y mitad:", half @ [a, b])
print("cambiados de sitio:        ", half @ [b, a])

# %% uneven
uneven = np.array([0.6, 0.4])
print("una cabeza, 0.6 y 0.4:", round(uneven @ [a, b], 2))
print("cambiados de sitio:    ", round(uneven @ [b, a], 2))

# %% two
first_head, second_head = np.array([1.0, 0.0]), np.array([0.0, 1.0])
for values in ([a, b], [b, a]):
    print("dos cabezas:", first_head @ values, second_head @ values)
