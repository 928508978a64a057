"""Строка, где запрещено всё: прибавить −10⁹ в трёх форматах, поставить −∞ и сделать надёжно."""
# %% row
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(1)
Q, K = rng.normal(size=(4, 8)), rng.normal(size=(4, 8))
row = (Q @ K.T / np.sqrt(8))[0]                    # первая строка оценок
one_left = np.array([True, True, False, True])     # остаётся один ключ
empty = np.array([True, True, True, True])         # не остаётся ни одного


def softmax(scores):
    """Превращает каждую строку оценок в положительные веса с суммой 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def show(name, weights):
    print(f"{name:8}", *(f"{weight:5.2f}" for weight in weights))


show("оценки", row)
show("веса", softmax(row))

# %% infinity
with np.errstate(invalid="ignore"):                # −∞ − (−∞)
    show("−∞", softmax(np.where(empty, -np.inf, row)))

# %% left-padding
pad = np.array([True, False, False, False])        # паддинг стоит в начале
causal = np.triu(np.ones((4, 4), dtype=bool), k=1)
forbidden = causal | pad                           # запрещает хоть одна маска
print(forbidden.astype(int))
print("пустые строки:", *forbidden.all(axis=1))

# %% formats
def add_billion(row, mask, dtype):
    """Обычный рецепт: прибавить −10⁹ к запрещённому."""
    with np.errstate(over="ignore", invalid="ignore"):   # не предупреждать
        billion = np.where(mask, -1e9, 0).astype(dtype)
        return softmax(row.astype(dtype) + billion)


cases = ((one_left, "остаётся один ключ"), (empty, "не остаётся ни одного"))
for mask, title in cases:
    print(title)
    for dtype in (np.float64, np.float32, np.float16):
        show(dtype.__name__, add_billion(row, mask, dtype))

# %% safe
def masked_softmax(scores, mask):
    """Веса без запрещённого (True); пустая строка: нули. Форма (…, m, n)."""
    blind = mask.all(axis=-1, keepdims=True)       # этим смотреть не на кого
    scores = np.where(mask, -np.inf, scores)
    weights = softmax(np.where(blind, 0.0, scores))    # там годится любое число
    return np.where(blind, 0.0, weights)


show("надёжно", masked_softmax(row, empty))
for mask in (one_left, empty):
    _, weights = nt.scaled_dot_product_attention(Q[:1], K, np.eye(4), mask=mask)
    same = np.allclose(weights.data[0], masked_softmax(row, mask))
    print("nanotorch даёт то же:", same)

# %% gradient
def careless(V):
    """−∞ на запрещённом и обычный softmax."""
    scores = nt.where(forbidden, -np.inf, Q @ K.T / np.sqrt(8))
    return nt.softmax(scores) @ V


def safe(V):
    return nt.scaled_dot_product_attention(Q, K, V, mask=forbidden)[0]


with np.errstate(invalid="ignore"):
    for name, attend in (("небрежно", careless), ("надёжно", safe)):
        V = nt.tensor(np.ones((4, 1)), requires_grad=True)
        loss = attend(V)[1:].sum()                 # без пустой строки
        loss.backward()
        gradient = V.grad[:, 0].round(2)
        print(f"{name:10} потеря {loss.item():.2f}, градиент", *gradient)
