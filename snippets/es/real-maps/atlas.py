"""Las 144 cabezas a la vez, para una frase: un mapa pequeño por cabeza."""
# %% atlas native=true
import base64
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

folder = Path(__file__).parent / "../../data/real-attention"
text = (folder / "atlas-es.json").read_text(encoding="utf-8")
one = json.loads(text)["sentences"][1]
levels = np.frombuffer(base64.b64decode(one["bytes"]), dtype=np.uint8)
maps = levels.reshape(one["shape"]) / 255   # capa, cabeza, fila, columna
layers, heads, n, _ = maps.shape
print(one["sentence"], maps.shape)

# %% picture native=true
plt.style.use("vis.lesson")
fig, ax = plt.subplots(figsize=(7, 7.2))
for low, high, alpha in ((0.1, 0.3, 0.25), (0.3, 0.6, 0.6), (0.6, 2, 1)):
    cells = np.argwhere((maps >= low) & (maps < high))
    corners = [((0, 0), (1, 0), (1, 1), (0, 1), (0, 0)) + np.array(
        [[head * (n + 2) + column, layer * (n + 2) + row]])
        for layer, head, row, column in cells]
    outline = Outline.make_compound_path(*map(Outline, corners))
    ax.add_patch(PathPatch(outline, facecolor="C4", alpha=alpha, lw=0))
ticks = np.arange(12) * (n + 2) + n / 2
ax.set_xticks(ticks, range(1, heads + 1))
ax.set_yticks(ticks, range(1, layers + 1))
ax.set_xlim(-1, 12 * (n + 2) - 1)
ax.set_ylim(12 * (n + 2) - 1, -1)
ax.set_xlabel("cabeza")
ax.set_ylabel("capa")
