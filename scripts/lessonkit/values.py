"""What an expression of a page gives in a program's namespace, as numbers or text that a page can show."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from types import CodeType

from lessonkit.results import Value

MOST_NUMBERS = 10_000
MOST_DIGITS = 1_000
"""Python refuses to write integers of more than 4300 digits as text; nobody reads a fourth of that."""


class Questions:
    """Expressions that are asked of a program at one moment, and must have no effect on it."""

    def __init__(
        self,
        expressions: Sequence[str],
        namespace: dict,
        flags: int,
        state: Callable[[], int],
        note: Callable[[int], None],
    ) -> None:
        """Nothing is evaluated yet.

        Args:
            flags: the program's `from __future__` imports, for `compile`.
            state: a number that changes when the program's data change or something is printed.
            note: told the index of each expression before it is evaluated.
        """
        self._expressions = expressions
        self._names = namespace
        self._flags = flags
        self._state = state
        self._note = note

    def answer_all(self) -> list[Value] | None:
        """All answers if none of the expressions has an effect that shows; None if each must be asked alone.

        They are evaluated in order and once more in reverse order: whatever one of them does to another
        gives two different values.
        """
        codes = [self._compile(expression) for expression in self._expressions]
        names, before = dict(self._names), self._state()
        order = range(len(codes))
        values: dict[int, Value] = {}
        for index in [*order, *reversed(order)]:
            code = codes[index]
            value = code if isinstance(code, Value) else self._evaluate(index, code)
            if value.error or repr(values.setdefault(index, value)) != repr(value):
                return None
        if not _same_names(names, self._names) or self._state() != before:
            return None
        return [values[index] for index in order]

    def answer(self, index: int, printed: Callable[[], int]) -> Value:
        """The answer to one expression, or what is wrong with it.

        It is evaluated twice: whoever draws random numbers, takes from an iterator or counts gives two
        different values. `printed` says how much was printed so far.
        """
        code = self._compile(self._expressions[index])
        if isinstance(code, Value):
            return code
        names, before, output = dict(self._names), self._state(), printed()
        first = self._evaluate(index, code)
        second = first if first.error and printed() == output else self._evaluate(index, code)
        if printed() != output:
            return Value(error="it prints something, which is an effect: ask for a value")
        if not _same_names(names, self._names):
            return Value(error="it changes the program's variables")
        if repr(first) != repr(second):
            return Value(
                error=f"it gives another value each time ({_describe(first)}, then {_describe(second)})"
            )
        if self._state() != before and not first.error:
            return Value(
                error="it changes the program's data, random numbers or figures: "
                "do that in the program, and ask for what it gave"
            )
        return first

    def _compile(self, expression: str) -> CodeType | Value:
        try:
            tree = ast.parse(expression, "<page>", "eval")
            if any(isinstance(node, ast.NamedExpr) for node in ast.walk(tree)):
                return Value(error="it assigns with :=, which has an effect on the program")
            return compile(tree, "<page>", "eval", flags=self._flags, dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            return Value(error=f"SyntaxError: {getattr(error, 'msg', None) or error}")

    def _evaluate(self, index: int, code: CodeType) -> Value:
        self._note(index)
        try:
            return value_of(eval(code, self._names))
        except BaseException as error:
            return Value(error=": ".join(filter(None, [type(error).__name__, _first_line(error)])))


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
        if isinstance(thing, int):
            _check_length(thing)
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


def _check_length(number: int) -> None:
    digits = int(number.bit_length() * math.log10(2)) + 1
    if digits > MOST_DIGITS:
        raise _NoNumbers(
            f"it is a number of about {digits} digits, too long for a page (at most {MOST_DIGITS}): "
            "ask for its logarithm, or for a part"
        )


def _same_names(before: dict, after: dict) -> bool:
    return before.keys() == after.keys() and all(after[name] is value for name, value in before.items())


def _first_line(error: BaseException) -> str:
    try:
        lines: Iterable[str] = str(error).splitlines()
    except Exception:  # a class of the program's own
        return "<no text: its __str__ fails>"
    return next(iter(lines), "")


def _describe(value: Value) -> str:
    if value.numbers is None:
        return repr(value.text) if value.text is not None else str(value.error)
    shown = ", ".join(map(repr, value.numbers[:3]))
    return shown + (", …" if len(value.numbers) > 3 else "")
