"""Figures: taken from a running program as SVG, and made ready to stand in a page in both themes.

A program draws in its light colours. On a page the house colours (`vis.palette`) and matplotlib's defaults
become CSS variables, so that one SVG serves both themes (docs/assets/css: palette.css, figures.css). What a
colormap paints keeps its colours, and so does the text on it.
"""

from __future__ import annotations

import functools
import html
import io
import re
import runpy
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PALETTE = Path(__file__).resolve().parents[2] / "snippets" / "vis" / "palette.py"

# ---- In the program's process ------------------------------------------------------------------------------

# Whatever the program has set: the same bytes in every run (salt), one file (images inline), letters as
# outlines, because the reader's fonts are unknown.
_SETTINGS = {"svg.hashsalt": "lesson", "svg.image_inline": True, "svg.fonttype": "path", "svg.id": None}
_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_FIXED = "lesson-fixed-colours-"


def open_figures() -> list[str]:
    """Raw SVG of the figures that are open now, matplotlib's and vis's, in drawing order; closes them.

    Neither library is imported for this: a program that has not loaded one has no figure of it. Raises
    whatever matplotlib raises when a figure cannot be drawn (a formula in a title, say); all of them are
    closed even then.
    """
    pyplot = sys.modules.get("matplotlib.pyplot")
    numbers = pyplot.get_fignums() if hasattr(pyplot, "get_fignums") else []
    collect = getattr(sys.modules.get("vis"), "collect", list)
    drawn = [(figure.after_matplotlib, 1, figure.svg) for figure in collect()]
    try:
        drawn += [(number, 0, _save(pyplot.figure(number))) for number in numbers]
    finally:
        for number in numbers:
            pyplot.close(number)
    return [svg for _, _, svg in sorted(drawn, key=lambda item: item[:2])]


def _save(figure: Any) -> str:
    matplotlib = sys.modules["matplotlib"]
    settings = {name: value for name, value in _SETTINGS.items() if name in matplotlib.rcParams}
    text = io.StringIO()
    with matplotlib.rc_context(settings), _marked(list(_painted_by_colormaps(figure))):
        figure.savefig(text, format="svg", metadata=_METADATA)
    return _GROUP.sub(_fix_colours, text.getvalue())


def _painted_by_colormaps(figure: Any) -> Iterator[Any]:
    """What a colormap paints, and the texts that stand on such an area."""
    collections = sys.modules["matplotlib.collections"]
    for axes in _all_axes(figure.axes):
        mapped = [item for item in axes.collections if item.get_array() is not None]
        yield from mapped
        areas = (collections.QuadMesh, collections.PolyCollection)
        if axes.images or any(isinstance(item, areas) or getattr(item, "filled", False) for item in mapped):
            for text in axes.texts:
                if axes.bbox.contains(*text.get_transform().transform(text.get_position())):
                    yield text


def _all_axes(axes: Iterable[Any]) -> Iterator[Any]:
    """With those inside others. Not by `findobj`, which makes every tick that drawing may not need."""
    for one in axes:
        yield one
        yield from _all_axes(one.child_axes)


@contextmanager
def _marked(artists: list[Any]) -> Iterator[None]:
    """The artists' groups in the SVG get ids that tell them; afterwards the artists are as before."""
    before = [artist.get_gid() for artist in artists]
    for index, artist in enumerate(artists):
        artist.set_gid(f"{_FIXED}{index}")
    try:
        yield
    finally:
        for artist, gid in zip(artists, before, strict=True):
            artist.set_gid(gid)


# matplotlib indents: a group ends at the first </g> as deep as its beginning.
_GROUP = re.compile(rf'^( *)<g id="{_FIXED}\d+">\n(.*?)^\1</g>', re.M | re.S)
_HEX = re.compile("#[0-9a-f]{6}")


def _fix_colours(group: re.Match) -> str:
    """Colours in a form that `inline` leaves alone. Black is SVG's default: matplotlib does not write it."""
    indent, content = group.groups()
    return f'{indent}<g fill="rgb(0,0,0)">\n{_HEX.sub(_fixed, content)}{indent}</g>'


def _fixed(colour: re.Match) -> str:
    upper = colour[0].upper()
    return upper if upper != colour[0] else "rgb({},{},{})".format(*bytes.fromhex(upper[1:]))


# ---- For the page ------------------------------------------------------------------------------------------

# matplotlib's defaults: text and lines, ground, grid, frame of the legend, and the ten colours of its cycle.
_DEFAULTS = {
    "#000000": "var(--vis-ink)",
    "#ffffff": "var(--vis-paper)",
    "#b0b0b0": "var(--vis-grid)",
    "#cccccc": "var(--vis-grid)",
    **{colour: f"var(--figure-c{number})" for number, colour in enumerate((
        "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22",
        "#17becf"))},
}
_SMALLEST_SCALE = 0.66  # down to this a figure shrinks on a phone: type of 12 pt is 10.5 px then; else its box scrolls
_ROOT = re.compile(r"<svg\b([^>]*)>")
_UNSEEN = re.compile(r"<!--.*?-->|<metadata>.*?</metadata>|<defs>\s*<style[^>]*>\*\{[^}]*\}</style>\s*</defs>"
                     r"|(?<=>)\s+(?=<)", re.S)
