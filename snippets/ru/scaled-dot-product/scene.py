"""Сцена со словом «ключ»: оценки, веса и новый вектор, без деления на √2 и с делением.

Формула: Васвани и др. (2017), §3.2.1, формула 1. Числа сцены придуманы.
"""
# %% attention
import matplotlib.pyplot as plt
import numpy as np

import vis


def softmax(scores):
    """Превращает каждую строку оценок в положительные веса с суммой 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(Q, K, V, scaled=True):
    """Q (m, d_k), K (n, d_k), V (n, d_v); выход (m, d_v) и веса (m, n)."""
    divisor = np.sqrt(K.shape[1]) if scaled else 1.0
    weights = softmax(Q @ K.T / divisor)              # строка на каждый запрос
    return weights @ V, weights


# %% sentence native=true
axes = ["инструмент", "вода"]                 # о чём говорит каждая компонента
query = np.array([[1.0, 1.0]])                # запрос слова «ключ»: одна строка

words = ["Он", "открыл", "дверь", "ключом"]
keys = np.array([[-0.8, -0.8], [1.0, -0.3], [1.6, 0.2], [0.0, 0.0]])
values = np.array([[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [0.5, 0.5]])

# %% by-hand native=true
scores = query @ keys.T                                   # (1, 4)
exps = np.exp(scores)
output, weights = attention(query, keys, values, scaled=False)

print("слово     оценка   exp(s)      вес")
for word, s, e, w in zip(words, scores[0], exps[0], weights[0]):
    print(f"{word:8} {s:7.1f} {e:8.4f} {w:8.4f}")
print(f"{'сумма':8} {'':7} {exps.sum():8.4f} {weights.sum():8.4f}")
print("новый вектор:", *output[0].round(3))

# %% lines native=true
vis.attention(words, weights, query_tokens=["ключом"],
              title="На что смотрит «ключ»", decimal=",")

# %% with-root native=true
scaled_output, scaled_weights = attention(query, keys, values)


def compare(words, rows, new_vectors):
    """Печатает два столбца: без деления и с делением на √2."""
    print(f"{'':10} без √2    с √2")
    for word, plain, scaled in zip(words, *rows):
        print(f"{word:10} {plain:6.3f}  {scaled:6.3f}")
    print("новый вектор")
    for axis, plain, scaled in zip(axes, *new_vectors):
        print(f"{axis:10} {plain:6.3f}  {scaled:6.3f}")


compare(words, [weights[0], scaled_weights[0]], [output[0], scaled_output[0]])

# %% softer native=true
vis.heatmap(np.vstack([weights, scaled_weights]), xlabels=words,
            ylabels=["без √2", "с √2"],
            title="Строка весов до и после деления", decimal=",")

# %% other-sentence native=true
other_words = ["Из-под", "камня", "бил", "холодный", "ключ"]
other_keys = np.array([[-0.8, -0.8], [-0.4, 1.1], [0.1, 0.6],
                       [0.1, 1.7], [0.0, 0.0]])
other_values = np.array([[0.0, 0.0], [0.0, 0.5], [0.0, 0.5],
                         [0.0, 1.0], [0.5, 0.5]])
other_scores = query @ other_keys.T                   # (1, 5), запрос тот же

# %% other-weights native=true
other_output, other_weights = attention(
    query, other_keys, other_values, scaled=False)
other_scaled_output, other_scaled_weights = attention(
    query, other_keys, other_values)
compare(other_words, [other_weights[0], other_scaled_weights[0]],
        [other_output[0], other_scaled_output[0]])

# %% other-lines native=true
vis.attention(other_words, other_weights, query_tokens=["ключ"],
              title="То же слово, другие соседи", decimal=",")

# %% no-clue native=true
bare_keys = np.array([[-0.8, -0.8], [-0.8, -0.8], [0.0, 0.0]])  # «Мы нашли…»
bare_values = np.array([[0.0, 0.0], [0.0, 0.0], [0.5, 0.5]])
bare_output, bare_weights = attention(
    query, bare_keys, bare_values, scaled=False)
print("веса:", *bare_weights[0].round(3))
print("новый вектор:", *bare_output[0].round(3))

# %% plane native=true
plt.style.use("vis.lesson")
fig, ax = plt.subplots(figsize=(5.6, 5.2))
ax.fill([0, 1, 0], [0, 0, 1], color=vis.color("grid"), alpha=0.4)    # все смеси
ax.plot([0, 0.5], [0, 0.5], color=vis.color("muted"), linestyle=":")  # поровну
ax.plot(*values[3], color=vis.color("value"), marker="s", linestyle="none")
ax.annotate("значение v («ключ»)", values[3], xytext=(8, 6),
            textcoords="offset points")

plain = np.vstack([output, other_output, bare_output])
ax.plot(*plain.T, color=vis.color("weight"), marker="o", linestyle="none",
        label="без √2")
scaled = np.vstack([scaled_output, other_scaled_output])
ax.plot(*scaled.T, color=vis.color("weight"), marker="o", linestyle="none",
        label="с √2", markerfacecolor=vis.color("paper"))
names = ["дверь", "родник", "без подсказок"]
for place, name, shift in zip(plain, names, [(12, -4), (12, -4), (10, -8)]):
    ax.annotate(name, place, xytext=shift, textcoords="offset points")
ax.set(xlabel=axes[0], ylabel=axes[1], xticks=[0, 1], yticks=[0, 1],
       aspect="equal", xlim=(-0.05, 1.1), ylim=(-0.05, 1.1))
ax.legend(loc="upper right")
