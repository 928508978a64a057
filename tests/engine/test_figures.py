"""Figures: taken in drawing order with the same bytes each time, and made ready for a page in both themes."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import vis
from lessonkit import figures
from lessonkit.figures import figure_html, inline, open_figures, share_outlines, words
from vis.palette import PALETTE, SENTINELS

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "docs" / "assets" / "css"


@pytest.fixture(autouse=True)
def no_figure_of_another_test():
    mpl.use("agg")
    plt.close("all")  # other files' tests may have run in this process
    vis.collect()
    yield
    plt.close("all")
    vis.collect()
    mpl.rcParams.update(mpl.rcParamsDefault)
    mpl.use("agg")


def one_plot(title="", **style):
    figure, axes = plt.subplots(figsize=(3, 2))
    axes.plot([0, 1, 3], [1, 0, 2], label="a", **style)
    axes.grid(True)
    axes.legend()
    axes.set_title(title)
    return figure


def on_page(prefix="p-"):
    """The only open figure, ready for a page."""
    [svg] = open_figures()
    return inline(svg, prefix=prefix)


def colours(svg):
    return set(re.findall(r"#[0-9a-f]{6}\b", svg))


class TestOpenFigures:
    @pytest.mark.case(number="C37")
    def test_taken_in_drawing_order_and_only_once(self):
        one_plot("uno")
        vis.bars([1.0], labels=["dos"], title="dos")
        one_plot("tres")
        vis.bars([2.0], labels=["cuatro"], title="cuatro")
        vis.bars([2.0], labels=["cinco"], title="cinco")
        taken = open_figures()
        assert [
            re.search(r"<!-- (uno|tres) -->|>(dos|cuatro|cinco)</text>", svg)[0].strip("<>!- ")
            for svg in taken
        ] == ["uno", "dos</text", "tres", "cuatro</text", "cinco</text"]
        assert open_figures() == []
        assert plt.get_fignums() == []

    def test_what_a_figure_says_is_read_from_both_kinds(self):
        vis.heatmap([[0.25, 0.75]], xlabels=["<uno>", "dos"], ylabels=["fila"], title="Pesos & más", decimal=",")
        one_plot("A & <b>")
        drawn, plotted = map(words, open_figures())
        assert {"<uno>", "dos", "fila", "Pesos & más", "fila → dos: 0,75"} <= set(drawn)
        assert "A & <b>" in plotted
        assert len(drawn) == len(set(drawn))

    def test_vis_before_any_other_comes_first(self):
        vis.bars([1.0], labels=["a"], title="primero")
        one_plot("luego")
        assert ["primero" in svg for svg in open_figures()] == [True, False]

    def test_program_that_draws_nothing_loads_neither_library(self):
        code = (
            "import sys; from lessonkit.figures import open_figures; assert open_figures() == []; "
            "print([name for name in ('matplotlib', 'numpy', 'vis') if name in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": f"{ROOT / 'scripts'}:{ROOT / 'snippets'}", "PYTHONDONTWRITEBYTECODE": "1"},
        )
        assert done.stdout.strip() == "[]"

    @pytest.mark.case(number="C37")
    def test_shown_saved_or_closed_by_the_program(self, tmp_path):
        one_plot("shown")
        plt.show()
        plt.show()
        figure = one_plot("saved and closed")
        figure.savefig(tmp_path / "a.svg")
        plt.close(figure)
        [svg] = open_figures()
        assert "<!-- shown -->" in svg

    @pytest.mark.case(number="C22")
    @pytest.mark.case(number="C46")
    def test_same_bytes_whatever_was_drawn_before_and_set(self):
        one_plot("a")
        [first] = open_figures()
        mpl.rcParams.update({"svg.hashsalt": "other", "svg.fonttype": "none", "svg.image_inline": False})
        one_plot("other")
        open_figures()
        one_plot("a")
        assert open_figures() == [first]
        assert mpl.rcParams["svg.hashsalt"] == "other"

    @pytest.mark.case(number="C46")
    def test_no_date_and_no_version(self):
        one_plot()
        [svg] = open_figures()
        assert "metadata" not in svg
        assert mpl.__version__ not in svg

    def test_style_of_the_program_stays(self):
        mpl.rcParams.update({"savefig.transparent": True, "lines.linewidth": 7.25})
        one_plot()
        [svg] = open_figures()
        assert "stroke-width: 7.25" in svg
        assert "opacity: 0" in svg

    def test_one_that_cannot_be_drawn_leaves_none_open(self):
        one_plot(r"$\frac{1}$")
        vis.bars([1.0], labels=["a"], title="t")
        with pytest.raises(ValueError, match=r"\\frac"):
            open_figures()
        assert plt.get_fignums() == []
        assert open_figures() == []

    @pytest.mark.case(number="C56")
    def test_missing_glyph_warns_as_usual(self):
        one_plot("字")
        with pytest.warns(UserWarning, match="Glyph .* missing"):
            open_figures()

    @pytest.mark.case(number="C56")
    def test_letters_of_both_languages_are_outlines(self):
        one_plot(r"Ёж, Щука, Я и У — año ñ $\alpha_{ij}$ шаг")
        [svg] = open_figures()
        assert "<text" not in svg
        assert "Ёж" in svg  # in a comment, and nowhere as text

    def test_artists_are_as_before(self):
        _, axes = plt.subplots()
        mesh = axes.pcolormesh([[0, 1]])
        mesh.set_gid("mine")
        text = axes.text(0.5, 0.5, "x")
        open_figures()
        assert (mesh.get_gid(), text.get_gid(), text.get_color()) == ("mine", None, "black")


@pytest.mark.case(number="C87")
class TestColours:
    def test_a_plain_plot_has_only_colours_of_the_theme(self):
        _, axes = plt.subplots()
        for shift in range(10):
            axes.plot([0, 1], [shift, shift + 1], label=str(shift))
        axes.legend()
        axes.grid(True)
        svg = on_page()
        assert not colours(svg)
        used = set(re.findall(r"var\((--[\w-]+)\)", svg))
        assert used == {"--vis-ink", "--vis-paper", "--vis-grid", *(f"--figure-c{i}" for i in range(10))}

    def test_text_without_a_colour_is_ink(self):
        """Black is what SVG fills with by itself: matplotlib does not write it."""
        one_plot("título")
        assert re.match(r'<svg [^>]*style="[^"]*fill:var\(--vis-ink\)', on_page())

    def test_house_colours_follow_the_theme(self):
        for color in PALETTE:
            one_plot(color=color.light)
            assert f"stroke:var({color.variable})" in on_page()

    def test_in_attributes_too_and_only_whole_values(self):
        light, variable = next(iter(SENTINELS.items()))
        svg = (
            f'<svg viewBox="0 0 1 1"><title>{light}</title><rect fill="{light}" data-value="{light}"/>'
            f'<rect fill="var({variable},{light})" style="opacity: 0.5; fill: {light}; stroke:#1234"/></svg>'
        )
        assert inline(svg, prefix="p-") == (
            f'<svg viewBox="0 0 1 1"><title>{light}</title>'
            f'<rect fill="var({variable})" data-value="{light}"/>'
            f'<rect fill="var({variable},{light})" style="opacity:0.5;fill:var({variable});'
            f'stroke:#1234"/></svg>'
        )

    def test_figures_of_vis_stay_as_they_are(self):
        vis.attention(["el", "gato"], np.array([[0.25, 0.75]]), query_tokens=["кот"], title="t")
        [svg] = open_figures()
        assert inline(svg, prefix="p-").replace(" ", "") == svg.replace(
            ' xmlns="http://www.w3.org/2000/svg"', ""
        ).replace(" ", "")

    def test_greys_stay_apart_between_ink_and_paper(self):
        for grey in ("0.2", "0.5", "0.9"):
            plt.plot([0, 1], [0, 1], color=grey)
        svg = on_page()
        assert [
            int(share) for share in re.findall(r"stroke:color-mix\(in srgb,var\(--vis-ink\) (\d+)%", svg)
        ] == [80, 50, 10]

    @pytest.mark.parametrize(
        "paint",
        [
            lambda axes: axes.pcolormesh([[0, 0.2], [0.5, 1]], cmap="gray", edgecolors="white"),
            lambda axes: axes.contourf([[0, 0.2], [0.5, 1]], cmap="gray"),
            lambda axes: axes.imshow([[0, 0.2], [0.5, 1]], extent=(0, 2, 0, 2)),
        ],
    )
    def test_what_a_colormap_paints_keeps_its_colours_and_the_text_on_it(self, paint):
        _, axes = plt.subplots(figsize=(3, 3))
        paint(axes)
        axes.text(0.5, 0.5, "on it", color="black")
        axes.text(0.6, 0.6, "white", color="white")
        axes.text(-3, 0.5, "beside", color="white")
        [raw] = open_figures()
        svg = inline(raw, prefix="p-")
        assert svg.count('<g fill="rgb(0,0,0)"><g transform=') == 1
        assert svg.count('style="fill:#FFFFFF" transform=') == 1
        assert svg.count('style="fill:var(--vis-paper)" transform=') == 1
        assert "color-mix" not in svg

    def test_axes_inside_axes_keep_the_colours_of_their_colormap(self):
        _, axes = plt.subplots()
        axes.inset_axes([0.5, 0.5, 0.4, 0.4]).pcolormesh([[0, 1]], cmap="gray")
        [raw] = open_figures()
        assert raw.count('<g fill="rgb(0,0,0)">') == 1

    def test_scatter_by_value_keeps_colours_and_its_labels_follow_the_theme(self):
        _, axes = plt.subplots()
        axes.scatter([0, 1], [0, 1], c=[0, 1], cmap="gray")
        axes.text(0.5, 0.5, "label", color="white")
        svg = on_page()
        assert svg.count('<g fill="rgb(0,0,0)">') == svg.count("stroke:rgb(0,0,0)") == 1
        assert svg.count("fill:#FFFFFF") == 1
        assert 'style="fill:var(--vis-paper)" transform=' in svg

    def test_every_variable_is_defined_for_both_themes(self):
        style = (ASSETS / "figures.css").read_text("utf-8")
        light, dark = style.split("slate", 1)[0], style.split("slate", 1)[1].split("\n}\n", 1)[0]
        for number in range(10):
            assert f"--figure-c{number}: #" in light
        for name, where, ground, least in [
            ("light", light, "#fffffe", 3),
            ("dark", light + dark, "#1e2129", 4),
        ]:
            last = dict(re.findall(r"(--figure-c\d): (#\w{6})", where))
            for variable, colour in last.items():
                assert contrast(colour, ground) >= least, f"{variable} on the {name} ground"
        used = set(re.findall(r"--vis-\w+", " ".join(figures._DEFAULTS.values())))
        assert used <= {color.variable for color in PALETTE}


def contrast(one, other):
    """WCAG's contrast of two colours."""

    def luminance(colour):
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