_WORDS = re.compile(r"<!--(.*?)-->|<(?:text|tspan|title)\b[^>]*>([^<]*)<", re.S)
_STYLE = re.compile(r"(<style[^>]*>)(.*?)(</style>)", re.S)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_BEYOND_HUNDREDTHS = re.compile(r"(?<=\.\d\d)\d+")
_GREY = re.compile(r"#([0-9a-f]{2})\1\1")
_ATTRIBUTE = re.compile(r'\s+([\w:.-]+)="([^"]*)"')
_REFERENCE = re.compile(r"#([\w.:-]+)|aria-\w+=\"([^\"]*)\"")
_DEFINITIONS = re.compile(r"<defs>(.*?)</defs>", re.S)
_OUTLINE = re.compile(r'<path id="(?P<id>[^"]+)" (?P<outline>d="[^"]*"(?: transform="[^"]*")?)/>')
_COLOUR_ATTRIBUTES = {"fill", "stroke", "color", "stop-color", "flood-color", "lighting-color"}
_UNITS = {"": 1, "px": 1, "pt": 4 / 3, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4}
# SVG's default for filling is black. matplotlib's own rule for lines would hold for the whole page.
_LINES = "stroke-linejoin:round;stroke-linecap:butt"
_INHERITED = f"fill:var(--vis-ink);{_LINES}"
_HOUSE_COLOUR = re.compile(r"var\(--vis-[a-z]+,(#[0-9a-f]{6})\)")


def words(svg: str) -> list[str]:
    """What a figure says, each text once: letters that matplotlib draws as outlines stand in a comment beside them."""
    found = (html.unescape(comment or text) for comment, text in _WORDS.findall(svg))
    return list(dict.fromkeys(text.strip() for text in found if text.strip()))


def inline(svg: str, *, prefix: str) -> str:
    """An SVG ready to stand in a page.

    Its ids, and what refers to them, begin with `prefix`; ids that nothing refers to are left out; colours follow
    the theme; it is as wide as it was drawn, or as its box if that is narrower. The same input gives the same
    output. Raises ValueError if there is no <svg>.
    """
    root = _ROOT.search(svg)
    if not root:
        raise ValueError("a figure must be an <svg> element")
    needed = {name for found in _REFERENCE.findall(svg) for part in found for name in part.split()}
    rewriter = _Rewriter(prefix, needed=needed)
    attributes = _root_attributes(dict(_ATTRIBUTE.findall(root[1])))
    body = _ATTRIBUTE.sub(rewriter, _UNSEEN.sub("", svg[root.end():]))
    if "<style" in body:
        needed.add(attributes.setdefault("id", "figure"))
        body = _STYLE.sub(lambda m: m[1] + rewriter.rules(m[2], attributes["id"]) + m[3], body)
    return f"<svg{''.join(rewriter.attribute(*item) for item in attributes.items())}>{body.strip()}"


def standalone(svg: str, *, prefix: str, alt: str) -> str:
    """An SVG for other programs, notebooks above all: in its light colours, named by its alt text.

    Its ids begin with `prefix`, since the figures of a notebook share one page. Raises ValueError if there is
    no <svg>.
    """
    root = _ROOT.search(svg)
    if not root:
        raise ValueError("a figure must be an <svg> element")
    rewriter = _Rewriter(prefix, lambda colour: colour)
    attributes = dict(_ATTRIBUTE.findall(root[1])) | {"aria-label": html.escape(alt)}
    attributes.setdefault("role", "img")
    attributes["style"] = f"{attributes.get('style', 'max-width:100%;height:auto')};{_LINES}"
    body = _ATTRIBUTE.sub(rewriter, _UNSEEN.sub("", svg[root.end():]))
    figure = f"<svg{''.join(rewriter.attribute(*item) for item in attributes.items())}>{body.strip()}"
    return _HOUSE_COLOUR.sub(r"\1", figure)


def share_outlines(page: str) -> str:
    """A page's HTML where every outline that its figures define repeatedly is defined once, at the end.

    These are letters above all: matplotlib draws them, and each of its figures brings its own.
    """
    counts = Counter(found["outline"] for block in _DEFINITIONS.findall(page) for found in _OUTLINE.finditer(block))
    shared = {outline: f"outline-{number}" for number, (outline, times) in enumerate(counts.items()) if times > 1}
    if not shared:
        return page
    moved = {}

    def take(definitions: re.Match) -> str:
        def one(found: re.Match) -> str:
            if found["outline"] not in shared:
                return found[0]
            moved[found["id"]] = shared[found["outline"]]
            return ""

        left = _OUTLINE.sub(one, definitions[1])
        return f"<defs>{left}</defs>" if left else ""

    page = _DEFINITIONS.sub(take, page)
    page = re.sub(r'(?<=xlink:href="#)([^"]+)', lambda found: moved.get(found[1], found[1]), page)
    paths = "".join(f'<path id="{name}" {outline}/>' for outline, name in shared.items())
    return f'{page}<svg class="shared-outlines" aria-hidden="true" width="0" height="0"><defs>{paths}</defs></svg>'


