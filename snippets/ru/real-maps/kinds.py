"""Самые чистые занятия среди 144 голов, на сорока обычных предложениях.

Выбраны на одной половине предложений, проверены на другой.
"""
# %% kinds native=true
import json
from pathlib import Path

folder = Path(__file__).parent / "../../data/real-attention"
heads = json.loads((folder / "heads.json").read_text(encoding="utf-8"))["ru"]
names = {"next": "следующее", "previous": "предыдущее",
         "itself": "само слово", "marks": "знаки"}
print("смотрит на     слой голова  выбрана   провер.  среднее 144")
for kind, name in names.items():
    found = heads["kinds"][kind]
    print(f"{name:14} {found['head'][0]:4d} {found['head'][1]:6d}"
          f"  {found['chosen']:7.2f}  {found['tested']:7.2f}"
          f"  {found['average']:12.2f}")

# %% maps native=true
import vis

for kind, title in (("next", "На следующее"), ("marks", "На знаки")):
    drawn = heads["kinds"][kind]["map"]
    vis.heatmap(drawn["weights"], xlabels=drawn["words"],
                ylabels=drawn["words"], title=title, decimal=",")

# %% itself native=true
print("наибольший вес строки лежит на самом слове")
print(f"со знаками:    {heads['largest_on_itself']:.1%}, "
      f"наугад {heads['chance_on_itself']:.1%}")
print(f"одни слова:   {heads['largest_word_on_itself']:.1%}, "
      f"наугад {heads['chance_word_on_itself']:.1%}")
