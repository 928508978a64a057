"""Что меняется на самом деле, слой за слоем, и что бывает, если убрать.

Данные: scripts/real_attention.py.
"""
# %% layers native=true
import json
from pathlib import Path

folder = Path(__file__).parent / "../../data/real-attention"
senses = json.loads((folder / "senses.json").read_text(encoding="utf-8"))["ru"]
word, neutral = senses["word_by_layer"], senses["neutral_by_layer"]
print("предложений из 12 с верным смыслом, от входа до слоя 12")
print("ключом:   ", *word)
print("предметом:", *neutral)

# %% hide native=true
ablation = json.loads((folder / "ablation.json").read_text(encoding="utf-8"))
side = ablation["ru"]["pair"][0]
print("если скрыть слово, вектор «ключом» сдвинется:")
for hidden in side["hidden"]:
    print(f"  {hidden['word']:7} средний вес {hidden['weight']:.3f}"
          f"   сдвиг {hidden['effect']:.4f}")

# %% flatten native=true
print("если сделать веса головы равными:")
for side in ablation["ru"]["pair"]:
    print(side["sentence"])
    for chosen in side["chosen"]:
        print("  слой {}, голова {}:".format(*chosen["head"]),
              f"место {chosen['rank']} из 144, {chosen['effect']:.4f}")
    print("  сильнее всех: слой {}, голова {},".format(
        *side["strongest"]["head"]), f"{side['strongest']['effect']:.4f}")

# %% all-flat native=true
flat = ablation["ru"]["flat"]
print(f"с собой, но веса равные:   {flat['same_sentence_flat']:.2f}")
print(f"с другим предложением:     {flat['another_sentence']:.2f}")
print("ближе всего своё же:      ", flat["nearest_is_own"], "из 40")

# %% marks native=true
heads = json.loads((folder / "heads.json").read_text(encoding="utf-8"))["ru"]
by_weight, by_length = (sum(heads["marks"][key]) / 12
                        for key in ("weight", "contribution"))
print(f"доля знаков: {by_weight:.2f} веса,",
      f"{by_length:.2f} того, что дошло")
