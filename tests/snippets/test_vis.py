"""Drawings: the numbers are right for eyes, screen readers and scripts; nothing overlaps or collides."""

import hashlib
import os
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest

import vis
from vis.lettering import width

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

SNIPPETS = Path(__file__).resolve().parents[2] / "snippets"
SVG = "{http://www.w3.org/2000/svg}"

BANCO = ["Me", "senté", "en", "el", "banco", "de", "el", "jardín"]
BANCO_WEIGHTS = [0.02, 0.20, 0.02, 0.02, 0.10, 0.02, 0.02, 0.60]
ENGLISH = ["the", "black", "cat", "sat", "on", "the", "mat"]
RUSSIAN = ["чёрная", "кошка", "сидела", "на", "коврике"]
ALIGNMENT = np.array([[0.02, 0.90, 0.05, 0.01, 0.00, 0.01, 0.01],
                      [0.10, 0.05, 0.82, 0.02, 0.00, 0.00, 0.01],
                      [0.01, 0.01, 0.08, 0.88, 0.01, 0.00, 0.01],
                      [0.00, 0.00, 0.00, 0.03, 0.94, 0.02, 0.01],
                      [0.01, 0.00, 0.00, 0.01, 0.04, 0.12, 0.82]])


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gallery():
    """One figure of every sort, among them the hardest for layout."""
    rng = np.random.default_rng(0)
    long = [f"представление-{i}" for i in range(12)]
    return {
        "banco": vis.attention(BANCO, [BANCO_WEIGHTS], ["banco"], title="¿A quién mira «banco»?"),
        "self": vis.attention(BANCO, softmax(rng.normal(size=(8, 8))), title="Autoatención"),
        "alignment": vis.attention(ENGLISH, ALIGNMENT, RUSSIAN, title="Куда смотрит переводчик", decimal=","),
        "thirty": vis.attention(["щупальце"] * 30, softmax(rng.normal(size=(30, 30)))),
        "map": vis.heatmap(ALIGNMENT, xlabels=ENGLISH, ylabels=RUSSIAN, title="Тепловая карта", decimal=","),
        "map 3 × 5": vis.heatmap(softmax(rng.normal(size=(3, 5)))),
        "map 12 × 12": vis.heatmap(softmax(rng.normal(size=(12, 12))), xlabels=long, ylabels=long),
        "printed 12 × 12": vis.heatmap(softmax(rng.normal(size=(12, 12))), print_numbers=True),
        "negative": vis.heatmap(rng.normal(size=(4, 6)), xlabels=BANCO[:6], ylabels=BANCO[:4]),
        "masked": vis.heatmap(np.where(np.triu(np.ones((4, 4)), 1), -np.inf, 1.0)),
        "four bars": vis.bars(BANCO_WEIGHTS[:4], labels=BANCO[:4], title="Los pesos"),
        "ten bars": vis.bars(softmax(rng.normal(size=10)), labels=[*long[:9], "электрокардиографический"],
                             decimal=",",
                             title="Распределение внимания слова «ключ» по десяти словам предложения"),
        "signed bars": vis.bars([1.8, -0.7, -2.0], labels=["q·k₁", "q·k₂", "q·k₃"]),
    }


@pytest.fixture(autouse=True)
def forget_drawn_figures():
    vis.collect()
    yield
    vis.collect()
    plt.close("all")


@pytest.fixture(scope="module")
def figures():
    return gallery()


def marks(figure):
    """(row, column, value, name) of every mark."""
    found = (item for item in ET.fromstring(figure.svg).iter() if "data-value" in item.attrib)
    return [(int(mark.get("data-row")), int(mark.get("data-col")), float(mark.get("data-value")),
             mark.find(f"{SVG}title").text) for mark in found]


def texts(figure):
    return [text.text for text in ET.fromstring(figure.svg).iter(f"{SVG}text")]


# --- numbers and labels