def figure_html(svg: str, alt: str) -> str:
    """An inlined SVG as a figure whose alt text screen readers say once.

    A figure of vis has a role of its own (a table of its numbers): there the alt text names the <figure>.
    """
    label = html.escape(alt)
    root = _ROOT.search(svg)
    if root and ' role="' in root[1]:
        name = f' aria-label="{label}"'
    else:
        name = ""
        svg = svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    return f'<figure class="lesson-figure"{name}><div class="lesson-figure__box">{svg}</div></figure>'


def _root_attributes(attributes: dict[str, str]) -> dict[str, str]:
    """Those of the <svg> itself, with its size in CSS pixels: the page keeps the place before it is drawn."""
    kept = {name: value for name, value in attributes.items() if not re.match("xmlns|version$", name)}
    width, height = (_pixels(kept.get(name, "")) for name in ("width", "height"))
    if width and height:
        kept |= {"width": _number(width), "height": _number(height)}
        kept.setdefault("viewBox", f"0 0 {kept['width']} {kept['height']}")
        size = f"max-width:100%;height:auto;min-width:{width * _SMALLEST_SCALE:.0f}px"
        kept.setdefault("style", f"{size};{_INHERITED}")
    return kept


def _pixels(length: str) -> float | None:
    """A CSS length in pixels; None if it is relative or missing."""
    match = re.fullmatch(r"([\d.]+)(px|pt|in|cm|mm)?", length)
    return float(match[1]) * _UNITS[match[2] or ""] if match else None


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


class _Rewriter:
    """Rewrites the attributes of one SVG."""

    def __init__(
        self, prefix: str, paint: Callable[[str], str] | None = None, needed: set[str] | None = None
    ) -> None:
        """`paint`: what becomes of a colour; it follows the theme unless this is given. `needed`: the ids to keep."""
        self._prefix = prefix
        self._needed = needed
        self._url = f"url(#{prefix}"
        self._paint = paint or _paint(PALETTE.stat().st_mtime_ns)
        self._style: Callable[[str], str] = functools.cache(self._rewrite_style)

    def __call__(self, match: re.Match) -> str:
        return self.attribute(match[1], match[2])

    def attribute(self, name: str, value: str) -> str:
        if name == "d":
            value = _shorten_path(value)
        elif name in ("x", "y"):
            value = _BEYOND_HUNDREDTHS.sub("", value)
        elif name == "style":
            value = self._style(value)
        elif name in _COLOUR_ATTRIBUTES:
            value = self._paint(value)
        elif name == "id":
            if self._needed is not None and value not in self._needed:
                return ""
            value = self._prefix + value
        elif name in ("href", "xlink:href"):  # always the latter: Material takes what has href for a link
            name = "xlink:href"
            value = f"#{self._prefix}{value[1:]}" if value.startswith("#") else value
        elif name in ("aria-labelledby", "aria-describedby"):
            value = " ".join(self._prefix + word for word in value.split())
        return f' {name}="{value.replace("url(#", self._url)}"'

    def rules(self, sheet: str, root: str) -> str:
        """A <style> element's rules, for this figure only: they would hold for the whole page."""
        def rule(match: re.Match) -> str:
            selectors = (part.strip().replace("#", f"#{self._prefix}") for part in match[1].split(","))
            scoped = ",".join(f"#{self._prefix}{root} {selector}" for selector in selectors)
            return f"{scoped}{{{self._style(match[2])}}}"

        return _RULE.sub(rule, sheet)

    def _rewrite_style(self, style: str) -> str:
        declarations = (part.partition(":") for part in style.split(";") if part.strip())
        return ";".join(f"{name.strip()}:{self._paint(value.strip())}" for name, _, value in declarations)


@functools.lru_cache(maxsize=2)
def _paint(_palette_version: int) -> Callable[[str], str]:
    """Colour → what stands on the page. Only whole values of the form #rrggbb, matplotlib's, change."""
    # Not imported: the package vis brings numpy, which the build does not need.
    sentinels = runpy.run_path(str(PALETTE))["SENTINELS"]
    colours = _DEFAULTS | {colour: f"var({variable})" for colour, variable in sentinels.items()}

    def paint(value: str) -> str:
        if value in colours:
            return colours[value]
        if grey := _GREY.fullmatch(value):  # stays as far from ink and paper as it was
            ink = round(100 - int(grey[1], 16) / 2.55)
            return f"color-mix(in srgb,var(--vis-ink) {ink}%,var(--vis-paper))"
        return value

    return functools.cache(paint)


def _shorten_path(path: str) -> str:
    """Without matplotlib's line ends and what lies beyond hundredths of a point: half of a curve's length."""
    path = _BEYOND_HUNDREDTHS.sub("", path).replace(" \n", " ").replace("\n", " ").strip()
    for command in "MLQCz":  # replace is ten times as fast as one regular expression
        path = path.replace(f" {command}", command).replace(f"{command} ", command)
    return path
