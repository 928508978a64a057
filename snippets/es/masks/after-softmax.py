"""Borrar pesos después del softmax no es lo mismo que prohibir puntuaciones antes."""
# %% sums
import numpy as np

rng = np.random.default_rng(1)
Q, K = rng.normal(size=(4, 8)), rng.normal(size=(4, 8))
scores = Q @ K.T / np.sqrt(8)                      # las de antes
pad = np.array([False, False, False, True])
causal = np.triu(np.ones((4, 4), dtype=bool), k=1)


def softmax(scores):
    """Convierte cada fila de puntuaciones en pesos positivos que suman 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def erased(scores, mask):
    """La versión equivocada: reparte entre todos y después borra."""
    return np.where(mask, 0.0, softmax(scores))


print("suma de cada fila, relleno:", *erased(scores, pad).sum(axis=1).round(3))
print("suma de cada fila, causal: ",
      *erased(scores, causal).sum(axis=1).round(3))

# %% tens
tens = np.full(4, 10.0)                            # los cuatro valores son 10
forbidden = softmax(np.where(causal, -np.inf, scores))
print("borrar después:", *(erased(scores, causal) @ tens).round(2))
print("prohibir antes:", *(forbidden @ tens).round(2))

# %% divided
left = erased(scores, causal)
again = left / left.sum(axis=1, keepdims=True)     # volver a dividir
print("dividido otra vez, lo mismo:", np.allclose(again, forbidden))

loud = np.array([[0.7, 0.0, 1.1, 1000.0]])         # el relleno puntúa 1000
print("lo que queda al borrar:", erased(loud, pad).sum())
print("prohibir antes:        ",
      *softmax(np.where(pad, -np.inf, loud))[0].round(2))