def test_attention_of_one_query_carries_and_prints_its_weights():
    figure = vis.attention(BANCO, BANCO_WEIGHTS, query_tokens=["banco"], title="¿A quién mira «banco»?")
    assert [(row, column, value) for row, column, value, _ in marks(figure)] == [
        (0, j, weight) for j, weight in enumerate(BANCO_WEIGHTS)]
    assert marks(figure)[7][3] == "banco → jardín: 0.60"
    assert texts(figure) == ["¿A quién mira «banco»?", "q", "banco", "k", *BANCO,
                             "0.02", "0.20", "0.02", "0.02", "0.10", "0.02", "0.02", "0.60"]
    assert figure.title == "¿A quién mira «banco»?"
    assert (figure.rows, figure.columns, figure.values.shape) == (("banco",), tuple(BANCO), (1, 8))


def test_attention_across_two_sentences_names_query_then_key():
    found = marks(vis.attention(ENGLISH, ALIGNMENT, query_tokens=RUSSIAN, decimal=","))
    assert len(found) == 35
    assert found[1] == (0, 1, 0.9, "чёрная → black: 0,90")
    assert found[34] == (4, 6, 0.82, "коврике → mat: 0,82")


def test_self_attention_takes_the_tokens_as_queries_even_from_an_iterator():
    figure = vis.attention(iter(["a", "b"]), np.eye(2))
    assert (figure.rows, figure.columns) == (("a", "b"), ("a", "b"))
    assert [name for *_, name in marks(figure)] == [
        "a → a: 1.00", "a → b: 0.00", "b → a: 0.00", "b → b: 1.00"]


def test_lines_grow_with_the_weight_and_vanish_with_it():
    figure = vis.attention(["a", "b", "c"], [[0.0, 0.2, 0.8]], query_tokens=["q"])
    lines = list(ET.fromstring(figure.svg).iter(f"{SVG}path"))
    widths = [float(line.get("stroke-width")) for line in lines]
    opacities = [float(line.get("stroke-opacity")) for line in lines]
    assert widths[0] < widths[1] < widths[2]
    assert opacities[0] == 0 < opacities[1] < opacities[2] <= 1


def test_tokens_stand_beside_their_markers():
    root = ET.fromstring(vis.attention(["k"], [[1.0]], query_tokens=["q"]).svg)
    circle, square = root.find(f".//{SVG}circle"), root.findall(f".//{SVG}rect")[-1]
    _, query, _, key, _ = root.iter(f"{SVG}text")
    assert float(query.get("x")) < float(circle.get("cx")) - 4
    assert float(key.get("x")) > float(square.get("x")) + 8


def test_heat_map_prints_its_numbers_and_labels():
    figure = vis.heatmap([[0.25, 0.75], [1, 0]], xlabels=["x0", "x1"], ylabels=["y0", "y1"], title="W")
    assert texts(figure) == ["W", "y0", "y1", "x0", "x1", "0.25", "0.75", "1.00", "0.00"]
    assert marks(figure)[1] == (0, 1, 0.75, "y0 → x1: 0.75")
    assert float(strongest(figure).get("data-value")) == 1


def cells(figure):
    return [item for item in ET.fromstring(figure.svg).iter() if item.get("role") == "cell"]


def strongest(figure):
    return max(cells(figure), key=lambda cell: float(cell.get("fill-opacity")))


def test_heat_map_without_labels_is_named_by_its_indices():
    figure = vis.heatmap([[0.25, 0.75]])
    assert texts(figure) == ["0", "0", "1", "0.25", "0.75"]
    assert [name for *_, name in marks(figure)] == ["[0, 0]: 0.25", "[0, 1]: 0.75"]


def test_numbers_that_a_phone_could_not_show_give_way_to_a_legend():
    W = np.arange(144).reshape(12, 12) / 143
    figure = vis.heatmap(W)
    assert texts(figure)[-2:] == ["0.00", "1.00"]
    assert "0.50" not in texts(figure)
    assert len(marks(figure)) == 144
    assert marks(figure)[143][3] == "[11, 11]: 1.00"
    printed = texts(vis.heatmap(W, print_numbers=True))
    assert printed[-144:] == [f"{value:.2f}" for value in W.flat]
    assert "0.25" not in texts(vis.heatmap([[0.25, 0.75]], print_numbers=False))


