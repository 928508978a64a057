"""Аддитивная оценка 2014 года рядом со скалярным произведением: разница в строке.

Источник: Бахданау, Чо и Бенжио (2014), §3.1 и приложение A.1.2.
"""
# %% scores
import numpy as np

rng = np.random.default_rng(0)
states = rng.normal(size=(3, 6))         # s: состояния декодера
notes = rng.normal(size=(4, 6))          # h: состояния энкодера
W_a, U_a = rng.normal(size=(2, 6, 5)) / np.sqrt(6)
v_a = rng.normal(size=5)


def dot_scores(states, notes):
    """Скалярное произведение каждого запроса с каждым ключом."""
    return (states @ W_a) @ (notes @ U_a).T / np.sqrt(5)


def additive_scores(states, notes, squash=np.tanh):
    """v·tanh(W s + U h) для каждой пары: (3, 1, 5) + (1, 4, 5) → (3, 4)."""
    return squash((states @ W_a)[:, None] + (notes @ U_a)[None]) @ v_a


# %% attention
def softmax(scores):
    """Превращает каждую строку оценок в положительные веса с суммой 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


for name, score in [("скалярное произведение", dot_scores),
                    ("аддитивная", additive_scores)]:
    weights = softmax(score(states, notes))
    contexts = weights @ notes                     # значение — это сам h
    print(f"{name}: веса {weights.shape}, смесь {contexts.shape}")
    print(weights.round(2))

# %% no-tanh
straight = softmax(additive_scores(states, notes, squash=lambda x: x))
print(straight.round(2))
