"""Attention as a bundle of lines: queries left, keys right, a line's width and strength the weight.

Two columns rather than arcs over a sentence: a sentence of any length fits a phone, self-attention and
attention across two sentences look alike, and labels never collide.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vis.figure import Figure, publish
from vis.inputs import check_labels, forbid, numbers, plural, shape_in_words
from vis.lettering import abbreviate, visible, widest
from vis.numerals import check_format
from vis.palette import COLORS
from vis.svg import LABEL_SIZE, NATURAL_WIDTH, NUMBER_SIZE, coordinate, element, frame, unseen, words
from vis.table import Table

_CALL = "vis.attention"
_LABEL_ROOM = 125  # a longer token is abbreviated; its full text stays in the names of its lines
_MARKER_ROOM = 20  # between a label and the start of its lines
_LINES_ROOM = (90, 220)  # least and most width for the lines
_HEAD = 24  # height of the line with q and k
_PITCH = (28, 23)  # from token to token, and in long sentences
_LONG = 16  # tokens
_WIDEST_LINE = 12
_PALEST_LINE = 0.3
_FAINT = 0.005  # a smaller weight prints as 0.00 and has no line to be seen, but its mark and its number


def attention(tokens: Iterable[str], weights: Any, query_tokens: Iterable[str] | None = None, *,
              title: str = "", digits: int | None = None, decimal: str = ".") -> Figure:
    """Draw which keys each query looks at.

    Args:
        tokens: the n keys; in self-attention the queries too.
        weights: shape (queries, n), or (n,) for a single query; each row sums to 1. Array, list or tensor.
        query_tokens: the queries, if they are others than ``tokens``: a target sentence, or a single one.
        title: printed above, and what a screen reader announces.
        digits: digits after the decimal mark, 2 unless the weights are integers.
        decimal: the decimal mark of the page's language, ``"."`` or ``","``.

    With a single query its weights are printed beside the keys. Each line carries ``data-row`` (query),
    ``data-col`` (key), ``data-value`` and the name "banco → jardín: 0.60".

    Raises:
        ValueError: shapes that do not fit, no weights, NaN, a negative weight, a row that does not sum to 1
            (beyond what rounding to two digits explains), a wrong ``digits`` or ``decimal``.
    """
    matrix = _weights(weights)
    keys = check_labels(_CALL, "tokens", tokens, matrix.shape[1], shape_in_words("weights", matrix, 1))
    queries = _queries(keys, query_tokens, matrix)
    _check_sums(matrix, queries)
    table = Table(matrix, queries, keys, check_format(_CALL, matrix, digits, decimal), decimal)
    layout = _layout(table)
    svg = frame("attention", title, layout.width, layout.height, _elements(table, layout))
    return publish(svg, title, table)


def _weights(weights: Any) -> np.ndarray:
    """The weights as a matrix (queries, keys) without negative or infinite entries."""
    matrix = numbers(_CALL, "weights", weights)
    if matrix.ndim == 0:
        raise ValueError(f"{_CALL}: weights is a single number; write a row of weights for each query")
    if matrix.ndim > 2:
        one = f"weights[{', '.join('0' * (matrix.ndim - 2))}]"
        raise ValueError(f"{_CALL}: weights has shape {matrix.shape}, but a map has two dimensions, "
                         f"queries × keys; choose one of them, for example {one}")
    forbid(_CALL, "weights", matrix, matrix < -1e-9,
           "weights after softmax are never negative (draw scores with vis.heatmap)")
    forbid(_CALL, "weights", matrix, np.isinf(matrix), "weights after softmax lie between 0 and 1")
    return np.atleast_2d(matrix)


def _queries(keys: tuple[str, ...], query_tokens: Iterable[str] | None,
             matrix: np.ndarray) -> tuple[str, ...]:
    shape = shape_in_words("weights", matrix, 0)
    if query_tokens is not None:
        return check_labels(_CALL, "query_tokens", query_tokens, len(matrix), shape)
    if len(matrix) != len(keys):
        raise ValueError(f"{_CALL}: {shape} for {plural(len(keys), 'token')}; "
                         'say which are the queries: query_tokens=["…"]')
    return keys


def _check_sums(matrix: np.ndarray, queries: tuple[str, ...]) -> None:
    """Rows must sum to 1. Weights rounded to two digits may miss it by half a unit of the last digit each."""
    sums = matrix.sum(axis=1)
    slack = min(0.05, 0.005 * matrix.shape[1]) + 1e-6
    for row in np.flatnonzero(abs(sums - 1) > slack)[:1]:
        raise ValueError(f"{_CALL}: row {row} of weights (query {queries[row]!r}) sums to {sums[row]:.3g}, "
                         "not 1; softmax goes along the keys, axis=-1 (draw other numbers with vis.heatmap)")


@dataclass(frozen=True)
class _Layout:
    """Labels as they are shown, and where lines start and end."""

    queries: list[str]
    keys: list[str]
    start: float  # x of the queries' markers
    end: float  # x of the keys' markers
    query_heights: list[float]
    key_heights: list[float]
    width: float
    height: float


def _layout(table: Table) -> _Layout:
    queries, keys = ([abbreviate(visible(token), LABEL_SIZE, _LABEL_ROOM) for token in tokens]
                     for tokens in (table.rows, table.columns))
    number_room = widest(table.texts(), NUMBER_SIZE) + 12 if len(queries) == 1 else 0
    start = widest(queries, LABEL_SIZE) + _MARKER_ROOM
    rest = _MARKER_ROOM + widest(keys, LABEL_SIZE) + number_room
    end = start + max(_LINES_ROOM[0], min(_LINES_ROOM[1], NATURAL_WIDTH - start - rest))
    most = max(len(queries), len(keys))
    pitch = _PITCH[most >= _LONG]

    def heights(count: int) -> list[float]:  # the shorter column is centred
        return [_HEAD + pitch * ((most - count) / 2 + index + 0.5) for index in range(count)]

    return _Layout(queries, keys, start, end, heights(len(queries)), heights(len(keys)), width=end + rest,
                   height=_HEAD + pitch * most)


def _elements(table: Table, layout: _Layout) -> list[str]:
    """A row of lines for each query, and over them the two columns of tokens."""
    elements = [element("g", *(_line(table, layout, i, j) for j in range(len(table.columns))), role="row",
                        fill="none", stroke=COLORS["weight"].paint) for i in range(len(table.rows))]
    elements.append(_column("query", layout.queries, layout.start, layout.query_heights))
    elements.append(_column("key", layout.keys, layout.end, layout.key_heights))
    if len(table.rows) == 1:
        numbers = (words(text, layout.width, y + 5) for text, y in zip(table.texts(), layout.key_heights))
        elements.append(unseen(*numbers, text_anchor="end", font_size=NUMBER_SIZE))
    return elements


def _line(table: Table, layout: _Layout, i: int, j: int) -> str:
    """From query i to key j. Width grows with the weight as opacity does: colour is not the only sign."""
    weight = float(table.values[i, j])
    middle = (layout.start + layout.end) / 2
    start, bend, end, top, bottom = map(coordinate, (
        layout.start, middle, layout.end, layout.query_heights[i], layout.key_heights[j]))
    return table.mark("path", i, j, d=f"M{start} {top}C{bend} {top} {bend} {bottom} {end} {bottom}",
                      stroke_width=max(1.0, _WIDEST_LINE * weight),
                      stroke_opacity=min(1.0, _PALEST_LINE + weight) if weight >= _FAINT else 0.0)


def _column(role: str, texts: list[str], x: float, heights: list[float]) -> str:
    """Tokens under the letter of their role, with markers: circles for queries, squares for keys."""
    side, anchor = (-1, "end") if role == "query" else (1, "start")
    letter = words(role[0], x, heights[0] - 16, text_anchor="middle", font_style="italic", font_weight="600")
    markers = [element("circle", cx=x, cy=y, r=4) if role == "query" else
               element("rect", x=x - 4, y=y - 4, width=8, height=8) for y in heights]
    labels = [words(text, x + side * 12, y + 5) for text, y in zip(texts, heights)]
    return unseen(letter, *markers, *labels, fill=COLORS[role].paint, text_anchor=anchor)
