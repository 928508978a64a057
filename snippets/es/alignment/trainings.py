"""El mismo traductor con cinco semillas, y sin atención con más pasos.

Tarda minutos: lo entrena `python scripts/translator_trainings.py write`.
"""
# %% table
import json
from pathlib import Path

file = Path(__file__).parent / "../../data/translator-trainings.json"
trainings = json.loads(file.read_text(encoding="utf-8"))
names = {"with_attention": "con atención, 160 pasos",
         "without_attention": "sin atención, 160 pasos",
         "without_attention_longer": "sin atención, 640 pasos"}
print(f"{'semilla':23}", *[f"{seed:5}" for seed in range(5)])
for training, name in names.items():
    shares = [of_one[1] for of_one in trainings[training]]
    print(f"{name:23}", *[f"{share:5.2f}" for share in shares])
