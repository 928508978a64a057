"""A drawn figure, and the list of those that nobody has collected yet."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vis import notebook
from vis.svg import standalone
from vis.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """What every drawing returns. Two figures are equal only if they are the same."""

    svg: str
    """One ``<svg>`` element for both themes, without ids."""
    title: str
    values: np.ndarray
    """The numbers drawn, read-only: shape (rows, columns), for bars (columns,)."""
    rows: tuple[str, ...]
    """Labels of the rows, as given (queries); empty for bars."""
    columns: tuple[str, ...]
    """Labels of the columns, as given (keys, bars)."""
    after_matplotlib: int = 0
    """The highest number of an open figure of matplotlib at the time of drawing, 0 if there is none."""

    def __repr__(self) -> str:
        """Short, since a notebook keeps it as the text version: no markup."""
        shape = " × ".join(map(str, self.values.shape))
        return f"<vis.Figure {self.title!r}, {shape}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _ipython_display_(self) -> None:
        """Asked by IPython first. NotImplementedError means "show me as usual", that is by ``_repr_svg_``."""
        if not notebook.is_repeat(self):
            raise NotImplementedError

    def save(self, path: str | Path) -> None:
        """Write the figure, in the light colours, as an SVG file that any program opens.

        Raises ValueError if the name does not end in ``.svg``.
        """
        path = Path(path)
        if path.suffix.lower() != ".svg":
            raise ValueError(f"Figure.save: {path.name!r} must end in .svg; vis draws nothing but SVG")
        path.write_text(standalone(self.svg) + "\n", encoding="utf-8", newline="\n")


_drawn: list[Figure] = []


def publish(svg: str, title: str, table: Table) -> Figure:
    """Make the figure of a finished drawing, remember it for ``collect``, show it if this is a notebook."""
    table.values.setflags(write=False)
    figure = Figure(svg, title, table.values, table.rows, table.columns, _open_matplotlib_figure())
    _drawn.append(figure)
    notebook.show(figure)
    return figure


def collect() -> list[Figure]:
    """The figures drawn since the last call, in drawing order; they are forgotten here."""
    figures = _drawn[:]
    _drawn.clear()
    return figures


def _open_matplotlib_figure() -> int:
    """Highest number of an open figure. Never imports matplotlib: who has not loaded it has no figure."""
    get_fignums = getattr(sys.modules.get("matplotlib.pyplot"), "get_fignums", None)
    return max(get_fignums(), default=0) if get_fignums else 0
