"""Una cabeza o dos para decir, en orden, el penúltimo token y el primero.

Cinco semillas con cada cantidad de cabezas.

Vaswani et al. (2017), §3.2.2: con una sola cabeza, promediar estorba.
"""
# %% model
import numpy as np

import nanotorch as nt

VOCABULARY, LENGTH, WIDTH = 12, 8, 32


class Model(nt.Module):
    """El último token pregunta por el penúltimo y por el primero."""

    def __init__(self, heads, rng):
        self.words = nt.Embedding(VOCABULARY, WIDTH, rng)
        self.positions = nt.Embedding(LENGTH, WIDTH, rng)
        self.attention = nt.MultiHeadAttention(WIDTH, heads, rng)
        self.before_last = nt.Linear(WIDTH, VOCABULARY, rng)
        self.first = nt.Linear(WIDTH, VOCABULARY, rng)

    def forward(self, ids):
        X = self.words(ids) + self.positions(np.arange(LENGTH))
        mixture, weights = self.attention(X[:, -1:], X)
        mixture = mixture[:, 0]
        return self.before_last(mixture), self.first(mixture), weights


# %% train
def train(heads, seed, steps=600):
    """El modelo entrenado con frases al azar de `LENGTH` tokens."""
    rng = np.random.default_rng(seed)
    model = Model(heads, rng)
    optimizer = nt.Adam(model.parameters(), lr=0.005)
    for _ in range(steps):
        ids = rng.integers(0, VOCABULARY, (64, LENGTH))
        before_last, first, _ = model(ids)
        loss = (nt.cross_entropy(before_last, ids[:, -2])
                + nt.cross_entropy(first, ids[:, 0]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


fresh_rng = np.random.default_rng(100)  # para las frases del examen
fresh = fresh_rng.integers(0, VOCABULARY, (1000, LENGTH))


def judge(model):
    """Parte de frases nuevas sin errores, y pesos medios por cabeza."""
    before_last, first, weights = model(fresh)
    right = ((before_last.numpy().argmax(1) == fresh[:, -2])
             & (first.numpy().argmax(1) == fresh[:, 0]))
    return right.mean(), weights.numpy()[:, :, 0].mean(axis=0)


# %% results tolerance=0.06
models, right, rows = {}, {}, {}
print("cabezas  semilla  aciertos  pesos medios: primero, penúltimo")
for heads in (1, 2):
    for seed in range(5):
        models[heads, seed] = train(heads, seed)
        right[heads, seed], rows[heads, seed] = judge(models[heads, seed])
        shares = [f"{row[0]:.2f} {row[-2]:.2f}" for row in rows[heads, seed]]
        print(f"{heads:7d}  {seed:7d}  {right[heads, seed]:8.2f} ", *shares)

# %% by-sentence tolerance=0.06
for heads, seed in ((1, 4), (2, 2)):
    before_last, first, weights = models[heads, seed](fresh[:4])
    before_last = before_last.numpy().argmax(1)
    first = first.numpy().argmax(1)
    print(f"cabezas: {heads}, semilla {seed}")
    for ids, start, last, row in zip(fresh, first, before_last,
                                     weights.numpy()[:, :, 0]):
        shares = [f"{head[0]:.2f} {head[-2]:.2f}" for head in row]
        print(f"  frase {ids[0]:2d} … {ids[-2]:2d},"
              f" dice {start:2d} … {last:2d},",
              "pesos", " | ".join(shares))

# %% close tolerance=0.06
before_last, first, weights = models[1, 4](fresh)
wrong = ((before_last.numpy().argmax(1) != fresh[:, -2])
         | (first.numpy().argmax(1) != fresh[:, 0]))
row = weights.numpy()[:, 0, 0]
close = abs(row[:, 0] - row[:, -2]) < 0.15
print(f"pesos casi iguales: {close.mean():.2f} de las frases,"
      f" {wrong[close].sum() / wrong.sum():.2f} de los fallos")

# %% maps
import vis

positions = [str(position) for position in range(1, LENGTH + 1)]
vis.heatmap(rows[1, 4], xlabels=positions, ylabels=["cabeza"],
            title="Una cabeza, semilla 4", decimal=".")
vis.heatmap(rows[2, 0], xlabels=positions, ylabels=["cabeza 1", "cabeza 2"],
            title="Dos cabezas, semilla 0", decimal=".")
