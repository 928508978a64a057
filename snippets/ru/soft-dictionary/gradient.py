"""Жёсткий поиск (argmax) и мягкий (softmax): какой градиент получает каждая часть.

Производные измерены конечными разностями и сверены с теми, что вычисляет nanotorch.
"""
# %% searches
import matplotlib.pyplot as plt
import numpy as np

import nanotorch as nt

keys = np.array([[1.0, 0.0], [0.9, 0.3], [0.0, 1.0], [0.1, 0.9]])
celsius = np.array([8.0, 2.0, 15.0, 15.0])         # значения
query = np.array([3.0, 0.0])                       # запрос «еда»


def hard_answer(query, keys, values):
    """Отдаёт целиком значение записи с наибольшей оценкой."""
    return values[np.argmax(keys @ query)]


def soft_answer(query, keys, values):
    """Отдаёт смесь всех значений с весами softmax."""
    exps = np.exp(keys @ query)
    return exps @ values / exps.sum()

# %% slope
def slope(answer, point, step=1e-6):
    """Измеряет производные: сдвигает каждое число вперёд и назад."""
    gradient = np.zeros(point.shape)
    for place in np.ndindex(point.shape):
        nudge = np.zeros(point.shape)
        nudge[place] = step
        change = answer(point + nudge) - answer(point - nudge)
        gradient[place] = change / (2 * step)
    return gradient

# %% slopes
def slopes(search):
    """Градиенты ответа по запросу, по ключам и по значениям."""
    return (slope(lambda q: search(q, keys, celsius), query),
            slope(lambda k: search(query, k, celsius), keys),
            slope(lambda v: search(query, keys, v), celsius))


hard_slopes, soft_slopes = slopes(hard_answer), slopes(soft_answer)
for name, measured in (("жёсткий", hard_slopes), ("мягкий", soft_slopes)):
    by_query, by_keys, by_values = measured
    print("поиск", name)
    print("  запрос    ", *(f"{number:6.3f}" for number in by_query))
    print("  ключи     ", *(f"{number:6.3f}" for number in by_keys[:, 0]),
          "(первая компонента)")
    print("            ", *(f"{number:6.3f}" for number in by_keys[:, 1]),
          "(вторая компонента)")
    print("  значения  ", *(f"{number:6.3f}" for number in by_values))

# %% autograd
q, k, v = (nt.tensor(numbers, requires_grad=True)
           for numbers in (query, keys, celsius))
answer = nt.softmax(k @ q) @ v
answer.backward()
gaps = [np.abs(piece.grad - measured).max()
        for piece, measured in zip((q, k, v), soft_slopes)]
print("запрос, по nanotorch:", *(f"{number:6.3f}" for number in q.grad))
print("совпадает с измеренным:", max(gaps) < 1e-8)

# %% staircase
plt.style.use("vis.lesson")
transport = np.linspace(0, 6, 601)
path = [np.array([3.0, t]) for t in transport]     # от еды к транспорту
fig, ax = plt.subplots()
ax.plot(transport, [hard_answer(q, keys, celsius) for q in path],
        "--", label="жёсткий")
ax.plot(transport, [soft_answer(q, keys, celsius) for q in path],
        "-", label="мягкий")
ax.set(xlabel="вторая компонента запроса (3; t)",
       ylabel="ответ, °C", xticks=range(7), yticks=[0, 2, 8, 15])
ax.legend()

# %% descent
def descend(search, start, target, rate=0.02, steps=50):
    """Сдвигает запрос, и только его, чтобы ответ приблизился к `target`."""
    moving = np.array(start)
    for _ in range(steps):
        error = search(moving, keys, celsius) - target
        by_query = slope(lambda q: search(q, keys, celsius), moving)
        moving -= rate * 2 * error * by_query
    return moving


hard_end = descend(hard_answer, start=[0.0, 3.0], target=8.0)
soft_end = descend(soft_answer, start=[0.0, 3.0], target=8.0)
for name, search, end in (("жёсткий", hard_answer, hard_end),
                          ("мягкий ", soft_answer, soft_end)):
    answer = search(end, keys, celsius)
    print(f"{name} запрос {end[0]:.3f} {end[1]:.3f} "
          f"ответ {answer:.2f} °C")
