"""Elements of SVG as strings, and the frame that all figures share.

How the numbers reach readers who do not see. The root is a table with ``aria-label``, each row of marks a
row, each mark a cell whose ``<title>`` is its name: "banco → jardín: 0.60". A screen reader announces the
title once and then walks the numbers cell by cell; a root with ``role="img"`` would hide them all behind one
name. Everything that is only for the eye (printed labels and numbers, the visible title) is ``aria-hidden``,
so nothing is heard twice. A page gives its alt text to the surrounding ``<figure aria-label="…">`` and
leaves the SVG as it is. The same ``<title>`` is what the mouse shows.

There are no ids (two figures on a page could share one), so no ``<use>``, gradients or ``aria-labelledby``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from vis.lettering import widest, wrap
from vis.palette import COLORS

TITLE_SIZE = 16
LABEL_SIZE = 15
NUMBER_SIZE = 13
NATURAL_WIDTH = 340  # fits the text column of a phone that is 390 px wide; what needs more grows beyond it
_MARGIN = 8
_LINE_HEIGHT = 22  # of the title
_BOLD = 1.12  # how much wider than estimated the title's bold type may be
_SMALLEST_SCALE = 0.8  # a wide figure shrinks no further on a phone, then its box scrolls: type stays > 10 px
_SMALLEST_WIDTH = 280

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str) -> str:
    """The text for an element or an attribute; what XML cannot hold (control characters) becomes U+FFFD."""
    return re.sub('[&<>"]', lambda found: _ESCAPES[found[0]], _NOT_XML.sub("\ufffd", text))


def coordinate(value: float) -> str:
    """A number for an attribute, with at most two decimals: 3.14159 → ``3.14``, 12.0 → ``12``."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(name: str, *children: str, **attributes: str | float | None) -> str:
    """``element("g", a, b, fill="red", data_row=1)`` → ``<g fill="red" data-row="1">ab</g>``.

    Children are markup. Attributes are escaped; ``_`` in their names becomes ``-``; None leaves one out.
    """
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            text = escape(value) if isinstance(value, str) else coordinate(value)
            parts.append(f'{key.rstrip("_").replace("_", "-")}="{text}"')
    opening = " ".join(parts)
    return f"<{opening}>{''.join(children)}</{name}>" if children else f"<{opening}/>"


def words(text: str, x: float, y: float, **attributes: str | float | None) -> str:
    """A line of text with its baseline at (x, y), from there to the right unless ``text_anchor`` differs."""
    return element("text", escape(text), x=x, y=y, **attributes)


def unseen(*children: str, **attributes: str | float | None) -> str:
    """A group for the eye only: a screen reader passes it over, the mouse reaches the marks below it."""
    return element("g", *children, aria_hidden="true", pointer_events="none", **attributes)


def frame(kind: str, title: str, width: float, height: float, elements: Iterable[str]) -> str:
    """A whole figure: paper, visible title, below it, centred, elements that fill (0, 0) … (width, height).

    The paper is painted, not transparent: where no page defines the variables (a notebook with a dark theme)
    dark text must not stand on a dark ground.
    """
    lines = wrap(title, TITLE_SIZE * _BOLD, max(width, NATURAL_WIDTH))
    total_width = round(max(width, widest(lines, TITLE_SIZE * _BOLD)) + 2 * _MARGIN)
    head = len(lines) * _LINE_HEIGHT + (8 if lines else 0)
    total_height = round(head + height + 2 * _MARGIN)
    ink = COLORS["ink"].paint
    # Where a wide figure scrolls its middle may be out of sight: the title starts at the left.
    scrolls = total_width * _SMALLEST_SCALE > NATURAL_WIDTH + 2 * _MARGIN
    x, anchor = (_MARGIN, "start") if scrolls else (total_width / 2, "middle")
    heading = (words(line, x, _MARGIN + 15 + _LINE_HEIGHT * i, text_anchor=anchor, font_size=TITLE_SIZE,
                     font_weight="600", fill=ink) for i, line in enumerate(lines))
    paper = element("rect", width=total_width, height=total_height, fill=COLORS["paper"].paint)
    shift = f"translate({coordinate((total_width - width) / 2)},{_MARGIN + head})"
    least = min(total_width, max(_SMALLEST_WIDTH, round(total_width * _SMALLEST_SCALE)))
    return element(
        "svg", unseen(paper, *heading), element("g", *elements, transform=shift, fill=ink),
        xmlns="http://www.w3.org/2000/svg", class_="vis", data_kind=kind, role="table",
        aria_label=title or None,
        width=total_width, height=total_height, viewBox=f"0 0 {total_width} {total_height}",
        font_family="sans-serif", font_size=LABEL_SIZE,
        style=f"max-width:100%;height:auto;min-width:{least}px")


def standalone(svg: str) -> str:
    """The figure in plain light colours, for programs that know no CSS variables (Inkscape, LibreOffice)."""
    return re.sub(r"var\(--vis-[a-z]+,(#[0-9a-f]{6})\)", r"\1", svg)
