"""Кто больше весит, тот и сильнее сдвигает? Сорок обычных предложений.

Данные: scripts/real_attention.py. Мера: тау Кендалла.
"""
# %% one native=true
import json
from pathlib import Path

import numpy as np

folder = Path(__file__).parent / "../../data/real-attention"
text = (folder / "ablation.json").read_text(encoding="utf-8")
plain = json.loads(text)["ru"]["plain"]
[short] = [one for one in plain
           if one["sentence"] == "Собака спит возле двери."]
for word, weight, effect in zip(
        short["words"], short["weight"], short["effect"]):
    print(f"{word:7} вес {weight:.4f}   сдвиг {effect:.4f}")

# %% tau
def agreement(one):
    weight, effect = np.array(one["weight"]), np.array(one["effect"])
    i, j = np.triu_indices(len(weight), 1)   # каждая пара по разу
    same = np.sign(weight[i] - weight[j]) * np.sign(effect[i] - effect[j])
    return int((same > 0).sum()), int((same < 0).sum())

agree, differ = agreement(short)
tau = (agree - differ) / (agree + differ)

# %% short native=true
print("пар согласных:", agree, "несогласных:", differ)
print("тау:", round(tau, 2))

# %% many native=true
counts = [agreement(one) for one in plain]
taus = np.array([(yes - no) / (yes + no) for yes, no in counts])
print(f"среднее тау на {len(taus)} предложениях: {taus.mean():.2f}")
print(f"наименьшее: {taus.min():.2f}, наибольшее: {taus.max():.2f}")
top = sum(np.argmax(one["weight"]) == np.argmax(one["effect"])
          for one in plain)
lucky = sum(1 / len(one["words"]) for one in plain)
print(f"самое тяжёлое и сдвигает сильнее всех: {top} из {len(plain)}")
print(f"наугад вышло бы около {lucky:.0f}")
others = [agreement(one) for one in json.loads(text)["es"]["plain"]]
spanish = np.mean([(yes - no) / (yes + no) for yes, no in others])
print(f"по-испански, среднее тау: {spanish:.2f}")

# %% long native=true
def without_short(one):
    long = [place for place, word in enumerate(one["words"])
            if len(word) > 3]
    return {key: [one[key][place] for place in long]
            for key in ("weight", "effect")}

cut = [agreement(without_short(one)) for one in plain]
print("без слов из трёх букв и короче,",
      f"среднее тау: {np.mean([(yes - no) / (yes + no) for yes, no in cut]):.2f}")

# %% histogram
import matplotlib.pyplot as plt

import vis

plt.style.use("vis.lesson")
fig, ax = plt.subplots(figsize=(6, 2.6))
ax.hist(taus, bins=np.arange(-0.5, 1.2, 0.2), color="C3", rwidth=0.9)
ax.axvline(0, color="C8", lw=1)
ax.set_yticks(range(0, 16, 5))
vis.ticks(ax, decimal=",")
ax.set_xlabel("тау")
ax.set_ylabel("предложений")
