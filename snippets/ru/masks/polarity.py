"""Та же маска, прочитанная наоборот, и маска из единиц и нулей."""
# %% inverted
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(1)
Q, K, V = rng.normal(size=(4, 8)), rng.normal(size=(4, 8)), np.eye(4)
pad = np.array([False, False, False, True])
causal = np.triu(np.ones((4, 4), dtype=bool), k=1)

for name, mask in (("паддинг", pad), ("причинная", causal)):
    inverted = ~mask                               # True и False наоборот
    _, weights = nt.scaled_dot_product_attention(Q, K, V, mask=inverted)
    print(name, "наоборот")
    print(weights.data.round(2))

# %% ones-and-zeros raises=TypeError
nt.scaled_dot_product_attention(Q, K, V, mask=causal.astype(int))
