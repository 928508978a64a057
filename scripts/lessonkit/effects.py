"""What an expression of a page could have changed in a program, as one number to compare before and after."""

from __future__ import annotations

import io
import pickle
import sys
import zlib
from collections.abc import Iterable

OPEN_MODULES = ("builtins", "collections", "random", "array", "decimal", "fractions", "numpy", "__main__")
"""Modules, with those below them, whose objects are looked into; of others only the identity counts."""


def state_of(namespace: dict, course: Iterable[str]) -> int:
    """A number that changes when a program's data change.

    Lists, dicts, sets, arrays, random generators, objects of the program's and the course's own classes are
    looked into; functions, modules and objects of other libraries (which may fill caches of their own when
    they are merely read) count by their identity. The hidden random states of numpy and of Python, and the
    open figures, belong to it.

    Args:
        course: names of top-level modules of the project that the program has loaded.
    """
    opened = frozenset([*OPEN_MODULES, *course])
    found = 0
    for name, value in [*namespace.items(), *_hidden()]:
        found = zlib.crc32(f"{name} {id(value) if name in namespace else ''} ".encode(), found)
        found = _add(value, opened, found)
    return found


def _hidden() -> Iterable[tuple[str, object]]:
    """What a program changes without naming it."""
    get = sys.modules.get
    if get("random"):
        yield "random state", get("random").getstate()
    if get("numpy.random"):
        yield "numpy's random state", get("numpy.random").get_state(legacy=False)
    if get("matplotlib._pylab_helpers"):
        yield "open figures", list(get("matplotlib._pylab_helpers").Gcf.figs)
    if get("vis.figure"):
        yield "drawn figures", len(getattr(get("vis.figure"), "_drawn", ()))


def _add(value: object, opened: frozenset[str], found: int) -> int:
    """`found` with the content of `value`; unchanged if it cannot be written down."""
    file = io.BytesIO()
    buffers: list[pickle.PickleBuffer] = []
    try:
        _Pickler(file, opened, buffers).dump(value)
        for buffer in buffers:
            found = zlib.crc32(buffer.raw(), found)
    except Exception:  # too deep, or a class with an idea of its own how to be pickled
        return found
    return zlib.crc32(file.getbuffer(), found)


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, opened: frozenset[str], buffers: list[pickle.PickleBuffer]) -> None:
        super().__init__(file, 5, buffer_callback=buffers.append)
        self._opened = opened

    def reducer_override(self, thing: object) -> object:
        if thing is int:
            return NotImplemented  # what stands for the closed ones is made of it
        kind = type(thing)
        module = kind.__module__.partition(".")[0] if isinstance(kind.__module__, str) else ""
        closed = module not in self._opened or isinstance(thing, type) or callable(thing)
        return (int, (id(thing),)) if closed else NotImplemented
