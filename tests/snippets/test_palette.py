"""House colours: one table for Python, CSS and matplotlib; readable in both themes by everybody."""

import io
import itertools
import re
from pathlib import Path

import matplotlib
import numpy as np
import pytest

import vis
from vis import palette
from vis.heatmap import STRONGEST

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib import colors as mpl_colors

ROOT = Path(__file__).resolve().parents[2]
CSS = (ROOT / "docs/assets/css/palette.css").read_text(encoding="utf-8")
BACKGROUNDS = {"light": "#ffffff", "dark": "#1e2129"}  # Material's default and slate
THEMES = tuple(BACKGROUNDS)


def rgb(hex_color: str) -> np.ndarray:
    return np.array([int(hex_color[i:i + 2], 16) for i in (1, 3, 5)], dtype=float)


def linear(color: np.ndarray) -> np.ndarray:
    """sRGB, 0 … 255, to linear light, 0 … 1."""
    share = color / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    """Contrast ratio of WCAG 2.2, 1 … 21."""
    low, high = sorted(float(linear(color) @ [0.2126, 0.7152, 0.0722]) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def over(top: str, ground: str, opacity: float) -> np.ndarray:
    """What a browser paints for a translucent colour: a mixture in sRGB, rounded to whole steps."""
    return np.round(rgb(ground) + (rgb(top) - rgb(ground)) * opacity)


# Machado, Oliveira, Fernandes (2009), severity 1.0, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                            [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                              [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                            [0.004733, 0.691367, 0.303900]]),
}


def oklab(light: np.ndarray) -> np.ndarray:
    """Linear RGB to Oklab (Ottosson 2020), where distances are about as large as they look."""
    to_lms = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                       [0.0883024619, 0.2817188376, 0.6299787005]])
    to_lab = np.array([[0.2104542553, 0.7936177850, -0.0040720468],
                       [1.9779984951, -2.4285922050, 0.4505937099],
                       [0.0259040371, 0.7827717662, -0.8086757660]])
    return to_lab @ np.cbrt(to_lms @ np.clip(light, 0, 1))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", palette.MARKS)
