"""La misma máscara leída al revés, y una máscara de unos y ceros."""
# %% inverted
import numpy as np

import nanotorch as nt

rng = np.random.default_rng(1)
Q, K, V = rng.normal(size=(4, 8)), rng.normal(size=(4, 8)), np.eye(4)
pad = np.array([False, False, False, True])
causal = np.triu(np.ones((4, 4), dtype=bool), k=1)

for name, mask in (("relleno", pad), ("causal", causal)):
    inverted = ~mask                               # True por False y al revés
    _, weights = nt.scaled_dot_product_attention(Q, K, V, mask=inverted)
    print(name, "al revés")
    print(weights.data.round(2))

# %% ones-and-zeros raises=TypeError
nt.scaled_dot_product_attention(Q, K, V, mask=causal.astype(int))
