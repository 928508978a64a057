"""Lo que sí cambia, capa por capa, y lo que pasa al quitar palabras o cabezas.

Datos: scripts/real_attention.py.
"""
# %% layers native=true
import json
from pathlib import Path

folder = Path(__file__).parent / "../../data/real-attention"
senses = json.loads((folder / "senses.json").read_text(encoding="utf-8"))["es"]
word, neutral = senses["word_by_layer"], senses["neutral_by_layer"]
print("aciertos en 12 frases, de la entrada a la capa 12")
print("banco:", *word)
print("lugar:", *neutral)

# %% hide native=true
ablation = json.loads((folder / "ablation.json").read_text(encoding="utf-8"))
side = ablation["es"]["pair"][0]
print("al ocultar cada palabra, el vector de «banco» se mueve:")
for hidden in side["hidden"]:
    print(f"  {hidden['word']:7} peso medio {hidden['weight']:.3f}"
          f"   movimiento {hidden['effect']:.4f}")

# %% flatten native=true
print("al repartir por igual los pesos de una cabeza:")
for side in ablation["es"]["pair"]:
    print(side["sentence"])
    for chosen in side["chosen"]:
        print("  capa {}, cabeza {}:".format(*chosen["head"]),
              f"puesto {chosen['rank']} de 144, {chosen['effect']:.4f}")
    print("  la que más mueve: capa {}, cabeza {},".format(
        *side["strongest"]["head"]), f"{side['strongest']['effect']:.4f}")

# %% all-flat native=true
flat = ablation["es"]["flat"]
print(f"consigo misma, pesos iguales: {flat['same_sentence_flat']:.2f}")
print(f"con otra frase, sin tocar:    {flat['another_sentence']:.2f}")
print("la suya es la más cercana:   ", flat["nearest_is_own"], "de 40")

# %% marks native=true
heads = json.loads((folder / "heads.json").read_text(encoding="utf-8"))["es"]
by_weight, by_length = (sum(heads["marks"][key]) / 12
                        for key in ("weight", "contribution"))
print(f"parte de las marcas: {by_weight:.2f} del peso,",
      f"{by_length:.2f} de lo que llega")
