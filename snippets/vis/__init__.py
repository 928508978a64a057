"""Attention maps, heat maps and bars as small SVGs that follow the theme of the page; needs numpy alone.

    import vis

    vis.attention(["the", "black", "cat"], W, query_tokens=["чёрная", "кошка"], title="…", decimal=",")
    vis.heatmap(W, xlabels=…, ylabels=…, title="…")
    vis.bars(values, labels=…, title="…")

Each returns a `Figure`. A build collects what was drawn, a notebook shows it at once, plain Python does
nothing more: ``vis.bars(…).save("bars.svg")`` writes a file. Figures of matplotlib take the house style with
``plt.style.use("vis.lesson")``, the decimal mark with ``vis.ticks(plt.gca(), decimal=",")`` and single colours
with ``vis.color("query")``.

For scripts on a page: the root is ``<svg class="vis" data-kind="attention|heatmap|bars">``, and each mark in
it (line, cell, bar) has ``data-row``, ``data-col`` (counted from 0), ``data-value`` and a ``<title>`` in
words.
"""

from vis.attention import attention
from vis.bars import bars
from vis.figure import Figure, collect
from vis.heatmap import heatmap
from vis.palette import color
from vis.ticks import ticks

__all__ = ["Figure", "attention", "bars", "collect", "color", "heatmap", "ticks"]
