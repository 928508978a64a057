"""Numbers as a reader of the page's language sees them, and as a script reads them."""

from __future__ import annotations

import math

import numpy as np

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TOO_LONG = 1e6  # from here on a number is written with three digits and a power of ten


def numeral(value: float, digits: int, decimal: str) -> str:
    """``-0.6`` with 2 digits and ``","`` → ``"−0,60"``; minus is U+2212, −0 is 0, 2e9 → ``"2·10⁹"``."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= _TOO_LONG:
        mantissa, exponent = f"{value:.2e}".split("e")
        text = f"{mantissa.rstrip('0').rstrip('.')}·10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    else:
        text = f"{value:.{digits}f}"
        if not text.strip("-0."):
            text = text.lstrip("-")
    return text.replace("-", "−").replace(".", decimal)


def machine(value: float) -> str:
    """The number for a ``data-value``: six significant digits, as JavaScript's ``Number()`` reads them."""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return f"{value + 0.0:.6g}"  # + 0.0 turns −0 into 0


def check_format(call: str, values: np.ndarray, digits: int | None, decimal: str) -> int:
    """The digits after the decimal mark: as asked for, else 0 for integers and masks and 2 for other numbers.

    Raises ValueError if ``digits`` is not 0 … 6 or ``decimal`` is neither a point nor a comma.
    """
    check_decimal(call, decimal)
    if digits is None:
        return 0 if values.dtype.kind == "i" else 2
    if isinstance(digits, bool) or digits not in range(7):
        raise ValueError(f"{call}: digits is {digits!r}; write a whole number from 0 to 6")
    return int(digits)


def check_decimal(call: str, decimal: str) -> None:
    """Raises ValueError if ``decimal`` is neither a point nor a comma."""
    if decimal not in (".", ","):
        raise ValueError(f'{call}: decimal is {decimal!r}; write decimal="." or decimal=","')
