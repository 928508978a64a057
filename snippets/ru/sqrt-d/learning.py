"""Учится ли запрос? Градиентный спуск из случайного начала, три делителя и пять шагов.

В каждой задаче надо отдать указанному ключу, одному из восьми, больше 0.9 веса.
"""
# %% descent
from math import sqrt

import numpy as np

import vis


def attend(queries, keys, divisor):
    """(задачи, ключи): веса каждого запроса по его ключам."""
    scores = (keys @ queries[:, :, None])[:, :, 0] / divisor
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exps / exps.sum(axis=1, keepdims=True)


def learn(queries, keys, wanted, divisor, rate, steps=100):
    """Двигает запросы, приближая веса к `wanted`; возвращает эти веса."""
    for _ in range(steps):
        weights = attend(queries, keys, divisor)
        error = weights - wanted                      # потеря: ½·сумма(error²)
        # матрица Якоби, умноженная на ошибку
        slope = weights * (error - (weights * error).sum(axis=1, keepdims=True))
        queries = queries - rate * (slope[:, None, :] @ keys)[:, 0] / divisor
    return attend(queries, keys, divisor)

# %% problems
rng = np.random.default_rng(0)
d, problems = 64, 400
queries = rng.standard_normal((problems, d), dtype=np.float32).astype(float)
keys = rng.standard_normal((problems, 8, d), dtype=np.float32).astype(float)
choice = rng.integers(8, size=problems)              # указанные ключи
wanted = np.eye(8)[choice]                           # ему вес 1, остальным 0
rates = {"1/64": 1 / 64, "1/8": 1 / 8, "1": 1, "8": 8, "64": 64}
trials = {"1": (queries, 1), "√d": (queries, sqrt(d)), "d": (queries, d),
          "1, q/√d": (queries / sqrt(d), 1)}         # не делит, но короче

# %% trials
def of_wanted(weights):
    """Вес указанного ключа в каждой задаче."""
    return weights[np.arange(problems), choice]


def how_many_learn(start, divisor, rate):
    weights = learn(start, keys, wanted, divisor, rate)
    return (of_wanted(weights) > 0.9).sum()


solved = np.array([[how_many_learn(start, divisor, rate)
                    for rate in rates.values()]
                   for start, divisor in trials.values()])

# %% solved tolerance=8
print("шаг         ", *(f"{name:>5}" for name in rates))
for name, row in zip(trials, solved):
    print(f"на {name:9}", *(f"{count:5d}" for count in row))

# %% map
vis.heatmap(solved / problems, limits=(0, 1), decimal=",",
            xlabels=rates, ylabels=[f"на {name}" for name in trials],
            title="Доля запросов, которые научились, при разном шаге")

# %% failed tolerance=8
begin = of_wanted(attend(queries, keys, divisor=1))
begin_divided = of_wanted(attend(queries, keys, divisor=sqrt(d)))
failed = of_wanted(learn(queries, keys, wanted, divisor=1, rate=1)) <= 0.9
print("указанные ключи, у которых вначале вес меньше 0.01")
print("  без деления:", (begin < 0.01).sum(),
      "  с делением на √d:", (begin_divided < 0.01).sum())
print("без деления и с шагом 1 не учатся:", failed.sum())
print("из них вначале имели вес меньше 0.01:",
      (failed & (begin < 0.01)).sum())
