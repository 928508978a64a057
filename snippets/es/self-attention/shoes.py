"""El otro zapato: ¿hacen falta dos matrices para encontrar a la pareja?

Ocho zapatos, cuatro pares. Cada uno debe decir qué hay dentro del otro de su par.
"""
# %% shoes
import numpy as np

import nanotorch as nt
import vis

colors, feet, contents = 4, 2, 6


def describe(shoes, inside):
    """Color, pie y contenido de cada zapato: (…, 8, 4 + 2 + 6)."""
    return np.concatenate([np.eye(colors)[shoes // 2],
                           np.eye(feet)[shoes % 2],
                           np.eye(contents)[inside]], axis=-1)


def draw(count, seed):
    """Sorteos: zapatos, lo que hay en cada uno y dónde está su pareja."""
    rng = np.random.default_rng(seed)
    shoes = rng.random((count, 8)).argsort(axis=1)   # 0 y 1 son par, 2 y 3…
    places = shoes.argsort(axis=1)
    mate = np.take_along_axis(places, shoes ^ 1, axis=1)
    return shoes, rng.integers(contents, size=(count, 8)), mate


# %% model
signs = np.diag([1.0, -1.0] * 4)
variants = {
    "dos matrices": lambda W_Q, W_K, W_V: (W_Q, W_K, W_V),
    "una sola": lambda W_Q, W_K, W_V: (W_Q, W_Q, W_V),
    "una sola, con signos": lambda W_Q, W_K, W_V: (W_Q, W_Q @ signs, W_V),
    "valores = claves": lambda W_Q, W_K, W_V: (W_Q, W_K, W_K)}


def answer(variant, matrices, X):
    """Lo que contesta cada zapato, y a quién miró."""
    W_Q, W_K, W_V = variants[variant](*matrices[:3])
    mixture, weights = nt.scaled_dot_product_attention(
        X @ W_Q, X @ W_K, X @ W_V)
    return mixture @ matrices[3], weights    # (…, 8, 6) y (…, 8, 8)


# %% training
def start(seed):
    """W_Q, W_K, W_V y W_O, con números pequeños al azar."""
    rng = np.random.default_rng(seed)
    return [nt.tensor(0.3 * rng.normal(size=shape), requires_grad=True)
            for shape in [(12, 8), (12, 8), (12, 8), (8, contents)]]


def train(variant, seed, steps=300):
    """Aprende de 32 sorteos nuevos en cada paso."""
    matrices = start(seed)
    optimizer = nt.Adam(matrices, lr=0.02)
    for step in range(steps):
        shoes, inside, mate = draw(32, seed=[seed, step])
        answers, _ = answer(variant, matrices, describe(shoes, inside))
        right = np.take_along_axis(inside, mate, axis=1)
        loss = nt.cross_entropy(answers, right)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return matrices


# %% measure
shoes, inside, mate = draw(1000, seed=1_000_000)     # otros, para medir
right = np.take_along_axis(inside, mate, axis=1)


def measure(variant, matrices):
    """Aciertos; peso medio al otro y a uno mismo; parte de los mutuos."""
    answers, weights = answer(variant, matrices, describe(shoes, inside))
    hits = answers.data.argmax(axis=-1) == right
    to_mate = np.take_along_axis(weights.data, mate[..., None], -1)[..., 0]
    to_self = weights.data.diagonal(axis1=1, axis2=2)
    prefers = to_mate > to_self          # mira más al otro que a sí mismo
    mutual = prefers & np.take_along_axis(prefers, mate, axis=1)
    return hits.mean(), to_mate.mean(), to_self.mean(), mutual.mean()


# %% five-times
seeds = range(5)
trained = {(variant, seed): train(variant, seed)
           for variant in variants for seed in seeds}
results = {"sin entrenar": np.array(
    [measure("dos matrices", start(seed)) for seed in seeds])}
for variant in variants:
    results[variant] = np.array(
        [measure(variant, trained[variant, seed]) for seed in seeds])

# %% results tolerance=0.02
for name, rows in results.items():
    hits, to_mate, to_self, mutual = rows.T
    print(f"{name}: aciertos de {hits.min():.2f} a {hits.max():.2f}")
    print(f"  peso al otro {to_mate.mean():.2f},"
          f" a sí mismo {to_self.mean():.2f}; mutuos {mutual.mean():.2f}")
print(f"el techo de una sola: {(1 + (inside == right).mean()) / 2:.2f}")

# %% maps tolerance=0.02
X = describe(np.arange(8), np.array([3, 0, 5, 1, 2, 4, 0, 2]))   # en orden
names = [f"{color} {foot}" for color in ("rojo", "azul", "verde", "negro")
         for foot in ("izq.", "der.")]
for title, variant, matrices in [
        ("Antes de aprender", "dos matrices", start(0)),
        ("Dos matrices", "dos matrices", trained["dos matrices", 0]),
        ("Una sola matriz", "una sola", trained["una sola", 0])]:
    vis.heatmap(answer(variant, matrices, X)[1].data, xlabels=names,
                ylabels=names, title=title, decimal=".")

# %% product tolerance=0.1
W_Q, W_K = (matrix.data for matrix in trained["dos matrices", 0][:2])
product = W_Q @ W_K.T / np.sqrt(8)                   # (12, 12)
same, other = np.eye(colors, dtype=bool), ~np.eye(colors, dtype=bool)
print("el mismo color:", *product[:4, :4][same].round(1))
print("otro color, en promedio:", product[:4, :4][other].mean().round(1))
print("pie izquierdo, con izquierdo y derecho:", *product[4, 4:6].round(1))
print("pie derecho, con izquierdo y derecho:  ", *product[5, 4:6].round(1))
print("contenidos, lo más lejos de cero:",
      np.abs(product[6:, 6:]).max().round(1))
