"""La puntuación aditiva de 2014 al lado del producto punto: cambia una línea.

Fuente: Bahdanau, Cho y Bengio (2014), §3.1 y apéndice A.1.2.
"""
# %% scores
import numpy as np

rng = np.random.default_rng(0)
states = rng.normal(size=(3, 6))         # s: estados del decodificador
notes = rng.normal(size=(4, 6))          # h: estados del codificador
W_a, U_a = rng.normal(size=(2, 6, 5)) / np.sqrt(6)
v_a = rng.normal(size=5)


def dot_scores(states, notes):
    """El producto punto de cada consulta con cada clave."""
    return (states @ W_a) @ (notes @ U_a).T / np.sqrt(5)


def additive_scores(states, notes, squash=np.tanh):
    """v·tanh(W s + U h) para cada pareja: (3, 1, 5) + (1, 4, 5) → (3, 4)."""
    return squash((states @ W_a)[:, None] + (notes @ U_a)[None]) @ v_a


# %% attention
def softmax(scores):
    """Convierte cada fila de puntuaciones en pesos positivos que suman 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


for name, score in [("producto punto", dot_scores),
                    ("aditiva", additive_scores)]:
    weights = softmax(score(states, notes))
    contexts = weights @ notes                     # el valor es el propio h
    print(f"{name}: pesos {weights.shape}, mezcla {contexts.shape}")
    print(weights.round(2))

# %% no-tanh
straight = softmax(additive_scores(states, notes, squash=lambda x: x))
print(straight.round(2))