class TestInline:
    def test_prolog_comments_and_metadata_go(self):
        one_plot("texto")
        [svg] = open_figures()
        assert svg.startswith("<?xml")
        ready = inline(svg.replace("<defs>", "<metadata>x</metadata><defs>", 1), prefix="p-")
        assert ready.startswith("<svg ")
        for part in ("<?xml", "DOCTYPE", "<!--", "metadata", "xmlns", "version=", "<style"):
            assert part not in ready

    def test_is_well_formed_and_draws_the_same_elements(self):
        _, axes = plt.subplots()
        axes.scatter([0, 1], [0, 1], alpha=0.5, label="ñ")
        axes.fill_between([0, 1], [0, 1], hatch="//")
        axes.legend()
        [svg] = open_figures()
        before = [element.tag.rpartition("}")[2] for element in ET.fromstring(svg).iter()]
        ready = inline(svg, prefix="p-").replace(
            "<svg ", '<svg xmlns:xlink="http://www.w3.org/1999/xlink" ', 1
        )
        after = [element.tag for element in ET.fromstring(ready).iter()]
        before.remove("style")  # matplotlib's rule for the whole page, in a <defs> of its own
        before.remove("defs")
        assert after == before

    def test_ids_that_nothing_refers_to_are_left_out(self):
        """matplotlib names every group; the names weigh more than what they name."""
        svg = '<svg><g id="axes_1"><path id="m" d="M0 0"/><use xlink:href="#m" x="1.23456" y="2"/></g></svg>'
        assert inline(svg, prefix="p-") == '<svg><g><path id="p-m" d="M0 0"/><use xlink:href="#p-m" x="1.23" y="2"/></g></svg>'

    def test_outlines_that_figures_repeat_are_defined_once(self):
        one, two = (
            inline(f'<svg><defs><path id="A-1" d="M1 2z" transform="scale(2)"/>{own}</defs><use xlink:href="#A-1" x="1"/></svg>', prefix=prefix)
            for prefix, own in (("a-", ""), ("b-", '<path id="own" d="M9 9"/><path id="c" d="M1 2z" style="stroke:#000000"/>')))
        page = share_outlines(f"<p>{one}{two}</p>")
        assert page.count('d="M1 2z" transform="scale(2)"') == 1
        assert page.startswith('<p><svg><use xlink:href="#outline-0" x="1"/></svg><svg><defs><path d="M9 9"/>'), page
        assert re.search(r'<svg class="shared-outlines"[^>]*><defs><path id="outline-0" d="M1 2z" transform="scale\(2\)"/></defs></svg>$', page)
        assert share_outlines(one) == one, "one figure keeps its own"

    @pytest.mark.case(number="C08")
    def test_ids_and_all_references_get_the_prefix(self):
        _, axes = plt.subplots()
        axes.plot([0, 1], marker="o")
        axes.fill_between([0, 1], [0, 1], hatch="//")
        svg = on_page("d0c1f2-")
        ids = re.findall(r'\bid="([^"]+)"', svg)
        references = re.findall(r'(?:xlink:href="|url\()#([^")]+)', svg)
        assert len(ids) == len(set(ids))
        assert all(name.startswith("d0c1f2-") for name in ids)
        assert set(references) <= set(ids)
        assert any("fill:url(#d0c1f2-" in style for style in re.findall('style="([^"]*)"', svg))
        assert not re.search(r"(?<!xlink:)href", svg)

    def test_other_ways_to_refer(self):
        svg = (
            '<svg viewBox="0 0 1 1" aria-labelledby="a b"><title id="a">t</title><use href="#b"/>'
            '<image xlink:href="data:image/png;base64,AA#"/></svg>'
        )
        assert inline(svg, prefix="p-") == (
            '<svg viewBox="0 0 1 1" aria-labelledby="p-a p-b"><title id="p-a">t</title>'
            '<use xlink:href="#p-b"/>'
            '<image xlink:href="data:image/png;base64,AA#"/></svg>'
        )

    def test_rules_hold_for_this_figure_only(self):
        svg = '<svg viewBox="0 0 1 1"><style>#a, .b{fill: #000000}*{stroke: none}</style><g id="a"/></svg>'
        assert inline(svg, prefix="p-") == (
            '<svg viewBox="0 0 1 1" id="p-figure"><style>#p-figure #p-a,#p-figure .b{fill:var(--vis-ink)}'
            '#p-figure *{stroke:none}</style><g id="p-a"/></svg>'
        )

    @pytest.mark.parametrize(
        ("size", "width", "height", "least"),
        [
            ('width="360pt" height="216pt" viewBox="0 0 360 216"', "480", "288", "317"),
            ('width="200" height="100.5px"', "200", "100.5", "132"),
            ('width="2in" height="2.54cm"', "192", "96", "127"),
        ],
    )
    def test_natural_size_in_pixels_shrinks_to_the_box_but_not_to_nothing(self, size, width, height, least):
        ready = inline(f"<svg {size}></svg>", prefix="p-")
        assert f'width="{width}" height="{height}"' in ready
        assert f'style="max-width:100%;height:auto;min-width:{least}px' in ready
        assert "viewBox=" in ready

    def test_relative_size_is_left_alone(self):
        assert (
            inline('<svg width="100%" viewBox="0 0 2 1"></svg>', prefix="")
            == '<svg width="100%" viewBox="0 0 2 1"></svg>'
        )

    def test_curve_keeps_its_points_to_a_hundredth(self):
        plt.plot(np.linspace(0, 6, 300), np.sin(np.linspace(0, 6, 300)))
        [svg] = open_figures()
        ready = inline(svg, prefix="p-")
        before, after = (max(re.findall(' d="([^"]*)"', text), key=len) for text in (svg, ready))
        points = [np.array(re.findall(r"-?[\d.]+", path), float) for path in (before, after)]
        assert points[0].shape == points[1].shape
        assert np.abs(points[0] - points[1]).max() < 0.01
        assert len(after) < 0.75 * len(before)
        assert re.findall("[A-Za-z]", before) == re.findall("[A-Za-z]", after)

    def test_numbers_of_a_foreign_path_stay_apart(self):
        assert ' d="M1 2 3 4l-1-1z"' in inline('<svg><path d="M1 2\n3 4l-1-1z"/></svg>', prefix="")

    def test_not_a_figure(self):
        with pytest.raises(ValueError, match="must be an <svg> element"):
            inline("<p>no</p>", prefix="p-")

    def test_sixty_kilobytes_take_some_milliseconds(self):
        for shift in range(10):
            plt.plot(np.linspace(0, 6, 200), np.sin(np.linspace(0, 6, 200) + shift))
        plt.title("Ёж, Щука, año ñ, letras, abcdefghijklm")
        plt.legend([f"serie número {number}" for number in range(10)])
        plt.grid(True)
        [svg] = open_figures()
        assert len(svg) > 55_000
        inline(svg, prefix="p-")
        times = []
        for _ in range(5):
            before = time.thread_time()
            inline(svg, prefix="p-")
            times.append(time.thread_time() - before)
        assert min(times) < 0.02


class TestFigureHtml:
    @pytest.mark.case(number="C90")
    def test_alt_text_is_said_once_and_escaped(self):
        one_plot()
        html = figure_html(on_page(), 'Curva «a» <b> & "c"')
        assert html.startswith(
            '<figure class="lesson-figure"><div class="lesson-figure__box">'
            '<svg role="img" aria-label="Curva «a» &lt;b&gt; &amp; &quot;c&quot;" '
        )
        assert html.count("aria-label") == 1
        assert html.endswith("</svg></div></figure>")

    @pytest.mark.case(number="C90")
    def test_figure_of_vis_keeps_its_role_and_name(self):
        vis.bars([1.0], labels=["a"], title="Título")
        html = figure_html(on_page(), "Alt")
        assert html.startswith(
            '<figure class="lesson-figure" aria-label="Alt"><div class="lesson-figure__box"><svg '
        )
        assert 'role="img"' not in html
        assert 'aria-label="Título"' in html
