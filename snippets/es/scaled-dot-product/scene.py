"""La escena de «banco»: puntuaciones, pesos y vector nuevo, sin dividir entre √2 y dividiendo.

La fórmula: Vaswani et al. (2017), §3.2.1, ecuación 1. Los números de la escena están escritos a mano.
"""
# %% attention
import matplotlib.pyplot as plt
import numpy as np

import vis


def softmax(scores):
    """Convierte cada fila de puntuaciones en pesos positivos que suman 1."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(Q, K, V, scaled=True):
    """De Q (m, d_k), K (n, d_k), V (n, d_v): salida (m, d_v), pesos (m, n)."""
    divisor = np.sqrt(K.shape[1]) if scaled else 1.0
    weights = softmax(Q @ K.T / divisor)                 # una fila por consulta
    return weights @ V, weights


# %% sentence native=true
axes = ["asiento", "dinero"]    # qué dice cada componente de un valor
query = np.array([[1.0, 1.0]])  # la consulta de «banco»: una sola fila

words = ["Me", "senté", "en", "el", "banco", "de", "mi", "jardín"]
keys = np.array([[-1.6, 0.0], [-0.3, 1.0], [-0.8, -0.8], [-0.8, -0.8],
                 [0.5, -0.5], [-0.8, -0.8], [-0.8, -0.8], [1.0, 0.8]])
values = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.0], [0.0, 0.0],
                   [0.5, 0.5], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])

# %% by-hand native=true
scores = query @ keys.T         # (1, 8)
exps = np.exp(scores)
output, weights = attention(query, keys, values, scaled=False)

print("palabra  puntuación   exp(s)     peso")
for word, s, e, w in zip(words, scores[0], exps[0], weights[0]):
    print(f"{word:8} {s:10.1f} {e:8.4f} {w:8.4f}")
print(f"{'suma':8} {'':10} {exps.sum():8.4f} {weights.sum():8.4f}")
print("vector nuevo:", *output[0].round(3))

# %% lines native=true
vis.attention(words, weights, query_tokens=["banco"],
              title="A quién atiende «banco»", decimal=".")

# %% with-root native=true
scaled_output, scaled_weights = attention(query, keys, values)


def compare(words, rows, new_vectors):
    """Imprime dos columnas: sin dividir y dividiendo entre √2."""
    print(f"{'':8} sin √2  con √2")
    for word, plain, scaled in zip(words, *rows):
        print(f"{word:8} {plain:6.3f}  {scaled:6.3f}")
    print("vector nuevo")
    for axis, plain, scaled in zip(axes, *new_vectors):
        print(f"{axis:8} {plain:6.3f}  {scaled:6.3f}")


compare(words, [weights[0], scaled_weights[0]], [output[0], scaled_output[0]])

# %% softer native=true
vis.heatmap(np.vstack([weights, scaled_weights]), xlabels=words,
            ylabels=["sin √2", "con √2"],
            title="La fila de pesos, sin dividir y dividida", decimal=".")

# %% other-sentence native=true
other_words = ["Metí", "dinero", "en", "el", "banco"]
other_keys = np.array([[-0.8, -0.8], [0.8, 1.0], [-0.8, -0.8],
                       [-0.8, -0.8], [0.5, -0.5]])
other_values = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0],
                         [0.0, 0.0], [0.5, 0.5]])
other_scores = query @ other_keys.T      # (1, 5), con la misma consulta

# %% other-weights native=true
other_output, other_weights = attention(
    query, other_keys, other_values, scaled=False)
other_scaled_output, other_scaled_weights = attention(
    query, other_keys, other_values)
compare(other_words, [other_weights[0], other_scaled_weights[0]],
        [other_output[0], other_scaled_output[0]])

# %% other-lines native=true
vis.attention(other_words, other_weights, query_tokens=["banco"],
              title="La misma palabra, otra frase", decimal=".")

# %% no-clue native=true
bare_keys = np.array([[-0.8, -0.8], [-0.8, -0.8], [0.5, -0.5]])  # «Fui al…»
bare_values = np.array([[0.0, 0.0], [0.0, 0.0], [0.5, 0.5]])
bare_output, bare_weights = attention(
    query, bare_keys, bare_values, scaled=False)
print("pesos:", *bare_weights[0].round(3))
print("vector nuevo:", *bare_output[0].round(3))

# %% plane native=true
plt.style.use("vis.lesson")
fig, ax = plt.subplots(figsize=(5.6, 5.2))
# El triángulo: todo lo que puede salir de la mezcla.
# La línea de puntos: tanto de una cosa como de la otra.
ax.fill([0, 1, 0], [0, 0, 1], color=vis.color("grid"), alpha=0.4)
ax.plot([0, 0.5], [0, 0.5], color=vis.color("muted"), linestyle=":")
ax.plot(*values[4], color=vis.color("value"), marker="s", linestyle="none")
ax.annotate("valor de «banco»", values[4], xytext=(8, 6),
            textcoords="offset points")

plain = np.vstack([output, other_output, bare_output])
ax.plot(*plain.T, color=vis.color("weight"), marker="o", linestyle="none",
        label="sin √2")
scaled = np.vstack([scaled_output, other_scaled_output])
ax.plot(*scaled.T, color=vis.color("weight"), marker="o", linestyle="none",
        label="con √2", markerfacecolor=vis.color("paper"))
names = ["jardín", "dinero", "sin pistas"]
for place, name, shift in zip(plain, names, [(12, -4), (12, -4), (10, -8)]):
    ax.annotate(name, place, xytext=shift, textcoords="offset points")
ax.set(xlabel=axes[0], ylabel=axes[1], xticks=[0, 1], yticks=[0, 1],
       aspect="equal", xlim=(-0.05, 1.1), ylim=(-0.05, 1.1))
ax.legend(loc="upper right")
