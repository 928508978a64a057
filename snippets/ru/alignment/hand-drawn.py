"""Матрица выравнивания, нарисованная от руки, как в книгах."""
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
print("сумма каждой строки:", *drawn.sum(axis=1).round(2))
vis.attention(source, drawn, query_tokens=target,
              title="Нарисовано от руки", decimal=",")
vis.heatmap(drawn, xlabels=source, ylabels=target,
            title="Те же веса", decimal=",")
