"""¿Aprende la consulta? Descenso de gradiente desde un comienzo al azar, con tres divisores y cinco pasos.

En cada problema hay que llevar a la clave señalada, una de ocho, más de 0.9 del peso.
"""
# %% descent
from math import sqrt

import numpy as np

import vis


def attend(queries, keys, divisor):
    """(problemas, claves): los pesos de cada consulta sobre sus claves."""
    scores = (keys @ queries[:, :, None])[:, :, 0] / divisor
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exps / exps.sum(axis=1, keepdims=True)


def learn(queries, keys, wanted, divisor, rate, steps=100):
    """Acerca los pesos de cada consulta a `wanted`; devuelve los finales."""
    for _ in range(steps):
        weights = attend(queries, keys, divisor)
        error = weights - wanted             # la pérdida es ½·suma(error²)
        # El jacobiano por el error.
        slope = weights * (error - (weights * error).sum(axis=1, keepdims=True))
        queries = queries - rate * (slope[:, None, :] @ keys)[:, 0] / divisor
    return attend(queries, keys, divisor)

# %% problems
rng = np.random.default_rng(0)
d, problems = 64, 400
queries = rng.standard_normal((problems, d), dtype=np.float32).astype(float)
keys = rng.standard_normal((problems, 8, d), dtype=np.float32).astype(float)
choice = rng.integers(8, size=problems)     # la clave señalada, al azar
wanted = np.eye(8)[choice]                  # peso 1 para ella, 0 para las demás
rates = {"1/64": 1 / 64, "1/8": 1 / 8, "1": 1, "8": 8, "64": 64}
trials = {"1": (queries, 1), "√d": (queries, sqrt(d)), "d": (queries, d),
          "1, q/√d": (queries / sqrt(d), 1)}  # no divide: empieza más corta

# %% trials
def of_wanted(weights):
    """El peso de la clave señalada en cada problema."""
    return weights[np.arange(problems), choice]


def how_many_learn(start, divisor, rate):
    weights = learn(start, keys, wanted, divisor, rate)
    return (of_wanted(weights) > 0.9).sum()


solved = np.array([[how_many_learn(start, divisor, rate)
                    for rate in rates.values()]
                   for start, divisor in trials.values()])

# %% solved tolerance=8
print("tamaño del paso", *(f"{name:>5}" for name in rates))
for name, row in zip(trials, solved):
    print(f"entre {name:9}", *(f"{count:5d}" for count in row))

# %% map
vis.heatmap(solved / problems, limits=(0, 1), decimal=".",
            xlabels=rates, ylabels=[f"entre {name}" for name in trials],
            title="Consultas que aprenden, según el tamaño del paso")

# %% failed tolerance=8
begin = of_wanted(attend(queries, keys, divisor=1))
begin_divided = of_wanted(attend(queries, keys, divisor=sqrt(d)))
failed = of_wanted(learn(queries, keys, wanted, divisor=1, rate=1)) <= 0.9
print("señaladas que empiezan con un peso menor que 0.01")
print("  sin dividir:", (begin < 0.01).sum(),
      "  dividiendo entre √d:", (begin_divided < 0.01).sum())
print("sin dividir y con paso 1 no aprenden:", failed.sum())
print("de ellas, empezaron con un peso menor que 0.01:",
      (failed & (begin < 0.01)).sum())
