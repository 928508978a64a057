"""¿Qué queda del mapa bonito con otras frases y con otra palabra?

Datos: scripts/real_attention.py.
"""
# %% pairs native=true
import json
from pathlib import Path

folder = Path(__file__).parent / "../../data/real-attention"
pairs = json.loads((folder / "pairs.json").read_text(encoding="utf-8"))["es"]
print("cabezas de 144 que cumplen, par por par:")
for pair in pairs["pairs"]:
    print(f"  {len(pair['qualifying'])}  {pair['words'][0]}")

# %% placebo native=true
table = pairs["placebo"]
print("       ", *(f"{word:>7}" for word in table["columns"]))
for word, row in zip(table["rows"], table["heads"]):
    print(f"{word:7}", *(f"{count:7d}" for count in row))

# %% control native=true
control = pairs["control"]
print(*control["sentences"])
for entry in control["qualifying"]:
    print("  capa {}, cabeza {}:".format(*entry["head"]), *entry["weights"])

# %% fresh native=true
senses = json.loads((folder / "senses.json").read_text(encoding="utf-8"))["es"]
used = pairs["pairs"][0]["sentences"]
hits = []
for chosen in senses["heads"]:
    new = [case for case in chosen["cases"] if case["sentence"] not in used]
    hits.append(sum(case["hit"] for case in new))
    print("capa {}, cabeza {}:".format(*chosen["head"]),
          f"{hits[-1]} de {len(new)} frases nuevas")
    looked = [case["largest"] for case in new if not case["hit"]]
    print("  si falla, mira a:", *looked)
