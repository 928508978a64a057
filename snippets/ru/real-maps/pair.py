"""Слово с двумя смыслами, два предложения и 144 головы настоящей модели.

Данные: scripts/real_attention.py, multilingual-e5-small, 4-битная копия.
"""
# %% read native=true
import json
from pathlib import Path

import numpy as np

folder = Path(__file__).parent / "../../data/real-attention"
pairs = json.loads((folder / "pairs.json").read_text(encoding="utf-8"))
here = pairs["ru"]
pair = here["pairs"][0]
for sentence, decides in zip(pair["sentences"], pair["decides"]):
    print(sentence, "решает:", decides)

# %% counts native=true
print("головы:", pair["heads"])
print("смотрят на решающее слово:", *pair["on_decider"])
print("смотрят на знак:          ", *pair["on_marks"])
print("в обоих предложениях:", len(pair["qualifying"]))
for entry in pair["qualifying"]:
    print("  слой {}, голова {}:".format(*entry["head"]), *entry["weights"])

# %% pieces native=true
cut = here["maps"][0]["pieces"]
texts, weights = cut["texts"], np.array(cut["weights"])
asks, ending = texts.index("▁ключ"), texts.index("ом")
column = texts.index("▁дверь")
print("▁ключ -> дверь:", weights[asks, column])
print("ом    -> дверь:", weights[ending, column])

# %% words native=true
together = (weights[asks, column] + weights[ending, column]) / 2
print("ключом -> дверь:", round(together, 3))

# %% row native=true
first, second = here["maps"]
asks = first["words"].index("ключом")
row = np.array(first["weights"][asks])
for word, weight in zip(first["words"], row):
    print(f"{word:7} {weight:.3f}")
print("сумма:", round(row.sum(), 2))

# %% map native=true
import vis

best = pair["qualifying"][0]["head"]
for one in here["maps"]:
    place = one["words"].index("ключом")
    vis.attention(one["words"], np.array(one["weights"])[[place]],
                  query_tokens=["ключом"], title="Слой {}, голова {}".format(*best),
                  decimal=",")

# %% english native=true
english = pairs["en"]["pairs"][0]
print(*english["sentences"])
print("смотрят на решающее слово:", *english["on_decider"])
print("смотрят на знак:          ", *english["on_marks"])
print("в обоих предложениях:", len(english["qualifying"]))
