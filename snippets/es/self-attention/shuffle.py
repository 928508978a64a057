"""La prueba de barajar: las mismas palabras en otro orden, con y sin máscara."""
# %% sentence
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(0)
words = ["Metí", "dinero", "en", "el", "banco"]
X = rng.normal(size=(5, 8))                        # un vector por palabra
W_Q, W_K, W_V = rng.normal(size=(3, 8, 8)) / np.sqrt(8)
order = [4, 1, 3, 0, 2]
print(*[words[i] for i in order])

# %% attend
causal = np.triu(np.ones((5, 5), dtype=bool), k=1)


def attend(X, mask=None):
    return nt.scaled_dot_product_attention(
        X @ W_Q, X @ W_K, X @ W_V, mask=mask)[0].data


# %% shuffled
for name, mask in [("sin máscara", None), ("con máscara causal", causal)]:
    straight, shuffled = attend(X, mask), attend(X[order], mask)
    print(name)
    print("  «banco» en la frase:  ", *straight[4, :4].round(2))
    print("  «banco» al barajar:   ", *shuffled[0, :4].round(2))
    difference = np.abs(shuffled - straight[order]).max()
    print(f"  mayor diferencia, las cinco palabras: {difference:.3f}")
