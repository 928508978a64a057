"""Una fila con todo prohibido: sumar −10⁹ en tres formatos, poner −∞, y una versión segura."""
# %% row
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(1)
Q, K = rng.normal(size=(4, 8)), rng.normal(size=(4, 8))
row = (Q @ K.T / np.sqrt(8))[0]                # la primera fila de puntuaciones
one_left = np.array([True, True, False, True])     # queda una clave
empty = np.array([True, True, True, True])         # no queda ninguna


def softmax(scores):
    """Convierte cada fila de puntuaciones en pesos positivos que suman 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def show(name, weights):
    print(f"{name:8}", *(f"{weight:5.2f}" for weight in weights))


show("puntúa", row)
show("pesos", softmax(row))

# %% infinity
with np.errstate(invalid="ignore"):                # −∞ − (−∞)
    show("−∞", softmax(np.where(empty, -np.inf, row)))

# %% left-padding
pad = np.array([True, False, False, False])        # el relleno va delante
causal = np.triu(np.ones((4, 4), dtype=bool), k=1)
forbidden = causal | pad                           # lo que prohíbe alguna
print(forbidden.astype(int))
print("filas vacías:", *forbidden.all(axis=1))

# %% formats
def add_billion(row, mask, dtype):
    """La receta habitual: sumar −10⁹ a lo prohibido."""
    with np.errstate(over="ignore", invalid="ignore"):   # numpy no avisa
        billion = np.where(mask, -1e9, 0).astype(dtype)
        return softmax(row.astype(dtype) + billion)


cases = ((one_left, "queda una clave"), (empty, "no queda ninguna"))
for mask, title in cases:
    print(title)
    for dtype in (np.float64, np.float32, np.float16):
        show(dtype.__name__, add_billion(row, mask, dtype))

# %% safe
def masked_softmax(scores, mask):
    """Pesos sin lo prohibido (True); fila vacía, ceros. Formas (…, m, n)."""
    blind = mask.all(axis=-1, keepdims=True)     # consultas que no ven a nadie
    scores = np.where(mask, -np.inf, scores)
    weights = softmax(np.where(blind, 0.0, scores))  # ahí vale cualquier número
    return np.where(blind, 0.0, weights)


show("segura", masked_softmax(row, empty))
for mask in (one_left, empty):
    _, weights = nt.scaled_dot_product_attention(Q[:1], K, np.eye(4), mask=mask)
    same = np.allclose(weights.data[0], masked_softmax(row, mask))
    print("nanotorch da lo mismo:", same)

# %% gradient
def careless(V):
    """−∞ en lo prohibido y un softmax corriente."""
    scores = nt.where(forbidden, -np.inf, Q @ K.T / np.sqrt(8))
    return nt.softmax(scores) @ V


def safe(V):
    return nt.scaled_dot_product_attention(Q, K, V, mask=forbidden)[0]


with np.errstate(invalid="ignore"):
    for name, attend in (("descuidada", careless), ("segura", safe)):
        V = nt.tensor(np.ones((4, 1)), requires_grad=True)
        loss = attend(V)[1:].sum()                 # sin la fila vacía
        loss.backward()
        gradient = V.grad[:, 0].round(2)
        print(f"{name:10} pérdida {loss.item():.2f}, gradiente", *gradient)
