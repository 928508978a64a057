"""La prueba de la fuga: cambiar un token y ver qué salidas se mueven."""
# %% last-token
import numpy as np

import nanotorch as nt
import vis

rng = np.random.default_rng(7)
X = rng.normal(scale=0.5, size=(4, 8))             # cuatro tokens
causal = np.triu(np.ones((4, 4), dtype=bool), k=1)


def attend(X, mask=causal):
    """Cada token hace de consulta, de clave y de valor."""
    return nt.scaled_dot_product_attention(X, X, X, mask=mask)[0].data


changed = X.copy()
changed[3] = rng.normal(scale=0.5, size=8)         # otro último token
for name, mask in (("con máscara", causal), ("sin máscara", None)):
    moved = np.abs(attend(changed, mask) - attend(X, mask)).max(axis=1)
    print(f"{name}:", *moved.round(3))

# %% influence
def influence(model, X):
    """M[i, j]: cuánto se mueve la salida i cuando cambia el token j."""
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
    """La fuga (debe ser 0) y lo que menos se oye del pasado (más de 0)."""
    M = influence(model, X)
    return np.triu(M, k=1).max(), M[np.tril_indices(len(X))].min()


leak, heard = leak_test(attend, X)
print("fuga:", leak.round(2), " lo que menos se oye:", heard.round(2))

# %% buggy
def erased(X):
    """Borra los pesos prohibidos después del softmax."""
    return np.where(causal, 0.0, nt.softmax(X @ X.T / np.sqrt(8)).data) @ X


models = {
    "correcta":          attend,
    "dos capas":         lambda X: attend(attend(X)),
    "borra después":     erased,
    "k=2":               lambda X: attend(X, np.triu(causal, k=2)),
    "al revés":          lambda X: attend(X, ~causal),
    "tapa el último":    lambda X: attend(X, causal & (np.arange(4) == 3)),
    "media de la frase": lambda X: attend(X - X.mean(axis=0)),
    "muda":              lambda X: np.zeros(X.shape),
}

# %% table
print(f"{'versión':18} {'fuga':5} {'se oye':7} prueba")
for name, model in models.items():
    leak, heard = leak_test(model, X)
    passes = leak == 0 and heard > 0               # un NaN no pasa
    verdict = "pasa" if passes else "FALLA"
    print(f"{name:18} {leak:.2f}  {heard:.2f}    {verdict}")

# %% maps
names = ["1", "2", "3", "4"]
for name in ("correcta", "borra después"):
    M = influence(models[name], X)
    vis.heatmap(M, xlabels=names, ylabels=names, decimal=".",
                title=f"Versión «{name}»")
