"""The house colours: one table for figures, formulas, scenes and text.

Hues come from Okabe and Ito's palette for colour-blind readers (blue for queries, vermilion for keys, bluish
green for values, purple for weights), moved in lightness until each can be read as text on both themes and
the four roles stay apart in simulated protanopia, deuteranopia and tritanopia.
tests/snippets/test_palette.py measures all of it.

The light hexes are also *sentinels*: whoever puts a figure of matplotlib on a page replaces each of them by
its CSS variable. Therefore none is a colour that matplotlib uses by itself (paper is one step beside white).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Color:
    """A house colour in both themes, as lower-case ``#rrggbb``, the form in which matplotlib writes it."""

    name: str
    light: str
    dark: str

    @property
    def variable(self) -> str:
        """The CSS variable that carries the colour on a page: ``--vis-ink``."""
        return f"--vis-{self.name}"

    @property
    def paint(self) -> str:
        """What an SVG attribute holds: the variable, and the light colour where no page defines it."""
        return f"var({self.variable},{self.light})"


PALETTE: tuple[Color, ...] = (
    Color("ink", "#16181d", "#eef0f5"),  # titles, labels, numbers
    Color("muted", "#606772", "#a2a9b5"),  # secondary text, axes
    Color("grid", "#d6dae2", "#3d434d"),  # thin lines behind the marks
    Color("paper", "#fffffe", "#1e2129"),  # the ground: that of the page
    Color("query", "#00557d", "#78cbff"),
    Color("key", "#c94a00", "#ff983c"),
    Color("value", "#0c826c", "#02a387"),
    Color("weight", "#9041c4", "#b569ef"),
    Color("negative", "#935a00", "#c57b08"),  # the other end of a diverging scale
    Color("azure", "#006edd", "#5e9ffe"),  # azure to slate: series that are none of the four roles
    Color("rose", "#d12d61", "#fb7191"),
    Color("olive", "#687600", "#9baf2d"),
    Color("slate", "#5d6879", "#99a6b8"),
)

COLORS: dict[str, Color] = {color.name: color for color in PALETTE}

SENTINELS: dict[str, str] = {color.light: color.variable for color in PALETTE}
"""Light hex → CSS variable, for example ``#9041c4`` → ``--vis-weight``."""

ROLES = ("query", "key", "value", "weight")
SERIES = ("azure", "rose", "olive", "slate")
MARKS = (*ROLES, *SERIES, "negative", "ink", "muted")
"""The names with which a mark may be painted; paper and grid would not be seen."""


def color(name: str) -> str:
    """The light hex of a house colour, for matplotlib: ``ax.plot(x, y, color=vis.color("query"))``.

    On a page the figure follows the reader's theme, because the hex is replaced by its CSS variable there.
    Raises ValueError for a name that the palette does not have.
    """
    if name not in COLORS:
        raise ValueError(f"vis.color: {name!r} is no house colour; there are {', '.join(COLORS)}")
    return COLORS[name].light
