"""The numbers on the axes of a matplotlib plot, in the notation of the page's language."""

from __future__ import annotations

from typing import Any

from vis.numerals import check_decimal


def ticks(axes: Any, decimal: str) -> None:
    """Write the numbers on a plot's axes with the decimal mark of the page's language.

    Args:
        axes: matplotlib's ``Axes``: ``plt.gca()``, or what ``plt.subplots()`` returns. What its ticks are called
            otherwise (names, dates, powers of ten) stays as it is.
        decimal: ``"."`` or ``","``.

    Raises:
        TypeError: ``axes`` is no single plot.
        ValueError: another ``decimal``.
    """
    check_decimal("vis.ticks", decimal)
    if not (hasattr(axes, "xaxis") and hasattr(axes, "yaxis")):
        raise TypeError(f"vis.ticks: {type(axes).__name__} has no axes; pass one plot, such as plt.gca()")
    from matplotlib.ticker import ScalarFormatter  # who draws with matplotlib has it; vis alone needs numpy only

    class Formatter(ScalarFormatter):
        """matplotlib's own numbers, with another mark."""

        def __call__(self, x: float, pos: int | None = None) -> str:
            return super().__call__(x, pos).replace(".", decimal)

        def get_offset(self) -> str:
            return super().get_offset().replace(".", decimal)

    for axis in (axes.xaxis, axes.yaxis):
        if type(axis.get_major_formatter()) is ScalarFormatter:
            axis.set_major_formatter(Formatter())
