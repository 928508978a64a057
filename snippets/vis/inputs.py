"""What a program hands to a drawing, as an array of numbers and a tuple of labels, or an error with shapes.

Arrays of numpy, nested lists and tensors (of nanotorch or PyTorch: anything with ``.data``) are all welcome,
also lists of tensors. Errors are ValueErrors that begin with the call: ``vis.heatmap: …``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vis import palette


def _unwrap(values: Any) -> Any:
    """Tensors to arrays, inside lists too. An array's own ``.data`` is raw memory, so arrays come first."""
    if isinstance(values, (np.ndarray, np.generic)):
        return values
    if isinstance(values, (list, tuple)):
        return [_unwrap(value) for value in values]
    return np.asarray(values.data) if hasattr(values, "data") else values


def numbers(call: str, name: str, values: Any) -> np.ndarray:
    """A fresh array of int64 (whole numbers and masks) or float64; ``name`` is the argument's name in errors.

    Raises ValueError for a ragged list, for what is not a real number, for NaN and for an empty array.
    """
    plain = _unwrap(values)
    try:
        array = np.asarray(plain)
    except ValueError:
        raise ValueError(f"{call}: {name} is no table of numbers: {_unevenness(plain)}") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{call}: {name} must hold numbers; this is {_stranger(plain)}")
    array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
    if array.size == 0:
        raise ValueError(f"{call}: {name} is empty, its shape is {array.shape}")
    forbid(call, name, array, np.isnan(array), "there is nothing to draw for it")
    return array


def _unevenness(rows: Any) -> str:
    """Why a nested list is no array: the first row whose shape differs from that of row 0."""
    for index, row in enumerate(rows):
        if not isinstance(row, (list, np.ndarray)):
            return f"row {index} is {row!r}"
        if len(row) != len(rows[0]):
            return f"row 0 has {len(rows[0])} entries, row {index} has {len(row)}"
    return "its rows are ragged inside"


def _stranger(plain: Any) -> str:
    """What stands where numbers should: the first entry that is none."""
    entries = np.array(plain, dtype=object).flat
    entry = next(entry for entry in entries if not isinstance(entry, (bool, int, float, np.number))
                 or isinstance(entry, (complex, np.complexfloating)))
    return repr(str(entry)) if isinstance(entry, str) else f"of type {type(entry).__name__}"


def forbid(call: str, name: str, array: np.ndarray, mask: np.ndarray, why: str) -> None:
    """Raise ValueError with place, value and reason for the first entry where ``mask`` is True."""
    if mask.any():
        index = np.argwhere(mask)[0].tolist()
        raise ValueError(f"{call}: {name}{index or ''} is {array[tuple(index)]:g}; {why}")


def shape_in_words(name: str, array: np.ndarray, axis: int) -> str:
    """``W has shape (5, 7), 5 rows``: the shape and what it means along an axis of a matrix."""
    return f"{name} has shape {array.shape}, {plural(array.shape[axis], ('row', 'column')[axis])}"


def plural(count: int, one: str) -> str:
    """``1 row``, ``5 rows``."""
    many = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{count} {one if count == 1 else many}"


def check_labels(call: str, name: str, texts: Iterable[Any] | None, count: int,
                 counted: str) -> tuple[str, ...]:
    """The labels as strings, or the indices 0 … count−1 if there are none; ``counted`` says what needs them.

    Raises ValueError if there are more or fewer than ``count``, or if they are one string (to be cut up).
    """
    if texts is None:
        return tuple(map(str, range(count)))
    if isinstance(texts, str):
        raise ValueError(f"{call}: {name} is one string, {texts!r}; write a list of strings")
    found = tuple(map(str, texts))
    if len(found) != count:
        raise ValueError(f"{call}: {counted}, but {name} has {plural(len(found), 'entry')}")
    return found


def check_limits(call: str, name: str, array: np.ndarray, limits: Any) -> tuple[float, float] | None:
    """The ends of a scale that the program asks for, or None if it leaves them to the drawing.

    Raises ValueError if they are not two finite numbers in rising order, or leave a finite entry out.
    """
    if limits is None:
        return None
    ends = numbers(call, "limits", limits)
    if ends.shape != (2,) or not np.isfinite(ends).all() or not ends[0] < ends[1]:
        raise ValueError(f"{call}: limits is {limits!r}; write two numbers, the lower first: limits=(0, 1)")
    low, high = map(float, ends)
    outside = np.isfinite(array) & ((array < low) | (array > high))
    forbid(call, name, array, outside, f"limits=({low:g}, {high:g}) leaves it out")
    return low, high


def check_colors(call: str, colors: str | Iterable[str], count: int) -> list[palette.Color]:
    """A house colour for each mark, from one name or ``count`` names. Raises ValueError for other names."""
    names = [colors] * count if isinstance(colors, str) else list(colors)
    if len(names) != count:
        found = plural(len(names), "name")
        raise ValueError(f"{call}: there are {plural(count, 'value')}, but colors has {found}")
    for name in names:
        if name not in palette.MARKS:
            raise ValueError(f"{call}: colors: {name!r} is no colour of a mark; choose from "
                             f"{', '.join(palette.MARKS)}")
    return [palette.COLORS[name] for name in names]
