"""Social cards: the picture that messengers show beside a link. Drawn from a page's title and description.

The pattern is an attention map: a causal one over positions encoded as in Vaswani et al. (2017), §3.5.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import io
import math
import runpy
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from pathlib import Path

from lessonkit.entries import EntryStore
from lessonkit.figures import PALETTE
from lessonkit.versions import engine_changed, engine_digest, python_digest

SIZE = WIDTH, HEIGHT = 1200, 630
"""Pixels; what messengers crop least."""
MARGIN = 72
TITLE_SIZES = (84, 72, 62, 54, 48, 42)
TITLE_LINES, DESCRIPTION_LINES = 3, 5
TEXT_SIZE, NAME_SIZE = 32, 30
TOKENS, ENCODING = 7, 16
CELL, GAP = 42, 6
MAP_SIDE = TOKENS * (CELL + GAP) - GAP
COLUMN = WIDTH - 3 * MARGIN - MAP_SIDE
"""Width of the text, left of the map."""
COLORS = 64
"""Colours of the file: letters need shades, and there is little else."""


@dataclass(frozen=True)
class Card:
    """What a card says."""

    file: str
    """Relative to the site's root."""
    name: str
    """Of the course, in the page's language."""
    title: str
    description: str


def write_cards(site: Path, cards: Iterable[Card], store: Path) -> None:
    """Write the cards into the folder `site`; those whose words have not changed come from the store."""
    entries = EntryStore(store)
    for card in cards:
        key = _key(card)
        picture = entries.load(key)
        if picture is None:
            picture = draw_card(card)
            if not engine_changed():
                entries.save(key, picture)
        path = site / card.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
    entries.sweep()


def _key(card: Card) -> str:
    parts = (astuple(card)[1:], engine_digest(), python_digest(), PALETTE.read_bytes())
    return hashlib.blake2b(repr(parts).encode(), digest_size=20).hexdigest()


def draw_card(card: Card) -> bytes:
    """The card as a PNG of `SIZE`: the same bytes for the same words."""
    from PIL import Image, ImageDraw  # a warm build draws nothing

    colors = {name: color.light for name, color in runpy.run_path(str(PALETTE))["COLORS"].items()}
    image = Image.new("RGB", SIZE, colors["paper"])
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 16, HEIGHT), fill=colors["weight"])
    _draw_map(draw, WIDTH - MARGIN - MAP_SIDE, (HEIGHT - MAP_SIDE) // 2, colors)
    if card.name != card.title:
        draw.text((MARGIN, MARGIN), card.name, colors["weight"], _font(NAME_SIZE, bold=True))
    title, size = _fit_title(card.title, COLUMN)
    y = MARGIN + NAME_SIZE + 34
    for line in title:
        draw.text((MARGIN, y), line, colors["ink"], _font(size, bold=True))
        y += round(size * 1.16)
    y += 26
    room = min(DESCRIPTION_LINES, (HEIGHT - MARGIN - y) // round(TEXT_SIZE * 1.4))
    for line in _shorten(_wrap(card.description, _font(TEXT_SIZE).getlength, COLUMN), room):
        draw.text((MARGIN, y), line, colors["muted"], _font(TEXT_SIZE))
        y += round(TEXT_SIZE * 1.4)
    file = io.BytesIO()
    image.quantize(COLORS, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_map(draw, left: int, top: int, colors: dict[str, str]) -> None:
    weight, grid = _rgb(colors["weight"]), _rgb(colors["paper"])
    for row, weights in enumerate(causal_weights(TOKENS)):
        for column, share in enumerate(weights):
            x, y = left + column * (CELL + GAP), top + row * (CELL + GAP)
            box = (x, y, x + CELL, y + CELL)
            if column > row:
                draw.rounded_rectangle(box, 6, outline=colors["grid"], width=2)
                continue
            strength = 0.12 + 0.88 * share
            fill = tuple(round(there + (here - there) * strength) for here, there in zip(weight, grid, strict=True))
            draw.rounded_rectangle(box, 6, fill=fill)


def causal_weights(tokens: int) -> list[list[float]]:
    """Attention among positions that see themselves and what is before them: softmax(PE·PEᵀ/√d) below the diagonal."""
    frequencies = [10000 ** (-pair / ENCODING) for pair in range(0, ENCODING, 2)]
    codes = [[wave(place * f) for f in frequencies for wave in (math.sin, math.cos)] for place in range(tokens)]
    rows = []
    for row, query in enumerate(codes):
        dots = [sum(q * k for q, k in zip(query, key, strict=True)) for key in codes[: row + 1]]
        exps = [math.exp(dot / math.sqrt(ENCODING)) for dot in dots]
        rows.append([e / sum(exps) for e in exps] + [0.0] * (tokens - row - 1))
    return rows


def _fit_title(title: str, width: int) -> tuple[list[str], int]:
    """The title's lines in the greatest size in which they fit."""
    for size in TITLE_SIZES:
        length = _font(size, bold=True).getlength
        lines = _wrap(title, length, width)
        if len(lines) <= TITLE_LINES and max(map(length, lines)) <= width:
            break
    return _shorten(lines, TITLE_LINES), size


def _wrap(text: str, length: Callable[[str], float], width: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and length(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _shorten(lines: list[str], room: int) -> list[str]:
    if len(lines) <= room:
        return lines
    return [*lines[: room - 1], lines[room - 1].rstrip(" ,.;:—") + "…"] if room > 0 else []


def _rgb(color: str) -> tuple[int, int, int]:
    return tuple(bytes.fromhex(color.removeprefix("#")))


@functools.cache
def _font(size: int, bold: bool = False):
    """DejaVu Sans, which matplotlib brings along: it has both alphabets, and is the same on every machine."""
    from PIL import ImageFont

    folder = Path(importlib.util.find_spec("matplotlib").origin).parent / "mpl-data/fonts/ttf"
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(folder / name), size, layout_engine=ImageFont.Layout.BASIC)
