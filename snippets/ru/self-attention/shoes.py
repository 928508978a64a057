"""Второй ботинок: нужны ли две матрицы, чтобы найти свою пару?

Восемь ботинок, четыре пары. Каждый должен сказать, что лежит во втором из пары.
"""
# %% shoes
import numpy as np

import nanotorch as nt
import vis

colors, feet, contents = 4, 2, 6


def describe(shoes, inside):
    """Цвет, нога и содержимое каждого ботинка: (…, 8, 4 + 2 + 6)."""
    return np.concatenate([np.eye(colors)[shoes // 2],
                           np.eye(feet)[shoes % 2],
                           np.eye(contents)[inside]], axis=-1)


def draw(count, seed):
    """Случайные ряды: ботинки, что в них лежит и где второй из пары."""
    rng = np.random.default_rng(seed)
    shoes = rng.random((count, 8)).argsort(axis=1)   # 0 и 1 — пара, 2 и 3…
    places = shoes.argsort(axis=1)
    mate = np.take_along_axis(places, shoes ^ 1, axis=1)
    return shoes, rng.integers(contents, size=(count, 8)), mate


# %% model
signs = np.diag([1.0, -1.0] * 4)
variants = {
    "две матрицы": lambda W_Q, W_K, W_V: (W_Q, W_K, W_V),
    "одна": lambda W_Q, W_K, W_V: (W_Q, W_Q, W_V),
    "одна, со знаками": lambda W_Q, W_K, W_V: (W_Q, W_Q @ signs, W_V),
    "значения = ключи": lambda W_Q, W_K, W_V: (W_Q, W_K, W_K)}


def answer(variant, matrices, X):
    """Что отвечает каждый ботинок и на кого он смотрел."""
    W_Q, W_K, W_V = variants[variant](*matrices[:3])
    mixture, weights = nt.scaled_dot_product_attention(
        X @ W_Q, X @ W_K, X @ W_V)
    return mixture @ matrices[3], weights    # (…, 8, 6) и (…, 8, 8)


# %% training
def start(seed):
    """W_Q, W_K, W_V и W_O из небольших случайных чисел."""
    rng = np.random.default_rng(seed)
    return [nt.tensor(0.3 * rng.normal(size=shape), requires_grad=True)
            for shape in [(12, 8), (12, 8), (12, 8), (8, contents)]]


def train(variant, seed, steps=300):
    """Учится; на каждом шаге 32 новых ряда."""
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
shoes, inside, mate = draw(1000, seed=1_000_000)     # другие, для проверки
right = np.take_along_axis(inside, mate, axis=1)


def measure(variant, matrices):
    """Доля верных; средний вес второму и самому себе; доля взаимных."""
    answers, weights = answer(variant, matrices, describe(shoes, inside))
    hits = answers.data.argmax(axis=-1) == right
    to_mate = np.take_along_axis(weights.data, mate[..., None], -1)[..., 0]
    to_self = weights.data.diagonal(axis1=1, axis2=2)
    prefers = to_mate > to_self          # на второго смотрит больше
    mutual = prefers & np.take_along_axis(prefers, mate, axis=1)
    return hits.mean(), to_mate.mean(), to_self.mean(), mutual.mean()


# %% five-times
seeds = range(5)
trained = {(variant, seed): train(variant, seed)
           for variant in variants for seed in seeds}
results = {"без обучения": np.array(
    [measure("две матрицы", start(seed)) for seed in seeds])}
for variant in variants:
    results[variant] = np.array(
        [measure(variant, trained[variant, seed]) for seed in seeds])

# %% results tolerance=0.02
for name, rows in results.items():
    hits, to_mate, to_self, mutual = rows.T
    print(f"{name}: верно от {hits.min():.2f} до {hits.max():.2f}")
    print(f"  вес второму {to_mate.mean():.2f},"
          f" себе {to_self.mean():.2f}; взаимных {mutual.mean():.2f}")
print(f"потолок для одной: {(1 + (inside == right).mean()) / 2:.2f}")

# %% maps tolerance=0.02
X = describe(np.arange(8), np.array([3, 0, 5, 1, 2, 4, 0, 2]))   # по порядку
names = [f"{color} {foot}" for color in ("синий", "серый", "белый", "чёрный")
         for foot in ("Л", "П")]
for title, variant, matrices in [
        ("До обучения", "две матрицы", start(0)),
        ("Две матрицы", "две матрицы", trained["две матрицы", 0]),
        ("Одна матрица", "одна", trained["одна", 0])]:
    vis.heatmap(answer(variant, matrices, X)[1].data, xlabels=names,
                ylabels=names, title=title, decimal=",")

# %% product tolerance=0.1
W_Q, W_K = (matrix.data for matrix in trained["две матрицы", 0][:2])
product = W_Q @ W_K.T / np.sqrt(8)                   # (12, 12)
same, other = np.eye(colors, dtype=bool), ~np.eye(colors, dtype=bool)
print("тот же цвет:", *product[:4, :4][same].round(1))
print("другой цвет, в среднем:", product[:4, :4][other].mean().round(1))
print("левая нога, с левой и правой: ", *product[4, 4:6].round(1))
print("правая нога, с левой и правой:", *product[5, 4:6].round(1))
print("что внутри, дальше всего от нуля:",
      np.abs(product[6:, 6:]).max().round(1))
