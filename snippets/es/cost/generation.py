"""Generar sin caché y con caché KV: los mismos logits, con menos cuentas.

Los parámetros son al azar: la igualdad no depende de lo aprendido.
"""
# %% model
import numpy as np

import nanotorch as nt


class Model(nt.Module):
    """Embeddings, capas de atención que suman su entrada, y logits."""

    def __init__(self, layers, rng, vocabulary=50, width=32, context=64):
        self.words = nt.Embedding(vocabulary, width, rng)
        self.positions = nt.Embedding(context, width, rng)
        self.layers = [nt.MultiHeadAttention(width, 4, rng)
                       for _ in range(layers)]
        self.head = nt.Linear(width, vocabulary, rng)

    def forward(self, ids, start=0, mask=None, caches=None):
        places = np.arange(start, start + len(ids))
        x = self.words(ids) + self.positions(places)
        for index, attention in enumerate(self.layers):
            cache = caches[index] if caches else None
            x = x + attention(x, mask=mask, cache=cache)[0]
        return self.head(x)


# %% without
def without_cache(model, first, steps):
    """Cada paso relee la frase entera. Devuelve tokens y logits."""
    ids, logits = [first], []
    for _ in range(steps):
        n = len(ids)
        mask = np.triu(np.ones((n, n), dtype=bool), k=1)
        logits.append(model(np.array(ids), mask=mask).numpy()[-1])
        ids.append(int(logits[-1].argmax()))
    return ids, np.array(logits)


# %% with
def with_cache(model, first, steps):
    """Cada paso lee solo el token nuevo: lo demás está guardado."""
    caches = [nt.KVCache() for _ in model.layers]
    ids, logits = [first], []
    for step in range(steps):
        newest = np.array(ids[-1:])
        out = model(newest, start=step, caches=caches)
        logits.append(out.numpy()[-1])
        ids.append(int(logits[-1].argmax()))
    return ids, np.array(logits)


# %% both
steps = 40
model = Model(layers=1, rng=np.random.default_rng(0))
slow_ids, slow_logits = without_cache(model, first=7, steps=steps)
fast_ids, fast_logits = with_cache(model, first=7, steps=steps)
difference = np.abs(slow_logits - fast_logits).max()

# %% same
print("los mismos tokens:", slow_ids == fast_ids)
print("logits iguales hasta 1e-12:", bool(difference < 1e-12))

# %% pairs
def pairs(tokens):
    """Puntuaciones por cabeza al generar: sin caché y con ella."""
    lengths = np.arange(1, tokens + 1)
    return int((lengths**2).sum()), int(lengths.sum())


for tokens in (steps, 1024):
    slow, fast = pairs(tokens)
    print(f"{tokens:4d} tokens: {slow:9d} sin caché, {fast:6d} con caché, "
          f"{slow / fast:.0f} veces menos")

# %% no-mask
sentence = np.random.default_rng(1).integers(0, 50, size=12)


def largest_difference(layers, causal):
    """Entre leer la frase entera y leerla token a token con caché."""
    model = Model(layers, np.random.default_rng(0))
    caches, found = [nt.KVCache() for _ in model.layers], 0.0
    for last in range(len(sentence)):
        n = last + 1
        mask = np.triu(np.ones((n, n), dtype=bool), k=1) if causal else None
        whole = model(sentence[:n], mask=mask).numpy()[-1]
        one = model(sentence[last:n], start=last, caches=caches).numpy()[-1]
        found = max(found, float(np.abs(whole - one).max()))
    return found

# %% differences
print("capas  máscara  diferencia")
for layers in (1, 2):
    for causal in (True, False):
        name = "causal" if causal else "no"
        print(f"{layers:5d}  {name:7}  {largest_difference(layers, causal):.3f}")
