"""What an expression of a page gives in a program's namespace, as numbers or text that a page can show."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable

from lessonkit.results import Value

MOST_NUMBERS = 10_000


def ask(expression: str, namespace: dict, flags: int, printed: Callable[[], int]) -> Value:
    """Evaluate an expression that must have no effect.

    It is evaluated twice: whoever draws random numbers, takes from an iterator or counts gives two
    different values.

    Args:
        flags: the program's `from __future__` imports, for `compile`.
        printed: how much was printed so far.
    """
    try:
        tree = ast.parse(expression, "<page>", "eval")
        if any(isinstance(node, ast.NamedExpr) for node in ast.walk(tree)):
            return Value(error="it assigns with :=, which has an effect on the program")
        code = compile(tree, "<page>", "eval", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return Value(error=f"SyntaxError: {getattr(error, 'msg', None) or error}")
    names = dict(namespace)
    before = printed()
    try:
        first = value_of(eval(code, namespace))
        second = value_of(eval(code, namespace))
    except BaseException as error:
        return Value(error=": ".join(filter(None, [type(error).__name__, _first_line(error)])))
    if printed() != before:
        return Value(error="it prints something, which is an effect: ask for a value")
    if not _same_names(names, namespace):
        return Value(error="it changes the program's variables")
    if repr(first) != repr(second):
        return Value(error=f"it gives another value each time ({_describe(first)}, then {_describe(second)})")
    return first


def value_of(thing: object) -> Value:
    """`thing` as a `Value`; what cannot be shown on a page gives an error that names its type."""
    if isinstance(thing, str):
        return Value(text=str(thing))
    numbers: list[int | float] = []
    try:
        _collect(thing, numbers)
    except _NoNumbers as reason:
        return Value(error=str(reason))
    return Value(numbers=tuple(numbers))


class _NoNumbers(Exception):
    pass


def _collect(thing: object, numbers: list[int | float]) -> None:
    """Append the numbers in `thing`, in order."""
    if isinstance(thing, bool) or (_is_array(thing) and thing.dtype.kind == "b"):
        raise _NoNumbers(
            f"it is {thing}, a truth value: write int(…) to show it as 0 or 1"
            if isinstance(thing, bool)
            else "it holds truth values: write .astype(int) to show them as 0 and 1"
        )
    if isinstance(thing, (int, float)):
        numbers.append(int(thing) if isinstance(thing, int) else float(thing))
    elif _is_array(thing):
        if thing.dtype.kind not in "iuf":
            raise _NoNumbers(f"it is an array of {thing.dtype}, not of numbers")
        _check_size(len(numbers) + thing.size)
        numbers.extend(thing.ravel().tolist() if thing.dtype.itemsize <= 8 else map(float, thing.ravel()))
    elif isinstance(thing, (list, tuple, range)):
        _check_size(len(numbers) + len(thing))
        for part in thing:
            if isinstance(part, str):
                raise _NoNumbers(f"it is a {type(thing).__name__} of texts: join them into one text")
            _collect(part, numbers)
    elif _is_array(getattr(thing, "data", None)):  # a tensor of nanotorch
        _collect(thing.data, numbers)
    elif callable(getattr(thing, "detach", None)):  # a tensor of PyTorch
        _collect(thing.detach().cpu().numpy(), numbers)
    elif thing is None:
        raise _NoNumbers("it is None: the expression gives nothing")
    else:
        raise _NoNumbers(f"it is of the type {type(thing).__name__}, neither a number nor a text")


def _is_array(thing: object) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(thing, (numpy.ndarray, numpy.generic))


def _check_size(size: int) -> None:
    if size > MOST_NUMBERS:
        raise _NoNumbers(
            f"it holds {size} numbers, more than {MOST_NUMBERS}: ask for the part that the page shows"
        )


def _same_names(before: dict, after: dict) -> bool:
    return before.keys() == after.keys() and all(after[name] is value for name, value in before.items())


def _first_line(error: BaseException) -> str:
    lines: Iterable[str] = str(error).splitlines()
    return next(iter(lines), "")


def _describe(value: Value) -> str:
    if value.numbers is None:
        return repr(value.text) if value.text is not None else str(value.error)
    shown = ", ".join(map(repr, value.numbers[:3]))
    return shown + (", …" if len(value.numbers) > 3 else "")
