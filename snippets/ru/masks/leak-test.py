"""Проверка на утечку: сменить токен и посмотреть, какие выходы сдвинутся."""
# %% last-token
import numpy as np

import nanotorch as nt
import vis

rng = np.random.default_rng(7)
X = rng.normal(scale=0.5, size=(4, 8))             # четыре токена
causal = np.triu(np.ones((4, 4), dtype=bool), k=1)


def attend(X, mask=causal):
    """Каждый токен сам себе запрос, ключ и значение."""
    return nt.scaled_dot_product_attention(X, X, X, mask=mask)[0].data


changed = X.copy()
changed[3] = rng.normal(scale=0.5, size=8)         # другой последний токен
for name, mask in (("с маской", causal), ("без маски", None)):
    moved = np.abs(attend(changed, mask) - attend(X, mask)).max(axis=1)
    print(f"{name}:", *moved.round(3))

# %% influence
def influence(model, X):
    """M[i, j]: насколько сдвигается выход i, когда меняется токен j."""
    rng = np.random.default_rng(3)
    M = np.zeros((len(X), len(X)))
    for j in range(len(X)):
        changed = X.copy()
        changed[j] = rng.normal(scale=0.5, size=X.shape[1])
        M[:, j] = np.abs(model(changed) - model(X)).max(axis=1)
    return M


print(influence(attend, X).round(2))

# %% leak-test
def leak_test(model, X):
    """Утечка (должна быть 0) и слабейший отклик на прошлое (больше 0)."""
    M = influence(model, X)
    return np.triu(M, k=1).max(), M[np.tril_indices(len(X))].min()


leak, heard = leak_test(attend, X)
print("утечка:", leak.round(2), " слабейший отклик:", heard.round(2))

# %% buggy
def erased(X):
    """Стирает запрещённые веса после softmax."""
    return np.where(causal, 0.0, nt.softmax(X @ X.T / np.sqrt(8)).data) @ X


models = {
    "верная":            attend,
    "два слоя":          lambda X: attend(attend(X)),
    "стирает после":     erased,
    "k=2":               lambda X: attend(X, np.triu(causal, k=2)),
    "наоборот":          lambda X: attend(X, ~causal),
    "прячет последний":  lambda X: attend(X, causal & (np.arange(4) == 3)),
    "среднее по фразе":  lambda X: attend(X - X.mean(axis=0)),
    "немая":             lambda X: np.zeros(X.shape),
}

# %% table
print(f"{'версия':18} {'утечка':7} {'отклик':7} проверка")
for name, model in models.items():
    leak, heard = leak_test(model, X)
    passes = leak == 0 and heard > 0               # NaN не пройдёт
    verdict = "пройдена" if passes else "ПРОВАЛ"
    print(f"{name:18} {leak:.2f}    {heard:.2f}    {verdict}")

# %% maps
names = ["1", "2", "3", "4"]
for name in ("верная", "стирает после"):
    M = influence(models[name], X)
    vis.heatmap(M, xlabels=names, ylabels=names, decimal=",",
                title=f"Версия «{name}»")
