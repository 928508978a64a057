"""Figures in a notebook: shown when drawn, and only once.

A figure that is not the last expression of its cell would otherwise never be seen. One that is would be seen
twice: at once, and as the cell's value.
"""

from __future__ import annotations

import sys
from typing import Any

_SVG = "image/svg+xml"
_shown_at: tuple[int, list[Any]] = (-1, [])  # number of the running cell, and the figures it has shown


def _shell() -> Any:
    """The running IPython shell if its front end shows SVG (a terminal does not). Never imports IPython."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = get_ipython() if get_ipython else None
    return shell if _SVG in getattr(getattr(shell, "display_formatter", None), "active_types", ()) else None


def show(figure: Any) -> None:
    """Show a figure that has just been drawn. Outside a notebook nothing happens."""
    global _shown_at
    shell = _shell()
    if shell is None:
        return
    cell, shown = _shown_at
    _shown_at = (shell.execution_count, [*(shown if cell == shell.execution_count else []), figure])
    shell.display_pub.publish(data={_SVG: figure.svg, "text/plain": repr(figure)}, metadata={})


def is_repeat(figure: Any) -> bool:
    """Whether the cell that runs drew the figure, so that it already stands above its value."""
    shell = _shell()
    cell, shown = _shown_at
    return shell is not None and cell == shell.execution_count and any(figure is other for other in shown)
