"""Что входит в оценку: произведение двух узких матриц."""
# %% product
import numpy as np

rng = np.random.default_rng(0)
n, d, d_k = 32, 16, 8
X = rng.normal(size=(n, d))
W_Q, W_K = rng.normal(size=(2, d, d_k)) / np.sqrt(d)

scores = (X @ W_Q) @ (X @ W_K).T
product = W_Q @ W_K.T                              # (16, 16)
print("то же самое:", np.allclose(scores, X @ product @ X.T))
print("ранг произведения:", np.linalg.matrix_rank(product), "из", d)
print("ранг оценок:", np.linalg.matrix_rank(scores), "из", n)

# %% sizes
model, head = 512, 64                              # как в статье 2017 года
print("две узкие матрицы:   ", 2 * model * head)
print("произведение целиком:", model**2)

# %% other-pair
A = rng.normal(size=(d_k, d_k))                    # почти наверняка обратима
other_Q, other_K = W_Q @ A, W_K @ np.linalg.inv(A).T
print("другая пара, те же оценки:",
      np.allclose(scores, (X @ other_Q) @ (X @ other_K).T))

# %% tied
def softmax(scores):
    """Превращает каждую строку оценок в положительные веса с суммой 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


tied = (X @ W_Q) @ (X @ W_Q).T / np.sqrt(d_k)   # одна матрица дважды
weights = softmax(tied)
print("оценки симметричны:", np.allclose(tied, tied.T))
print("веса симметричны:", np.allclose(weights, weights.T))
print("наименьшая оценка самому себе:", tied.diagonal().min().round(2))
