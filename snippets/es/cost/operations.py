"""Operaciones de una capa de atención, y cuáles de ellas crecen con n².

Fuente: Vaswani et al. (2017), tabla 1 y §3.3.
"""
# %% count
import numpy as np

counted = {"proyecciones": 0, "puntuaciones y mezcla": 0}


def multiply(A, B, part):
    """A @ B término a término: una multiplicación y una suma cada uno."""
    result = np.zeros((A.shape[0], B.shape[1]))
    for row in range(A.shape[0]):
        for column in range(B.shape[1]):
            for inner in range(A.shape[1]):
                result[row, column] += A[row, inner] * B[inner, column]
                counted[part] += 2
    return result


# %% layer
n, d = 4, 8
rng = np.random.default_rng(0)
X = rng.standard_normal((n, d))
W_Q, W_K, W_V, W_O = rng.standard_normal((4, d, d))

Q, K, V = (multiply(X, W, "proyecciones") for W in (W_Q, W_K, W_V))
exps = np.exp(multiply(Q, K.T, "puntuaciones y mezcla") / np.sqrt(d))
weights = exps / exps.sum(axis=1, keepdims=True)
mixture = multiply(weights, V, "puntuaciones y mezcla")
output = multiply(mixture, W_O, "proyecciones")

projections, scores_and_mixture = counted.values()
print("proyecciones:         ", projections, "=", 8 * n * d**2)
print("puntuaciones y mezcla:", scores_and_mixture, "=", 4 * n**2 * d)

# %% share
def share(n, d):
    """Parte de las operaciones del bloque: puntuaciones y mezcla."""
    attention, rest = 4 * n**2 * d, 8 * n * d**2 + 16 * n * d**2
    return attention / (attention + rest)


d_model = 768

# %% table
for tokens in (128, 512, 2 * d_model, 6 * d_model, 32_768):
    print(f"{tokens:6d} tokens: {share(tokens, d_model):.3f}")

# %% picture
import matplotlib.pyplot as plt

plt.style.use("vis.lesson")
fig, ax = plt.subplots(figsize=(6.4, 3.2))
tokens = np.geomspace(64, 131_072, 100)
for width, style in ((768, "-"), (4096, "--")):
    ax.plot(tokens, share(tokens, width), style, label=f"d = {width}")
    ax.plot(6 * width, 0.5, "o", color="black")
ax.set_xscale("log", base=2)
powers = [2**k for k in range(6, 18, 2)]
ax.set_xticks(powers, [str(power) for power in powers])
ax.set_yticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
ax.set_xlabel("tokens, n")
ax.set_ylabel("puntuaciones y mezcla")
ax.legend()
