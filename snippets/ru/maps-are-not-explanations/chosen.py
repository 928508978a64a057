"""Что останется от красивой карты на других предложениях и с другим словом?

Данные: scripts/real_attention.py.
"""
# %% pairs native=true
import json
from pathlib import Path

folder = Path(__file__).parent / "../../data/real-attention"
pairs = json.loads((folder / "pairs.json").read_text(encoding="utf-8"))["ru"]
print("сколько голов из 144 подходит, по парам:")
for pair in pairs["pairs"]:
    print(f"  {len(pair['qualifying'])}  {pair['words'][0]}")

# %% control native=true
control = pairs["control"]
print(*control["sentences"])
for entry in control["qualifying"]:
    print("  слой {}, голова {}:".format(*entry["head"]), *entry["weights"])

# %% fresh native=true
senses = json.loads((folder / "senses.json").read_text(encoding="utf-8"))["ru"]
hits = {}
for chosen in senses["heads"]:
    name = "слой {}, голова {}".format(*chosen["head"])
    hits[name] = sum(case["hit"] for case in chosen["cases"])
    print(f"{name}: {hits[name]} из {len(chosen['cases'])} предложений")
    looked = [case["largest"] for case in chosen["cases"] if not case["hit"]]
    print("  когда мимо, смотрит на:", *looked)
