"""Entrenar con el futuro a la vista: decir el siguiente símbolo de secuencias al azar.

La atención más pequeña posible: una tabla de puntuaciones que se aprende.
"""
# %% sequences
import numpy as np

import nanotorch as nt
import vis

symbols, length, batch = 8, 6, 128
causal = np.triu(np.ones((length, length), dtype=bool), k=1)
nothing = np.zeros((length, length), dtype=bool)   # no prohíbe nada


def draw(count, seed):
    """X: secuencias al azar, en one-hot; Y: el símbolo que sigue a cada uno."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(symbols, size=(count, length + 1))
    return np.eye(symbols)[ids[:, :-1]], ids[:, 1:]

# %% model
def predict(scores, gain, X, mask):
    """Mezcla los símbolos; la ganancia dice cuánto fiarse de la mezcla."""
    weights = nt.softmax(nt.where(mask, -np.inf, scores))      # (6, 6)
    return weights @ X * gain                                  # (count, 6, 8)


def loss_of(predictions, Y):
    """Promedio de −log de la probabilidad del símbolo correcto."""
    right = (nt.softmax(predictions) * np.eye(symbols)[Y]).sum(axis=-1)
    return -right.log().mean()

# %% training
def train(mask, steps=200, rate=5.0):
    """Descenso de gradiente sobre la tabla de puntuaciones y la ganancia."""
    scores = nt.tensor(np.zeros((length, length)), requires_grad=True)
    gain = nt.tensor(1.0, requires_grad=True)
    for step in range(steps):
        X, Y = draw(batch, seed=step)              # secuencias nuevas
        loss = loss_of(predict(scores, gain, X, mask), Y)
        loss.backward()
        for parameter in (scores, gain):
            parameter.data = parameter.data - rate * parameter.grad
            parameter.zero_grad()
    return scores, gain


cheater = train(nothing)
honest = train(causal)

# %% results tolerance=0.02
X, Y = draw(4000, seed=1_000_000)                  # otras, para medir


def report(name, parameters, mask):
    predictions = predict(*parameters, X, mask)
    hits = (predictions.data.argmax(axis=-1) == Y).mean(axis=0)
    loss = loss_of(predictions, Y).item()
    shares = " ".join(f"{hit:.2f}" for hit in hits)
    print(f"{name}: pérdida {loss:.2f}")
    print("  aciertos", shares)
    return hits


seen = report("sin máscara", cheater, nothing)
masked = report("con máscara", honest, causal)
alone = report("sin máscara, al generar", cheater, causal)

# %% maps tolerance=0.02
positions = [str(i + 1) for i in range(length)]
learned = (("sin máscara", cheater, nothing), ("con máscara", honest, causal))
for name, (scores, _), mask in learned:
    weights = nt.softmax(nt.where(mask, -np.inf, scores))
    vis.heatmap(weights, xlabels=positions, ylabels=positions,
                title=f"Pesos aprendidos {name}", decimal=".")
