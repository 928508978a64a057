"""Три оценки Луонга и др. (2015), §3.1, на одних и тех же векторах."""
# %% scores
import numpy as np

s = np.array([3.0, 4.0])      # состояние декодера
h = np.array([1.0, 2.0])      # состояние слова
W_a = np.array([[0.0, 1.0], [1.0, 0.0]])
dot = s @ h
general = s @ W_a @ h
print("dot:    ", dot)
print("general:", general)

# %% concat
rng = np.random.default_rng(0)
W_s, U_h = rng.standard_normal((2, 2, 3))
v = rng.standard_normal(3)
W_concat = np.concatenate([W_s, U_h])
concat = np.tanh(np.concatenate([s, h]) @ W_concat) @ v
additive = np.tanh(s @ W_s + h @ U_h) @ v
print("concat и аддитивная равны:", bool(np.isclose(concat, additive)))
