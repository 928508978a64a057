"""Horizontal bars: their labels stand before them, however long the words, and the numbers at their ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vis.figure import Figure, publish
from vis.inputs import check_colors, check_labels, check_limits, forbid, numbers, plural
from vis.lettering import abbreviate, visible, widest
from vis.numerals import check_format
from vis.palette import COLORS, Color
from vis.svg import LABEL_SIZE, NATURAL_WIDTH, NUMBER_SIZE, element, frame, unseen, words
from vis.table import Table

_CALL = "vis.bars"
_LABEL_ROOM = 150
_BARS_ROOM = 140  # least width for the bars
_PITCH = 30
_THICKNESS = 18
_NUMBER_GAP = 6  # between a bar's end and its number


@dataclass(frozen=True)
class _Axis:
    """From numbers to x: ``low`` lies at ``left``, ``high`` at ``right``; ``width`` includes the text."""

    low: float
    high: float
    left: float
    right: float
    width: float

    def x(self, value: float) -> float:
        return self.left + (self.right - self.left) * (value - self.low) / (self.high - self.low)


def bars(values: Any, *, labels: Iterable[Any] | None = None, title: str = "",
         colors: str | Iterable[str] | None = None, limits: tuple[float, float] | None = None,
         digits: int | None = None, decimal: str = ".") -> Figure:
    """Draw numbers as horizontal bars, one below the other.

    Args:
        values: shape (n,); array, list or tensor.
        labels: one a bar; indices if left out.
        title: printed above, and what a screen reader announces.
        colors: names of house colours (``"query"``, ``"azure"``), one for all or one a bar. By default that
            of weights, and for negative numbers that of the other end of a diverging scale.
        limits: ends of the axis, which hold 0 and every number: (0, 1) makes figures comparable.
        digits: digits after the decimal mark, by default 0 for integers, 2 for other numbers.
        decimal: the decimal mark of the page's language, ``"."`` or ``","``.

    Each bar carries ``data-row`` 0, ``data-col``, ``data-value`` and the name "jardín: 0.60".

    Raises:
        ValueError: more than one dimension, labels or colours that do not fit, NaN or infinity, limits that
            leave out a number or 0, a wrong ``digits`` or ``decimal``.
    """
    array = numbers(_CALL, "values", values)
    if array.ndim != 1:
        raise ValueError(f"{_CALL}: values has shape {array.shape}; bars need one dimension, a number a bar")
    forbid(_CALL, "values", array, np.isinf(array), "no bar is that long")
    names = check_labels(_CALL, "labels", labels, len(array), f"there are {plural(len(array), 'value')}")
    table = Table(array, (), names, check_format(_CALL, array, digits, decimal), decimal,
                  labelled=labels is not None)
    if colors is None:
        colors = ["negative" if value < 0 else "weight" for value in array]
    paint = check_colors(_CALL, colors, len(array))
    axis = _axis(table, check_limits(_CALL, "values", array, limits))
    svg = frame("bars", title, axis.width, _PITCH * len(array), _elements(table, paint, axis))
    return publish(svg, title, table)


def _shown(table: Table) -> list[str]:
    return [abbreviate(visible(name), LABEL_SIZE, _LABEL_ROOM) for name in table.columns]


def _axis(table: Table, limits: tuple[float, float] | None) -> _Axis:
    """Numbers stand at the outer ends of their bars: room is kept on either side where one may stand."""
    lowest, highest = float(table.values.min()), float(table.values.max())
    low, high = limits or (min(0.0, lowest), max(0.0, highest))
    if not low <= 0 <= high:
        raise ValueError(f"{_CALL}: limits=({low:g}, {high:g}) leaves out 0, where bars begin")
    if low == high:  # all numbers are 0
        high = 1.0
    number_room = widest(table.texts(), NUMBER_SIZE) + _NUMBER_GAP
    left = widest(_shown(table), LABEL_SIZE) + 10 + (number_room if lowest < 0 else 0)
    after = number_room if highest >= 0 else 0
    right = max(left + _BARS_ROOM, NATURAL_WIDTH - after)
    return _Axis(low, high, left, right, right + after)


def _elements(table: Table, paint: list[Color], axis: _Axis) -> list[str]:
    zero = axis.x(0)
    line = element("line", x1=zero, y1=0, x2=zero, y2=_PITCH * len(paint), stroke=COLORS["muted"].paint)
    marks, printed, labels = [], [], []
    label_end = widest(_shown(table), LABEL_SIZE)
    for i, (value, label) in enumerate(zip(map(float, table.values), _shown(table))):
        middle, tip = _PITCH * (i + 0.5), axis.x(value)
        marks.append(table.mark("rect", i, x=min(zero, tip), y=middle - _THICKNESS / 2, width=abs(tip - zero),
                                height=_THICKNESS, fill=paint[i].paint))
        printed.append(words(table.text(i), tip + (-_NUMBER_GAP if value < 0 else _NUMBER_GAP), middle + 4.5,
                             text_anchor="end" if value < 0 else None))
        labels.append(words(label, label_end, middle + 5))
    return [line, element("g", *marks, role="row"), unseen(*labels, text_anchor="end"),
            unseen(*printed, font_size=NUMBER_SIZE)]
