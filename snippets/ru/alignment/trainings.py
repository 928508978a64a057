"""Тот же переводчик на пяти зёрнах, и без внимания с большим числом шагов.

На это уходят минуты: обучает `python scripts/translator_trainings.py write`.
"""
# %% table
import json
from pathlib import Path

file = Path(__file__).parent / "../../data/translator-trainings.json"
trainings = json.loads(file.read_text(encoding="utf-8"))
names = {"with_attention": "с вниманием, 160 шагов",
         "without_attention": "без внимания, 160 шагов",
         "without_attention_longer": "без внимания, 640 шагов"}
print(f"{'зерно':23}", *[f"{seed:5}" for seed in range(5)])
for training, name in names.items():
    shares = [of_one[1] for of_one in trainings[training]]
    print(f"{name:23}", *[f"{share:5.2f}" for share in shares])
