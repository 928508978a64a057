"""¿Van juntos pesar más y mover más? Cuarenta frases corrientes.

Datos: scripts/real_attention.py. La medida: tau de Kendall.
"""
# %% one native=true
import json
from pathlib import Path

import numpy as np

folder = Path(__file__).parent / "../../data/real-attention"
text = (folder / "ablation.json").read_text(encoding="utf-8")
plain = json.loads(text)["es"]["plain"]
[short] = [one for one in plain
           if one["sentence"] == "La sopa está demasiado caliente."]
for word, weight, effect in zip(
        short["words"], short["weight"], short["effect"]):
    print(f"{word:9} peso {weight:.4f}   movimiento {effect:.4f}")

# %% tau
def agreement(one):
    weight, effect = np.array(one["weight"]), np.array(one["effect"])
    i, j = np.triu_indices(len(weight), 1)   # cada pareja una vez
    same = np.sign(weight[i] - weight[j]) * np.sign(effect[i] - effect[j])
    return int((same > 0).sum()), int((same < 0).sum())

agree, differ = agreement(short)
tau = (agree - differ) / (agree + differ)

# %% short native=true
print("parejas de acuerdo:", agree, "en desacuerdo:", differ)
print("tau:", round(tau, 2))

# %% many native=true
counts = [agreement(one) for one in plain]
taus = np.array([(yes - no) / (yes + no) for yes, no in counts])
print(f"tau media de {len(taus)} frases: {taus.mean():.2f}")
print(f"la menor: {taus.min():.2f}, la mayor: {taus.max():.2f}")
top = sum(np.argmax(one["weight"]) == np.argmax(one["effect"])
          for one in plain)
lucky = sum(1 / len(one["words"]) for one in plain)
print(f"la de más peso es la que más mueve: {top} de {len(plain)}")
print(f"al azar serían unas {lucky:.0f}")
others = [agreement(one) for one in json.loads(text)["ru"]["plain"]]
russian = np.mean([(yes - no) / (yes + no) for yes, no in others])
print(f"en ruso, tau media: {russian:.2f}")

# %% long native=true
def without_short(one):
    long = [place for place, word in enumerate(one["words"])
            if len(word) > 3]
    return {key: [one[key][place] for place in long]
            for key in ("weight", "effect")}

cut = [agreement(without_short(one)) for one in plain]
print("sin palabras de tres letras o menos,",
      f"tau media: {np.mean([(yes - no) / (yes + no) for yes, no in cut]):.2f}")

# %% histogram
import matplotlib.pyplot as plt

import vis

plt.style.use("vis.lesson")
fig, ax = plt.subplots(figsize=(6, 2.6))
ax.hist(taus, bins=np.arange(-0.5, 1.2, 0.2), color="C3", rwidth=0.9)
ax.axvline(0, color="C8", lw=1)
ax.set_yticks(range(0, 16, 5))
vis.ticks(ax, decimal=".")
ax.set_xlabel("tau")
ax.set_ylabel("frases")