def test_every_mark_is_readable_as_text(name, theme):
    color = getattr(palette.COLORS[name], theme)
    assert contrast(rgb(color), rgb(BACKGROUNDS[theme])) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_paper_is_the_ground_of_the_page(theme):
    difference = rgb(getattr(palette.COLORS["paper"], theme)) - rgb(BACKGROUNDS[theme])
    assert abs(difference).max() <= 1  # one step, so that it is no colour of matplotlib


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", VISION)
def test_roles_stay_apart(vision, theme):
    seen = {name: oklab(VISION[vision] @ linear(rgb(getattr(palette.COLORS[name], theme))))
            for name in palette.ROLES}
    for one, other in itertools.combinations(palette.ROLES, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= 0.1, (one, other)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", VISION)
def test_the_ends_of_a_diverging_scale_stay_apart(vision, theme):
    ground = getattr(palette.COLORS["paper"], theme)
    ends = [oklab(VISION[vision] @ linear(over(getattr(palette.COLORS[name], theme), ground, STRONGEST)))
            for name in ("weight", "negative")]
    assert np.linalg.norm(ends[0] - ends[1]) >= 0.05


@pytest.mark.parametrize("theme", THEMES)
def test_numbers_read_on_cells_of_any_strength(theme):
    """Cells of a real heat map from −1 to 1, numbers printed in ink over them."""
    figure = vis.heatmap([np.linspace(-1, 1, 101)], print_numbers=True)
    cells = re.findall(r'"cell"[^>]*?(?: fill="var\(--vis-(\w+),[^"]*")? fill-opacity="([\d.]+)"', figure.svg)
    assert len(cells) == 101
    assert {name for name, _ in cells} == {"", "negative"}
    ink, paper = (getattr(palette.COLORS[name], theme) for name in ("ink", "paper"))
    painted = [over(getattr(palette.COLORS[name or "weight"], theme), paper, float(opacity))
               for name, opacity in cells]
    assert min(contrast(rgb(ink), cell) for cell in painted) >= 4.5
    assert contrast(rgb(ink), rgb(getattr(palette.COLORS["grid"], theme))) >= 4.5  # cells of infinite numbers
    for strongest in (painted[0], painted[-1]):
        assert contrast(strongest, rgb(BACKGROUNDS[theme])) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_lines_of_large_weights_stand_out(theme):
    figure = vis.attention(["a", "b"], [[0.4, 0.6]], query_tokens=["q"])
    opacities = [float(found) for found in re.findall(r'stroke-opacity="([\d.]+)"', figure.svg)]
    assert len(opacities) == 2
    assert opacities[0] < opacities[1]
    line = over(getattr(palette.COLORS["weight"], theme), BACKGROUNDS[theme], opacities[0])
    assert contrast(line, rgb(BACKGROUNDS[theme])) >= 3


def declarations(block: str) -> dict[str, str]:
    return dict(re.findall(r"(--[\w-]+):\s*([^;]+);", block))


def test_the_style_sheet_holds_the_same_colours():
    light, screen = CSS.split("@media screen {")
    selector = re.search(r":root,\s*\[data-md-color-scheme=\"default\"\] \{(.*?)\}", light, re.S)
    slate = re.search(r"\[data-md-color-scheme=\"slate\"\] \{(.*?)\}", screen, re.S)
    assert declarations(selector[1]) == {color.variable: color.light for color in palette.PALETTE}
    assert declarations(slate[1]) == {color.variable: color.dark for color in palette.PALETTE}


def test_printing_is_always_light():
    outside = re.sub(r"@media screen \{.*?\n\}", "", CSS, flags=re.S)
    assert "slate" in CSS
    assert "slate\"" not in outside


def test_sentinels_are_no_colours_of_matplotlib():
    assert len(palette.SENTINELS) == len(palette.PALETTE)
    defaults = {mpl_colors.to_hex(value) for key, value in matplotlib.rcParamsDefault.items()
                if "color" in key and mpl_colors.is_color_like(value)}
    defaults |= {mpl_colors.to_hex(entry["color"]) for entry in matplotlib.rcParamsDefault["axes.prop_cycle"]}
    tables = (mpl_colors.BASE_COLORS, mpl_colors.TABLEAU_COLORS, mpl_colors.CSS4_COLORS)
    named = {mpl_colors.to_hex(value) for table in tables for value in table.values()}
    assert not set(palette.SENTINELS) & (defaults | named)
    assert palette.SENTINELS[vis.color("weight")] == "--vis-weight"


def test_color_refuses_other_names():
    with pytest.raises(ValueError, match="no house colour") as failure:
        vis.color("purple")
    assert str(failure.value) == ("vis.color: 'purple' is no house colour; there are ink, muted, grid, "
                                  "paper, query, key, value, weight, negative, azure, rose, olive, slate")


@pytest.fixture
def house_style():
    with plt.style.context("vis.lesson"):
        yield matplotlib.rcParams
    plt.close("all")


def test_a_plot_in_the_house_style_holds_nothing_but_sentinels(house_style):
    figure, axes = plt.subplots()
    for shift in range(8):
        axes.plot([0, 1], [shift, 0], label=f"Ё ñ {shift}")
    axes.bar([0, 1], [1, 2], color=vis.color("weight"))
    axes.set(title="Pérdida", xlabel="шаг", ylabel="−1")
    axes.legend()
    file = io.StringIO()
    figure.savefig(file, format="svg")
    svg = file.getvalue()
    used = set(re.findall(r"(?:fill|stroke): (#\w+)", svg))
    assert used <= set(palette.SENTINELS)
    roles = (*palette.ROLES, *palette.SERIES, "ink", "muted", "grid", "paper")
    assert used == {palette.COLORS[name].light for name in roles}
    assert "<text" not in svg  # letters are paths: the same in every browser


def test_the_house_style_takes_its_colours_from_the_palette(house_style):
    style = (ROOT / "snippets/vis/lesson.mplstyle").read_text(encoding="utf-8")
    for hex_color in re.findall(r"\b[0-9a-f]{6}\b", style):
        assert f"#{hex_color}" in palette.SENTINELS
    assert house_style["text.color"].lstrip("#") == palette.COLORS["ink"].light[1:]
    assert house_style["grid.color"].lstrip("#") == palette.COLORS["grid"].light[1:]
    assert house_style["figure.facecolor"].lstrip("#") == palette.COLORS["paper"].light[1:]


def test_series_differ_in_more_than_colour(house_style):
    cycle = list(house_style["axes.prop_cycle"])
    first = [entry["color"].lstrip("#") for entry in cycle[:4]]
    assert first == [vis.color(name)[1:] for name in palette.SERIES]
    assert len({entry["color"] for entry in cycle}) == len({str(entry["linestyle"]) for entry in cycle}) == 8


def test_type_is_readable_on_a_phone(house_style):
    """The figure shrinks to the 358 px that a phone leaves; 11 pt would be too small in a wider figure."""
    assert house_style["font.family"] == ["DejaVu Sans"]
    pixels = 358 / (house_style["figure.figsize"][0] * 96)
    for key in ("font.size", "xtick.labelsize", "ytick.labelsize", "legend.fontsize", "axes.labelsize"):
        assert house_style[key] >= 11, key
        assert house_style[key] * 96 / 72 * pixels >= 9, key