def test_negative_numbers_have_their_own_colour_and_a_sign():
    figure = vis.heatmap([[-1, 0, 2]])
    assert [cell.get("fill") for cell in cells(figure)] == ["var(--vis-negative,#935a00)", None, None]
    strengths = [float(cell.get("fill-opacity")) for cell in cells(figure)]
    assert strengths == [0.36, 0, 0.72]  # the scale is as long on both sides of 0
    assert "−1" in texts(figure)
    unprinted = texts(vis.heatmap([[-1, 0, 2]], print_numbers=False))
    assert unprinted.count("−") == 1
    assert unprinted[-2:] == ["−2", "2"]


def test_masked_scores_are_shown_as_infinite():
    figure = vis.heatmap([[1.5, -np.inf]])
    assert texts(figure)[-2:] == ["1.50", "−∞"]
    assert 'data-value="-Infinity"' in figure.svg
    assert "[0, 1]: −∞" in figure.svg
    finite = cells(vis.heatmap([[1.5, -np.inf, 3.0]]))[::2]  # infinity is no end of the scale
    assert [float(cell.get("fill-opacity")) for cell in finite] == [0.36, 0.72]


@pytest.mark.parametrize(("values", "printed"), [
    ([[True, False]], ["1", "0"]),
    ([[3, -4]], ["3", "−4"]),
    ([[1e9, -1234567.0]], ["1·10⁹", "−1.23·10⁶"]),
    ([[-0.001, -0.0]], ["0.00", "0.00"]),
])
def test_numbers_are_printed_as_people_write_them(values, printed):
    assert texts(vis.heatmap(values))[-2:] == printed
    assert 'data-value="-0"' not in vis.heatmap(values).svg


def test_digits_and_decimal_mark():
    assert texts(vis.heatmap([[0.125]], digits=3, decimal=","))[-1] == "0,125"
    assert texts(vis.bars([0.5], digits=0))[-1] == "0"
    assert 'data-value="0.125"' in vis.heatmap([[0.125]], decimal=",").svg  # scripts read a point


def bar_extents(figure):
    return [(float(bar.get("x")), float(bar.get("width"))) for bar in cells(figure)]


def test_bars_are_as_long_as_their_numbers_and_start_at_zero():
    (x1, w1), (x2, w2), (x3, w3) = bar_extents(vis.bars([2.0, -1.0, 0.5]))
    assert x1 == x3 == pytest.approx(x2 + w2)
    assert w1 == pytest.approx(2 * w2, abs=0.02)
    assert w2 == pytest.approx(2 * w3, abs=0.02)
    assert [width for _, width in bar_extents(vis.bars([0, 0]))] == [0, 0]


def test_limits_make_bars_comparable():
    [(_, short)], [(_, long)] = bar_extents(vis.bars([0.25], limits=(0, 1))), bar_extents(vis.bars([0.25]))
    assert short == pytest.approx(long / 4, abs=0.02)
    assert float(strongest(vis.heatmap([[0.25]], limits=(0, 1))).get("fill-opacity")) == 0.18


def test_bars_are_labelled_and_coloured_by_role():
    figure = vis.bars([0.6, -0.2], labels=["jardín", "senté"])
    assert texts(figure) == ["jardín", "senté", "0.60", "−0.20"]
    assert marks(figure)[1] == (0, 1, -0.2, "senté: −0.20")
    assert "--vis-weight" in figure.svg
    assert "--vis-negative" in figure.svg
    assert vis.bars([1, 2], colors=["query", "key"]).svg.count("--vis-query") == 1
    assert vis.bars([1, 2], colors="rose").svg.count("--vis-rose") == 2


class Tensor:
    """As in nanotorch: an array in ``.data``."""

    def __init__(self, data):
        self.data = np.array(data)


