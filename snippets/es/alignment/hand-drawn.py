"""Una matriz de alineamiento dibujada a mano, como las de los libros."""
# %% drawn
import numpy as np

import vis

source = ["the", "black", "cat", "sat", "on", "the", "mat"]
target = ["чёрная", "кошка", "сидела", "на", "коврике"]
drawn = np.array([
    [0.02, 0.90, 0.05, 0.01, 0.00, 0.01, 0.01],
    [0.10, 0.05, 0.82, 0.02, 0.00, 0.00, 0.01],
    [0.01, 0.01, 0.08, 0.88, 0.01, 0.00, 0.01],
    [0.00, 0.00, 0.00, 0.03, 0.94, 0.02, 0.01],
    [0.01, 0.00, 0.00, 0.01, 0.04, 0.12, 0.82],
])
print("suma de cada fila:", *drawn.sum(axis=1).round(2))
vis.attention(source, drawn, query_tokens=target,
              title="Dibujado a mano", decimal=".")
vis.heatmap(drawn, xlabels=source, ylabels=target,
            title="Los mismos pesos", decimal=".")
