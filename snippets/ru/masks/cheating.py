"""Обучение с будущим на виду: назвать следующий символ случайной последовательности.

Самое маленькое внимание: таблица оценок, которую обучают.
"""
# %% sequences
import numpy as np

import nanotorch as nt
import vis

symbols, length, batch = 8, 6, 128
causal = np.triu(np.ones((length, length), dtype=bool), k=1)
nothing = np.zeros((length, length), dtype=bool)   # ничего не запрещает


def draw(count, seed):
    """X: случайные последовательности (one-hot); Y: символ после каждого."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(symbols, size=(count, length + 1))
    return np.eye(symbols)[ids[:, :-1]], ids[:, 1:]

# %% model
def predict(scores, gain, X, mask):
    """Смешивает символы; усиление говорит, насколько верить смеси."""
    weights = nt.softmax(nt.where(mask, -np.inf, scores))      # (6, 6)
    return weights @ X * gain                                  # (count, 6, 8)


def loss_of(predictions, Y):
    """Среднее −log доли, доставшейся верному символу."""
    right = (nt.softmax(predictions) * np.eye(symbols)[Y]).sum(axis=-1)
    return -right.log().mean()

# %% training
def train(mask, steps=200, rate=5.0):
    """Градиентный спуск по таблице оценок и усилению."""
    scores = nt.tensor(np.zeros((length, length)), requires_grad=True)
    gain = nt.tensor(1.0, requires_grad=True)
    for step in range(steps):
        X, Y = draw(batch, seed=step)              # новые последовательности
        loss = loss_of(predict(scores, gain, X, mask), Y)
        loss.backward()
        for parameter in (scores, gain):
            parameter.data = parameter.data - rate * parameter.grad
            parameter.zero_grad()
    return scores, gain


cheater = train(nothing)
honest = train(causal)

# %% results tolerance=0.02
X, Y = draw(4000, seed=1_000_000)                  # другие, для проверки


def report(name, parameters, mask):
    predictions = predict(*parameters, X, mask)
    hits = (predictions.data.argmax(axis=-1) == Y).mean(axis=0)
    loss = loss_of(predictions, Y).item()
    shares = " ".join(f"{hit:.2f}" for hit in hits)
    print(f"{name}: потеря {loss:.2f}")
    print("  верно", shares)
    return hits


seen = report("без маски", cheater, nothing)
masked = report("с маской", honest, causal)
alone = report("без маски, при генерации", cheater, causal)

# %% maps tolerance=0.02
positions = [str(i + 1) for i in range(length)]
learned = (("без маски", cheater, nothing), ("с маской", honest, causal))
for name, (scores, _), mask in learned:
    weights = nt.softmax(nt.where(mask, -np.inf, scores))
    vis.heatmap(weights, xlabels=positions, ylabels=positions,
                title=f"Выученные веса {name}", decimal=",")
