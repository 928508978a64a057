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
print("el mayor peso de la fila cae en la propia palabra")
print(f"con las marcas:  {heads['largest_on_itself']:.1%}, "
      f"al azar {heads['chance_on_itself']:.1%}")
print(f"solo palabras:  {heads['largest_word_on_itself']:.1%}, "
      f"al azar {heads['chance_word_on_itself']:.1%}")
