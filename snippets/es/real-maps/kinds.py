"""Los oficios más limpios entre 144 cabezas, en cuarenta frases corrientes.

Se eligen con la mitad de las frases y se comprueban con la otra mitad.
"""
# %% kinds native=true
import json
from pathlib import Path

folder = Path(__file__).parent / "../../data/real-attention"
heads = json.loads((folder / "heads.json").read_text(encoding="utf-8"))["es"]
names = {"next": "la siguiente", "previous": "la anterior",
         "itself": "sí misma", "marks": "las marcas"}
print("mira a         capa cabeza  elegida  probada  media de 144")
for kind, name in names.items():
    found = heads["kinds"][kind]
    print(f"{name:14} {found['head'][0]:4d} {found['head'][1]:6d}"
          f"  {found['chosen']:7.2f}  {found['tested']:7.2f}"
          f"  {found['average']:12.2f}")

# %% maps native=true
import vis

for kind, title in (("next", "A la siguiente"), ("marks", "A las marcas")):
    drawn = heads["kinds"][kind]["map"]
    vis.heatmap(drawn["weights"], xlabels=drawn["words"],
                ylabels=drawn["words"], title=title)

# %% itself native=true
share = heads["largest_on_itself"]
print(f"el mayor peso cae en la propia palabra: {share:.1%} de las filas")
print(f"si cayera en cualquier sitio:           {heads['chance_on_itself']:.1%}")
