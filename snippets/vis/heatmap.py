"""Heat maps: a table of numbers whose cells are the stronger the larger the number.

A cell is the colour of weights over the paper, at most at ``STRONGEST`` opacity. Even there the ink of
either theme reads on it with a contrast of 4.5, and the cell stands out from the paper with one of 3. So
numbers need no second ink, and nobody has to know the theme when the figure is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vis.figure import Figure, publish
from vis.inputs import check_labels, check_limits, numbers, shape_in_words
from vis.lettering import abbreviate, visible, widest, width
from vis.numerals import check_format, numeral
from vis.palette import COLORS
from vis.svg import LABEL_SIZE, NATURAL_WIDTH, NUMBER_SIZE, element, frame, unseen, words
from vis.table import Table

STRONGEST = 0.72
_CALL = "vis.heatmap"
_LABEL_ROOM = 130
_PRINT_WIDTH = 440  # numbers are printed as long as the map stays within: readable on a phone
_GAP = 2  # between cells
_CELL = (24, 56)  # least and most width of a cell
_ROW_HEIGHT = 36
_SLANT = 45  # degrees, for column labels that do not fit over their cells
_LEGEND = (154, 12)  # width and height of the colour scale


@dataclass(frozen=True)
class _Scale:
    """Which number gets which strength: none at ``low``, all at ``high``; if ``low`` < 0, none at 0."""

    low: float
    high: float

    def opacity(self, value: float) -> float:
        if self.low < 0:
            return STRONGEST * abs(value) / max(-self.low, self.high)
        return STRONGEST * (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0


@dataclass(frozen=True)
class _Grid:
    """Where the cells lie, and how the column labels stand above them."""

    left: float
    top: float
    cell_width: float
    cell_height: float
    prints: bool  # numbers
    slanted: bool  # column labels
    label_size: float  # of the column labels

    def x(self, column: float) -> float:
        return self.left + column * self.cell_width

    def y(self, row: float) -> float:
        return self.top + row * self.cell_height


def heatmap(W: Any, *, xlabels: Iterable[Any] | None = None, ylabels: Iterable[Any] | None = None,
            title: str = "", limits: tuple[float, float] | None = None, print_numbers: bool | None = None,
            digits: int | None = None, decimal: str = ".") -> Figure:
    """Draw a matrix as a table of coloured cells.

    Args:
        W: shape (rows, columns); array, nested list or tensor. Infinite entries (masked scores) show as such.
        xlabels, ylabels: labels of the columns and of the rows; indices if left out.
        title: printed above, and what a screen reader announces.
        limits: ends of the colour scale. By default from 0 to the largest number; with negative numbers the
            scale diverges, as far below 0 as above it.
        print_numbers: whether the cells show their numbers. By default they do if a phone can show them so;
            otherwise a scale below the map tells what the colours mean.
        digits: digits after the decimal mark, by default 0 for integers and masks, 2 for other numbers.
        decimal: the decimal mark of the page's language, ``"."`` or ``","``.

    Each cell carries ``data-row``, ``data-col``, ``data-value`` and the name "banco → jardín: 0.60".

    Raises:
        ValueError: no two dimensions, labels that do not fit the shape, NaN, an empty or ragged matrix,
            limits that leave a number out, a wrong ``digits`` or ``decimal``.
    """
    matrix = numbers(_CALL, "W", W)
    if matrix.ndim != 2:
        raise ValueError(f"{_CALL}: W has shape {matrix.shape}; a heat map needs two axes, rows × columns")
    rows = check_labels(_CALL, "ylabels", ylabels, len(matrix), shape_in_words("W", matrix, 0))
    columns = check_labels(_CALL, "xlabels", xlabels, matrix.shape[1], shape_in_words("W", matrix, 1))
    table = Table(matrix, rows, columns, check_format(_CALL, matrix, digits, decimal), decimal,
                  labelled=xlabels is not None or ylabels is not None)
    scale = _scale(matrix, check_limits(_CALL, "W", matrix, limits))
    grid = _grid(table, print_numbers)
    svg = frame("heatmap", title, *_extent(table, grid), _elements(table, scale, grid))
    return publish(svg, title, table)


def _scale(matrix: np.ndarray, limits: tuple[float, float] | None) -> _Scale:
    finite = matrix[np.isfinite(matrix)]
    lowest, highest = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    reach = max(-lowest, highest)
    return _Scale(*limits or ((-reach, reach) if lowest < 0 else (0.0, highest)))


def _grid(table: Table, print_numbers: bool | None) -> _Grid:
    """Cells as wide as numbers and labels ask for; without numbers if a phone could not show them."""
    count = len(table.columns)
    left = math.ceil(min(widest([*map(visible, table.rows)], LABEL_SIZE), _LABEL_ROOM)) + 10
    number_room = math.ceil(widest(table.texts(), NUMBER_SIZE)) + 8
    prints = left + number_room * count <= _PRINT_WIDTH if print_numbers is None else print_numbers
    cell = max(_CELL[0], number_room if prints else 0, min(_CELL[1], (NATURAL_WIDTH - left) // count))
    shown = [visible(column) for column in table.columns]
    for size in (LABEL_SIZE, NUMBER_SIZE):
        wide = max(cell, math.ceil(widest(shown, size)) + 6)
        if wide == cell or left + wide * count <= _PRINT_WIDTH:
            return _Grid(left, 26, wide, min(wide, _ROW_HEIGHT), prints, False, size)
    rise = min(widest(shown, LABEL_SIZE), _LABEL_ROOM) * math.sin(math.radians(_SLANT))
    return _Grid(left, math.ceil(rise) + 22, cell, min(cell, _ROW_HEIGHT), prints, True, LABEL_SIZE)


def _extent(table: Table, grid: _Grid) -> tuple[float, float]:
    """Width and height of the map, with its legend and slanted labels that reach beyond their columns."""
    right, bottom = grid.x(len(table.columns)), grid.y(len(table.rows))
    if grid.slanted:
        rooms = (min(width(visible(label), LABEL_SIZE), _LABEL_ROOM) for label in table.columns)
        reach = math.cos(math.radians(_SLANT))
        right = max(right, *(grid.x(j + 0.5) + 16 + reach * room for j, room in enumerate(rooms)))
    if not grid.prints:
        right, bottom = max(right, grid.left + _LEGEND[0] + 140), bottom + 40
    return right, bottom


def _elements(table: Table, scale: _Scale, grid: _Grid) -> list[str]:
    """Labels, a row of cells for each row of the matrix, and either numbers in them or a legend."""
    paint = {"fill": COLORS["weight"].paint, "stroke": COLORS["grid"].paint, "stroke_width": 0.5}
    elements = [_row_labels(table, grid), _column_labels(table, grid)]
    for i in range(len(table.rows)):
        cells = (_cell(table, scale, grid, i, j) for j in range(len(table.columns)))
        elements.append(element("g", *cells, role="row", **paint))
    elements.append(_printed(table, grid))
    if not grid.prints:
        elements.append(_legend(table, scale, grid.left, grid.y(len(table.rows)) + 14))
    return elements


def _row_labels(table: Table, grid: _Grid) -> str:
    shown = (abbreviate(visible(label), LABEL_SIZE, _LABEL_ROOM) for label in table.rows)
    return unseen(*(words(label, grid.left - 8, grid.y(i + 0.5) + 5) for i, label in enumerate(shown)),
                  text_anchor="end")


def _column_labels(table: Table, grid: _Grid) -> str:
    y = grid.top - 8
    if not grid.slanted:
        return unseen(*(words(visible(label), grid.x(j + 0.5), y) for j, label in enumerate(table.columns)),
                      text_anchor="middle", font_size=grid.label_size)
    texts = []
    for j, label in enumerate(table.columns):
        x = grid.x(j + 0.5) + 4
        texts.append(words(abbreviate(visible(label), LABEL_SIZE, _LABEL_ROOM), x, y,
                           transform=f"rotate(-{_SLANT} {x:g} {y:g})"))
    return unseen(*texts)


def _cell(table: Table, scale: _Scale, grid: _Grid, i: int, j: int) -> str:
    """A cell; an infinite number has no strength, its cell is as grey as the grid."""
    value = float(table.values[i, j])
    role = "grid" if math.isinf(value) else "negative" if value < 0 else None
    opacity = 1.0 if math.isinf(value) else scale.opacity(value)
    return table.mark("rect", i, j, x=grid.x(j) + _GAP / 2, y=grid.y(i) + _GAP / 2,
                      width=grid.cell_width - _GAP, height=grid.cell_height - _GAP, rx=3,
                      fill=COLORS[role].paint if role else None, fill_opacity=opacity)


def _printed(table: Table, grid: _Grid) -> str:
    """The numbers, or where they have no room the signs: colour must not be the only sign of a sign."""
    texts = []
    for i, j in np.ndindex(table.values.shape):
        text = table.text(i, j) if grid.prints else "−" if table.values[i, j] < 0 else ""
        if text:
            texts.append(words(text, grid.x(j + 0.5), grid.y(i + 0.5) + 4.5))
    return unseen(*texts, text_anchor="middle", font_size=NUMBER_SIZE)


def _legend(table: Table, scale: _Scale, left: float, y: float) -> str:
    """The scale in eleven steps, with the numbers at its ends."""
    low, high = (numeral(end, table.digits, table.decimal) for end in (scale.low, scale.high))
    start, step = left + width(low, NUMBER_SIZE) + 6, _LEGEND[0] / 11
    parts = []
    for k in range(11):
        value = scale.low + (scale.high - scale.low) * k / 10
        parts.append(element("rect", x=start + step * k, y=y, width=step, height=_LEGEND[1],
                             fill=COLORS["negative" if value < 0 else "weight"].paint,
                             fill_opacity=scale.opacity(value)))
    parts.append(element("rect", x=start, y=y, width=_LEGEND[0], height=_LEGEND[1], fill="none",
                         stroke=COLORS["muted"].paint))
    return unseen(*parts, words(low, start - 6, y + 11, text_anchor="end"),
                  words(high, start + _LEGEND[0] + 6, y + 11), font_size=NUMBER_SIZE)
