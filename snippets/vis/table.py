"""The numbers of a figure with all that is said about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vis.lettering import visible
from vis.numerals import machine, numeral
from vis.svg import element, escape


@dataclass(frozen=True)
class Table:
    """Numbers, shape (rows, columns) or (columns,), their labels, and how they are printed."""

    values: np.ndarray
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    digits: int
    decimal: str
    labelled: bool = True
    """Whether the program gave labels; if not they are indices."""

    def text(self, *index: int) -> str:
        """A number as it is printed: ``0,60``."""
        return numeral(float(self.values[index]), self.digits, self.decimal)

    def name(self, *index: int) -> str:
        """A number with its labels, "banco → jardín: 0.60", or, if it has none, its index: "[4, 7]: 0.60"."""
        if self.labelled:
            labels = (self.rows[index[0]], self.columns[index[1]]) if self.rows else (self.columns[index[0]],)
            place = " → ".join(map(visible, labels))
        else:
            place = f"[{', '.join(map(str, index))}]"
        return f"{place}: {self.text(*index)}"

    def texts(self) -> list[str]:
        """All numbers as they are printed, row by row."""
        return [self.text(*index) for index in np.ndindex(self.values.shape)]

    def mark(self, shape: str, *index: int, **attributes: str | float | None) -> str:
        """A mark that carries its number: data-row, data-col, data-value, and in words for people."""
        return element(shape, element("title", escape(self.name(*index))), role="cell",
                       data_row=str(index[0] if self.rows else 0), data_col=str(index[-1]),
                       data_value=machine(float(self.values[index])), **attributes)
