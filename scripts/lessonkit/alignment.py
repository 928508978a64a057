"""Which items of two sequences belong together, when some were added, dropped or changed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher

Keys = Sequence[Hashable]


def align(*levels: tuple[Keys, Keys]) -> list[tuple[int | None, int | None]]:
    """Pairs of indexes of an old and a new sequence, in order; None stands for an item without a partner.

    Each level gives the keys of all items of both sequences, the strictest level first. Items with equal keys
    are partners. What was replaced by something else is aligned by the next level, if there is one, else
    paired from its beginning: each item was changed.
    """
    old, new = levels[0]
    return _align(levels, range(len(old)), range(len(new)))


def _align(levels, olds: range, news: range) -> list[tuple[int | None, int | None]]:
    pairs: list[tuple[int | None, int | None]] = []
    old, new = levels[0]
    matcher = SequenceMatcher(None, [old[i] for i in olds], [new[i] for i in news], autojunk=False)
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        left, right = olds[old_start:old_end], news[new_start:new_end]
        if kind == "replace" and len(levels) > 1:
            pairs += _align(levels[1:], left, right)
            continue
        paired = min(len(left), len(right))
        pairs += zip(left, right, strict=False)
        pairs += [(index, None) for index in left[paired:]]
        pairs += [(None, index) for index in right[paired:]]
    return pairs
