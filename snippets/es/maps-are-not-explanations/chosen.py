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

# %% control native=true
control = pairs["control"]
print(*control["sentences"])
for entry in control["qualifying"]:
    print("  capa {}, cabeza {}:".format(*entry["head"]), *entry["weights"])

# %% fresh native=true
senses = json.loads((folder / "senses.json").read_text(encoding="utf-8"))["es"]
hits = {}
for chosen in senses["heads"]:
    name = "capa {}, cabeza {}".format(*chosen["head"])
    hits[name] = sum(case["hit"] for case in chosen["cases"])
    print(f"{name}: {hits[name]} de {len(chosen['cases'])} frases")
    looked = [case["largest"] for case in chosen["cases"] if not case["hit"]]
    print("  si falla, mira a:", *looked)
