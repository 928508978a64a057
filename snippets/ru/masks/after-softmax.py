"""Стереть веса после softmax — не то же, что запретить оценки до него."""
# %% sums
import numpy as np

rng = np.random.default_rng(1)
Q, K = rng.normal(size=(4, 8)), rng.normal(size=(4, 8))
scores = Q @ K.T / np.sqrt(8)                      # прежние
pad = np.array([False, False, False, True])
causal = np.triu(np.ones((4, 4), dtype=bool), k=1)


def softmax(scores):
    """Превращает каждую строку оценок в положительные веса с суммой 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def erased(scores, mask):
    """Неверная версия: сначала делит на всех, потом стирает."""
    return np.where(mask, 0.0, softmax(scores))


print("сумма по строкам, паддинг:  ", *erased(scores, pad).sum(axis=1).round(3))
print("сумма по строкам, причинная:",
      *erased(scores, causal).sum(axis=1).round(3))

# %% tens
tens = np.full(4, 10.0)                            # четыре значения по 10
forbidden = softmax(np.where(causal, -np.inf, scores))
print("стереть после:", *(erased(scores, causal) @ tens).round(2))
print("запретить до: ", *(forbidden @ tens).round(2))

# %% divided
left = erased(scores, causal)
again = left / left.sum(axis=1, keepdims=True)     # поделить ещё раз
print("после второго деления то же:", np.allclose(again, forbidden))

loud = np.array([[0.7, 0.0, 1.1, 1000.0]])         # оценка паддинга — 1000
print("после стирания осталось:", erased(loud, pad).sum())
print("запретить до:     ",
      *softmax(np.where(pad, -np.inf, loud))[0].round(2))
