"""Figures: each once and where it belongs, in letters of both languages, described, the same wherever they are drawn."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.ft2font import FT2Font

from tests.cases.conftest import WORDS, article
from tests.conftest import ROOT

languages = pytest.mark.parametrize("language", ["es", "ru"])


def outputs(run) -> list[str]:
    assert run.result.failure is None, run.result.failure
    return [cell.output for cell in run.result.cells]


@pytest.mark.case(number="C37")
def test_a_figure_shows_once_at_the_end_of_the_cell_that_made_it(run):
    """What a later cell draws into it comes too late: the page has shown it. A new figure is one of that cell."""
    found = run("""
        import matplotlib.pyplot as plt
        fig, ax = plt.subplots()
        ax.plot([1, 2], color="#123456")
        # %% adds
        ax.plot([2, 1], color="#654321")
        # %% prints
        print("solo texto")
        # %% another
        plt.plot([3, 4], color="#abcdef")
        """)
    assert outputs(found) == ["", "", "solo texto\n", ""]
    figures = [cell.figures for cell in found.result.cells]
    assert [len(one) for one in figures] == [1, 0, 0, 1]
    assert "#123456" in figures[0][0]
    assert "#654321" not in figures[0][0]
    assert "#abcdef" in figures[3][0]


@pytest.mark.case(number="C37")
@pytest.mark.case(number="C49")
@languages
def test_the_page_shows_figures_and_no_value_of_a_last_expression(full_course, language):
    """`plt.plot(…)`, a title, `plt.show()` twice, a bare object, a table: what is printed is shown, and nothing else."""
    for file in ("index.html", "notebook.html"):
        page = article(full_course, f"{language}/lessons/full/{file}")
        draws = page[page.index("pyplot</span>") :]
        assert draws.count('<figure class="lesson-figure"') == 4
        assert "lesson-output" not in draws
        assert not re.search(r"0x[0-9a-f]{6}|Line2D|Text\(|non-interactive|Table object|<td>" + WORDS[language]["red"], draws.replace("&lt;td&gt;", ""))


@pytest.mark.case(number="C56")
@pytest.mark.parametrize("style", ["default", "vis.lesson", "ggplot"])
def test_all_letters_are_drawn_with_matplotlibs_own_font(run, style):
    """On a machine without any font; minus, mathtext beside Cyrillic, a decimal comma. A missing letter fails the program."""
    run.project.use_libraries("vis")
    found = run(f"""
        import matplotlib as mpl
        import matplotlib.font_manager as fonts
        import matplotlib.pyplot as plt

        own = mpl.get_data_path()
        fonts.fontManager.ttflist = [font for font in fonts.fontManager.ttflist if font.fname.startswith(own)]
        plt.style.use({style!r})
        plt.plot([-1, 1], [-0.5, 1.5], label="вес")
        plt.title("Ёж, Щука, Я и У — año ñ")
        plt.xlabel(r"вес $\\alpha_{{ij}}=0{{,}}5$, «ключ»")
        plt.legend()
        print(fonts.findfont(fonts.FontProperties()).startswith(own))
        """)
    assert outputs(found) == ["True\n"]
    [svg] = found.result.cells[0].figures
    assert "<text" not in svg, "outlines need no font at the reader's either"
    drawn = {one.get("id") for one in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}path") if one.get("d")}
    font = FT2Font(str(Path(mpl.get_data_path(), "fonts/ttf/DejaVuSans.ttf")))
    assert {f"DejaVuSans-{font.get_char_index(ord(letter)):x}" for letter in "ЁЩУЯ—ñв«\u2212"} <= drawn


@pytest.mark.case(number="C90")
@languages
@pytest.mark.parametrize("file", ["index.html", "notebook.html"])
def test_each_figure_is_described_by_its_author_in_its_language(full_course, language, file):
    """Never by a file name; quotes and signs of HTML in the text are text; two in one cell take theirs in order."""
    alt, page = WORDS[language]["alt"], article(full_course, f"{language}/lessons/full/{file}")
    names = [html.unescape(re.search(r'aria-label="([^"]*)"', figure)[1]) for figure in re.findall(r'(?s)<figure class="lesson-figure".*?</figure>', page)]
    assert names == [f"{alt} «1» <b> & 2.", f"{alt} 2.", f"{alt} 3.", f"{alt} 4."]
    assert re.findall(r'<img[^>]*\balt="([^"]*)"', page) == [alt]


@pytest.mark.case(number="C90")
def test_no_figure_of_the_course_is_described_by_a_file_name():
    blocks = [block for page in (ROOT / "docs").rglob("*.md") for block in re.findall(r"(?ms)^/// snippet .*?^///$", page.read_text(encoding="utf-8"))]
    assert len(blocks) > 100
    assert not [block for block in blocks if re.search(r"\.(?:png|svg|jpe?g|py)\b", block.split("\n", 1)[1])]
