"""Una palabra con dos sentidos, dos frases y las 144 cabezas de un modelo real.

Datos: scripts/real_attention.py sobre multilingual-e5-small, copia de 4 bits.
"""
# %% read native=true
import json
from pathlib import Path

import numpy as np

folder = Path(__file__).parent / "../../data/real-attention"
pairs = json.loads((folder / "pairs.json").read_text(encoding="utf-8"))
here = pairs["es"]
pair = here["pairs"][0]
for sentence, decides in zip(pair["sentences"], pair["decides"]):
    print(sentence, "decide:", decides)

# %% counts native=true
print("cabezas:", pair["heads"])
print("miran a la palabra que decide:", *pair["on_decider"])
print("miran a una marca:            ", *pair["on_marks"])
print("cumplen en las dos frases:", len(pair["qualifying"]))
for entry in pair["qualifying"]:
    print("  capa {}, cabeza {}:".format(*entry["head"]), *entry["weights"])

# %% pieces native=true
cut = here["maps"][0]["pieces"]
texts, weights = cut["texts"], np.array(cut["weights"])
asks = texts.index("▁banco")
for piece, weight in zip(texts, weights[asks]):
    print(f"{piece:7} {weight:.4f}")

# %% words native=true
left, right = texts.index("▁jardí"), texts.index("n")
together = weights[asks, left] + weights[asks, right]
print("jardín:", round(together, 4))

# %% row native=true
first, second = here["maps"]
asks = first["words"].index("banco")
row = np.array(first["weights"][asks])
for word, weight in zip(first["words"], row):
    print(f"{word:7} {weight:.3f}")
print("suma:", round(row.sum(), 2))

# %% map native=true
import vis

best = pair["qualifying"][0]["head"]
for one in here["maps"]:
    place = one["words"].index("banco")
    vis.attention(one["words"], np.array(one["weights"])[[place]],
                  query_tokens=["banco"], title="Capa {}, cabeza {}".format(*best))

# %% english native=true
english = pairs["en"]["pairs"][0]
print(*english["sentences"])
print("miran a la palabra que decide:", *english["on_decider"])
print("miran a una marca:            ", *english["on_marks"])
print("cumplen en las dos frases:", len(english["qualifying"]))