@pytest.mark.parametrize("weights", [
    BANCO_WEIGHTS, [BANCO_WEIGHTS], np.array([BANCO_WEIGHTS], dtype=np.float64), Tensor([BANCO_WEIGHTS]),
    [Tensor(BANCO_WEIGHTS)], tuple(map(Tensor, BANCO_WEIGHTS)), [list(map(np.float64, BANCO_WEIGHTS))],
])
def test_arrays_lists_and_tensors_give_the_same_bytes(weights):
    expected = vis.attention(BANCO, np.array(BANCO_WEIGHTS), query_tokens=["banco"]).svg
    assert vis.attention(BANCO, weights, query_tokens=["banco"]).svg == expected


def test_a_figure_keeps_its_own_read_only_numbers():
    W = np.eye(2)
    figure = vis.heatmap(W)
    W[0, 0] = 7
    assert figure.values[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        figure.values[0, 0] = 7
    with pytest.raises(AttributeError):
        figure.title = "other"


# --- the SVG as a whole

def test_every_figure_is_sound_and_cannot_collide(figures):
    """Well-formed; no ids or references; every colour a variable with its fallback."""
    for name, figure in figures.items():
        root = ET.fromstring(figure.svg)
        assert root.tag == f"{SVG}svg", name
        assert root.get("class") == "vis", name
        assert root.get("data-kind") in ("attention", "heatmap", "bars")
        for item in root.iter():
            assert item.tag != f"{SVG}use", name
            assert not {"id", "href"} & item.attrib.keys(), name
            for key in ("fill", "stroke"):
                color = item.get(key, "none")
                assert color == "none" or color.startswith("var(--vis-"), (name, item.attrib)


def test_a_screen_reader_meets_title_and_numbers_once(figures):
    """A table of rows of cells with names; all that is printed for the eye is hidden from it."""
    for name, figure in figures.items():
        root = ET.fromstring(figure.svg)
        assert root.get("role") == "table", name
        assert root.get("aria-label") == (figure.title or None), name
        parents = {child: parent for parent in root.iter() for child in parent}
        for text in root.iter(f"{SVG}text"):
            assert parents[text].get("aria-hidden") == "true", (name, text.text)
        found = [item for item in root.iter() if item.get("role") == "cell"]
        assert len(found) == figure.values.size == len(marks(figure))
        assert {parents[cell].get("role") for cell in found} == {"row"}


def test_figures_are_small(figures):
    assert len(figures["banco"].svg.encode()) < 4_000
    assert len(figures["map 3 × 5"].svg.encode()) < 5_000
    assert len(figures["alignment"].svg.encode()) < 10_000
    assert len(figures["four bars"].svg.encode()) < 2_000


def test_labels_are_escaped():
    nasty = '<b>"&\'</b>\x00\ud800'
    figure = vis.heatmap([[1.0]], xlabels=[nasty], ylabels=["&amp;"], title=nasty)
    shown = '<b>"&\'</b>␀\ufffd'
    assert marks(figure)[0][3] == f"&amp; → {shown}: 1.00"
    assert shown in texts(figure)
    assert "<b>" not in figure.svg
    assert ET.fromstring(figure.svg).get("aria-label") == '<b>"&\'</b>\ufffd\ufffd'
    figure.svg.encode("utf-8")


def test_invisible_tokens_become_visible():
    figure = vis.attention([" a b ", "\n", "", "\t"], [[1.0, 0, 0, 0]], query_tokens=["q"])
    assert texts(figure)[3:7] == ["␣a b␣", "↵", "∅", "⇥"]
    assert figure.columns == (" a b ", "\n", "", "\t")


def test_the_same_input_gives_the_same_bytes(figures):
    assert {name: figure.svg for name, figure in gallery().items()} == {
        name: figure.svg for name, figure in figures.items()}


def width_in_dejavu(text, size, weight="normal"):
    font = FontProperties(family="DejaVu Sans", weight=weight, size=size)
    return TextToPath().get_text_width_height_descent(text, font, ismath=False)[0]


def test_no_letter_is_wider_than_its_estimate():
    """Printable Latin, Greek and Cyrillic letters and the signs of formulas, in the widest of usual fonts."""
    ranges = ((0x20, 0x7F), (0xA1, 0xAD), (0xAE, 0x180), (0x391, 0x3A2), (0x3A3, 0x3CF), (0x401, 0x460))
    letters = [chr(code) for first, end in ranges for code in range(first, end)] + list("⟨⟩←→↵␣∞∅√≈≤·—…₀₁⁻⁹")
    assert [c for c in letters if width(c, 100) < width_in_dejavu(c, 100) - 0.5] == []
    sentence = "Из-под камня бил холодный ключ; me senté en el banco"
    assert width(sentence, 15) < 1.25 * width_in_dejavu(sentence, 15)  # from above, but not by much


def boxes(svg):
    """(text, left, top, right, bottom) of every upright text in DejaVu Sans, the widest of usual fonts."""
    found = []

    def visit(item, x, y, size, anchor):
        size, anchor = float(item.get("font-size", size)), item.get("text-anchor", anchor)
        shift = item.get("transform", "")
        if item.tag == f"{SVG}text" and not shift:
            room = width_in_dejavu(item.text, size, "bold" if item.get("font-weight") else "normal")
            left = x + float(item.get("x")) - room * {"start": 0, "middle": 0.5, "end": 1}[anchor]
            baseline = y + float(item.get("y"))
            found.append((item.text, left, baseline - 0.76 * size, left + room, baseline + 0.24 * size))
        if shift.startswith("translate"):
            dx, dy = map(float, shift[10:-1].split(","))
            x, y = x + dx, y + dy
        for child in item:
            visit(child, x, y, size, anchor)

    visit(ET.fromstring(svg), 0, 0, 0, "start")
    return found


def test_no_text_overlaps_another_or_leaves_the_figure(figures):
    for name, figure in figures.items():
        _, _, right_end, bottom_end = map(float, ET.fromstring(figure.svg).get("viewBox").split())
        placed = boxes(figure.svg)
        assert placed, name
        for i, (text, left, top, right, bottom) in enumerate(placed):
            assert 0 <= left < right <= right_end, (name, text)
            assert 0 <= top < bottom <= bottom_end, (name, text)
            for other, *box in placed[:i]:
                apart = right <= box[0] or box[2] <= left or bottom <= box[1] + 3 or box[3] <= top + 3
                assert apart, (name, text, other)


def test_labels_that_fit_nowhere_are_slanted_or_lose_their_middle(figures):
    assert "представ…е-0" in texts(figures["map 12 × 12"])
    assert 'transform="rotate(-45' in figures["map 12 × 12"].svg
    assert "представление-0 → представление-11: " in figures["map 12 × 12"].svg  # the name keeps it all
    assert 'transform="rotate(-45' not in figures["map"].svg


def test_figures_fit_a_phone_or_keep_readable_type(figures):
    """390 px leave 358 for a figure; what is wider may shrink to 0.8 and then scrolls."""
    for name, figure in figures.items():
        root = ET.fromstring(figure.svg)
        least = int(root.get("style").rpartition("min-width:")[2].removesuffix("px"))
        assert least >= 0.8 * int(root.get("width")) - 1 or least <= 358, name
        if name in ("banco", "self", "alignment", "map", "map 3 × 5", "negative", "four bars", "ten bars"):
            assert int(root.get("width")) <= 460, name
            assert least <= 366, name


# --- collecting, saving, notebooks

def test_collect_returns_figures_in_drawing_order_and_forgets_them():
    drawn = [vis.bars([1]), vis.heatmap([[1]]), vis.attention(["a"], [[1]])]
    assert [a is b for a, b in zip(vis.collect(), drawn, strict=True)] == [True] * 3
    assert vis.collect() == []


def test_a_failed_drawing_is_not_collected():
    with pytest.raises(ValueError, match="values is empty"):
        vis.bars([])
    assert vis.collect() == []


def test_figures_know_which_matplotlib_figures_came_before():
    first = vis.bars([1])
    plt.figure(2)
    plt.figure(7)
    second = vis.bars([1])
    plt.close(7)
    assert [first.after_matplotlib, second.after_matplotlib, vis.bars([1]).after_matplotlib] == [0, 7, 2]


def test_without_matplotlib_no_figure_came_before(monkeypatch):
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot")
    assert vis.bars([1]).after_matplotlib == 0
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", SimpleNamespace())  # just being imported
    assert vis.bars([1]).after_matplotlib == 0


def run(program):
    """Run a program in a fresh interpreter that sees the libraries; returns what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, encoding="utf-8",
        check=False, env={**os.environ, "PYTHONPATH": str(SNIPPETS), "PYTHONUTF8": "1"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_but_numpy_is_needed_and_nothing_is_printed():
    printed = run("""
        import sys
        for name in ("matplotlib", "IPython", "nanotorch"):
            sys.modules[name] = None  # importing it now fails
        import hashlib, vis
        figure = vis.attention(["a", "b"], [[0.25, 0.75]], query_tokens=["q"], title="título «ё»")
        vis.heatmap([[1]])
        vis.bars([1])
        assert figure.after_matplotlib == 0 and len(vis.collect()) == 3
        print(hashlib.sha256(figure.svg.encode()).hexdigest())
    """)
    figure = vis.attention(["a", "b"], [[0.25, 0.75]], query_tokens=["q"], title="título «ё»")
    assert printed == hashlib.sha256(figure.svg.encode()).hexdigest() + "\n"


def test_a_notebook_shows_each_figure_once():
    """Cells in a real IPython shell: what is drawn is published at once, the value adds nothing."""
    assert run("""
        from IPython.core.displaypub import DisplayPublisher
        from IPython.core.interactiveshell import InteractiveShell

        class Publisher(DisplayPublisher):
            def publish(self, data, metadata=None, **rest):
                log.append(("shown", data["text/plain"], data["image/svg+xml"][:4]))

        log = []
        shell = InteractiveShell.instance(display_pub_class=Publisher)
        shell.displayhook.write_format_data = lambda data, metadata=None: log.append(
            ("value", data["text/plain"], data.get("image/svg+xml", "")[:4]))
        shell.displayhook.write_output_prompt = lambda: None
        for cell in ("import vis", "vis.bars([1], title='last')", "vis.bars([1], title='not last')\\n1",
                     "kept = vis.bars([1], title='kept')\\nkept", "kept",
                     "vis.bars([1], title='a')\\nvis.heatmap([[1]])"):
            shell.run_cell(cell, store_history=True).raise_error()
            print(log)
            log.clear()
    """).splitlines() == [
        "[]",
        "[('shown', \"<vis.Figure 'last', 1>\", '<svg')]",
        "[('shown', \"<vis.Figure 'not last', 1>\", '<svg'), ('value', '1', '')]",
        "[('shown', \"<vis.Figure 'kept', 1>\", '<svg')]",
        "[('value', \"<vis.Figure 'kept', 1>\", '<svg')]",
        "[('shown', \"<vis.Figure 'a', 1>\", '<svg'), ('shown', \"<vis.Figure '', 1 × 1>\", '<svg')]",
    ]


def test_ipython_in_a_terminal_shows_a_line_of_text():
    assert run("""
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        shell.display_formatter.active_types = ["text/plain"]  # as the terminal sets it
        shell.run_cell("import vis; vis.bars([1], title='t')", store_history=True)
    """) == "Out[1]: <vis.Figure 't', 1>\n"


def test_save_writes_a_file_in_plain_colours(tmp_path):
    figure = vis.bars([0.6], labels=["jardín"])
    figure.save(tmp_path / "bars.svg")
    saved = (tmp_path / "bars.svg").read_text(encoding="utf-8")
    assert ET.fromstring(saved).get("width") == ET.fromstring(figure.svg).get("width")
    assert 'fill="#9041c4"' in saved
    assert "var(" not in saved
    assert "jardín: 0.60" in saved
    with pytest.raises(ValueError, match=r"\.svg") as failure:
        figure.save(tmp_path / "bars.png")
    assert str(failure.value) == "Figure.save: 'bars.png' must end in .svg; vis draws nothing but SVG"
    assert figure._repr_svg_() == figure.svg


# --- errors

ERRORS = [
    (lambda: vis.attention(["a", "b"], [[0.2, 0.3, 0.5]] * 2),
     "vis.attention: weights has shape (2, 3), 3 columns, but tokens has 2 entries"),
    (lambda: vis.attention(["a", "b"], [[0.5, 0.5]], query_tokens=["q", "r"]),
     "vis.attention: weights has shape (1, 2), 1 row, but query_tokens has 2 entries"),
    (lambda: vis.attention(BANCO, BANCO_WEIGHTS),
     'vis.attention: weights has shape (1, 8), 1 row for 8 tokens; say which are the queries: '
     'query_tokens=["…"]'),
    (lambda: vis.attention("banco", [[1.0]]),
     "vis.attention: tokens is one string, 'banco'; write a list of strings"),
    (lambda: vis.attention(["a"], [[1.0]], query_tokens="q"),
     "vis.attention: query_tokens is one string, 'q'; write a list of strings"),
    (lambda: vis.attention(["a", "b"], [[0.5, 0.5], [0.5, np.nan]]),
     "vis.attention: weights[1, 1] is nan; there is nothing to draw for it"),
    (lambda: vis.attention(["a", "b"], [[1.2, -0.2], [0.5, 0.5]]),
     "vis.attention: weights[0, 1] is -0.2; weights after softmax are never negative (draw scores with "
     "vis.heatmap)"),
    (lambda: vis.attention(["a", "b"], [[np.inf, 0], [0.5, 0.5]]),
     "vis.attention: weights[0, 0] is inf; weights after softmax lie between 0 and 1"),
    (lambda: vis.attention(["a", "b"], [[0.5, 0.5], [0.2, 0.6]], query_tokens=["q", "кошка"]),
     "vis.attention: row 1 of weights (query 'кошка') sums to 0.8, not 1; softmax goes along the keys, "
     "axis=-1 (draw other numbers with vis.heatmap)"),
    (lambda: vis.attention(["a"], np.ones((2, 4, 1, 1))),
     "vis.attention: weights has shape (2, 4, 1, 1), but a map has two dimensions, queries × keys; choose "
     "one of them, for example weights[0, 0]"),
    (lambda: vis.attention(["a"], 1.0),
     "vis.attention: weights is a single number; write a row of weights for each query"),
    (lambda: vis.heatmap([[1, 2], [3, 4]], ylabels=["a"]),
     "vis.heatmap: W has shape (2, 2), 2 rows, but ylabels has 1 entry"),
    (lambda: vis.heatmap([[1, 2], [3, 4]], xlabels="abc"),
     "vis.heatmap: xlabels is one string, 'abc'; write a list of strings"),
    (lambda: vis.heatmap([[1, 2], [3, 4]], xlabels=["a", "b", "c"]),
     "vis.heatmap: W has shape (2, 2), 2 columns, but xlabels has 3 entries"),
    (lambda: vis.heatmap([1, 2]), "vis.heatmap: W has shape (2,); a heat map needs two axes, rows × columns"),
    (lambda: vis.heatmap([[1, 2], [3]]),
     "vis.heatmap: W is no table of numbers: row 0 has 2 entries, row 1 has 1"),
    (lambda: vis.heatmap([[1, 2], 3]), "vis.heatmap: W is no table of numbers: row 1 is 3"),
    (lambda: vis.heatmap([[1, "a"]]), "vis.heatmap: W must hold numbers; this is 'a'"),
    (lambda: vis.heatmap([[1, None]]), "vis.heatmap: W must hold numbers; this is of type NoneType"),
    (lambda: vis.heatmap([[1j]]), "vis.heatmap: W must hold numbers; this is of type complex"),
    (lambda: vis.heatmap(np.ones((0, 3))), "vis.heatmap: W is empty, its shape is (0, 3)"),
    (lambda: vis.heatmap([]), "vis.heatmap: W is empty, its shape is (0,)"),
    (lambda: vis.heatmap([[np.nan]]), "vis.heatmap: W[0, 0] is nan; there is nothing to draw for it"),
    (lambda: vis.heatmap([[1.5]], limits=(0, 1)), "vis.heatmap: W[0, 0] is 1.5; limits=(0, 1) leaves it out"),
    (lambda: vis.heatmap([[1.5]], limits=(1, 0)),
     "vis.heatmap: limits is (1, 0); write two numbers, the lower first: limits=(0, 1)"),
    (lambda: vis.heatmap([[1.5]], decimal=";"),
     'vis.heatmap: decimal is \';\'; write decimal="." or decimal=","'),
    (lambda: vis.heatmap([[1.5]], digits=9), "vis.heatmap: digits is 9; write a whole number from 0 to 6"),
    (lambda: vis.bars([[1, 2]]),
     "vis.bars: values has shape (1, 2); bars need one dimension, a number a bar"),
    (lambda: vis.bars([1, np.inf]), "vis.bars: values[1] is inf; no bar is that long"),
    (lambda: vis.bars([1, 2], labels=["a"]), "vis.bars: there are 2 values, but labels has 1 entry"),
    (lambda: vis.bars([1, 2], colors=["key"]), "vis.bars: there are 2 values, but colors has 1 name"),
    (lambda: vis.ticks([], decimal=","), "vis.ticks: list has no axes; pass one plot, such as plt.gca()"),
    (lambda: vis.ticks(None, decimal="'"), "vis.ticks: decimal is \"'\"; write decimal=\".\" or decimal=\",\""),
    (lambda: vis.bars([1], colors="blue"),
     "vis.bars: colors: 'blue' is no colour of a mark; choose from query, key, value, weight, azure, rose, "
     "olive, slate, negative, ink, muted"),
    (lambda: vis.bars([2, 3], limits=(1, 4)), "vis.bars: limits=(1, 4) leaves out 0, where bars begin"),
]


def test_ticks_writes_matplotlibs_numbers_with_a_comma_and_leaves_names_alone():
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib.figure import Figure
    figure = Figure()
    plot, named = figure.subplots(1, 2)
    plot.plot([-0.5, 0.25], [1e-7, 1.00002e-7])
    named.bar(["v1.0", "v2.0"], [0.5, 1.5])
    for axes in (plot, named):
        vis.ticks(axes, decimal=",")
    figure.canvas.draw()
    across, up = ([label.get_text() for label in axis.get_ticklabels()] for axis in (plot.xaxis, plot.yaxis))
    assert "−0,4" in across
    assert "." not in "".join([*across, *up, plot.yaxis.get_offset_text().get_text()])
    assert [label.get_text() for label in named.get_xticklabels()] == ["v1.0", "v2.0"]
    assert "0,2" in [label.get_text() for label in named.get_yticklabels()]


@pytest.mark.parametrize(("draw", "message"), ERRORS, ids=[message[4:50] for _, message in ERRORS])
def test_errors_name_place_and_cure(draw, message):
    with pytest.raises((TypeError, ValueError), match=r"^vis\.") as failure:
        draw()
    assert str(failure.value) == message


def test_rounded_weights_may_miss_the_sum_by_their_rounding():
    vis.attention(["a", "b", "c"], [[0.33, 0.33, 0.33]], query_tokens=["q"])
    with pytest.raises(ValueError, match=r"sums to 0\.97"):
        vis.attention(["a", "b", "c"], [[0.33, 0.33, 0.31]], query_tokens=["q"])
