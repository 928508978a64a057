"""The full lesson in Chromium: wide content on a phone, figures in both themes and on paper, words without their accents."""

from __future__ import annotations

import functools
import http.server
import re
import threading
from collections.abc import Iterator

import pytest

from tests.browser.test_search import find

pytestmark = pytest.mark.browser
languages = pytest.mark.parametrize("language", ["es", "ru"])
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(full_course) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(full_course.site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def open_page(chromium, address):
    contexts = []

    def open_(path: str, **options):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.goto(address + path, wait_until="load")
        return page

    yield open_
    for context in contexts:
        context.close()


@pytest.mark.case(number="C61")
@languages
@pytest.mark.parametrize("file", ["", "notebook.html"])
def test_wide_formulas_and_output_scroll_on_their_own(open_page, language, file):
    """A formula of forty terms on a line of its own and in a table, a word of 300 letters, 40 columns, 2000 lines."""
    page = open_page(f"{language}/lessons/full/{file}", **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.evaluate("window.scrollTo(500, 0)")
    assert page.evaluate("window.scrollX") == 0
    displays = page.evaluate("[...document.querySelectorAll('mjx-container[display]')].map(e => [e.scrollWidth > e.clientWidth + 1, e.scrollHeight > e.clientHeight + 1])")
    assert displays == [[False, False], [True, False]], "only the wide one scrolls, and only sideways"
    boxes = page.evaluate("""[...document.querySelectorAll('.lesson-output pre')].map(e => ({wide: e.scrollWidth > e.clientWidth + 1,
        height: e.getBoundingClientRect().height, right: e.getBoundingClientRect().right, lines: e.textContent.trim().split('\\n').length}))""")
    assert all(box["right"] <= 360 for box in boxes)
    assert any(box["wide"] for box in boxes)
    [longest] = [box for box in boxes if box["lines"] == 2000]
    assert longest["height"] < 740, "two thousand lines are folded into a box that scrolls"
    table = page.locator("article table").evaluate("e => e.getBoundingClientRect().right <= innerWidth || getComputedStyle(e.parentElement).overflowX !== 'visible'")
    assert table


CONTRASTS = """() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const luminance = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => { for (let p = e; p; p = p.parentElement) { const c = rgb(getComputedStyle(p).backgroundColor);
    if (c[3] === 255) return c; } return [255, 255, 255, 255]; };
  return [...document.querySelectorAll('.lesson-figure svg')].map((svg) => {
    const ground = luminance(behind(svg.parentElement));
    const marks = [...svg.querySelectorAll('g[transform] use, text')].filter((e) => !e.closest('defs') && !e.closest('[fill="rgb(0,0,0)"]')
      && !(e.tagName === 'text' && e.closest('g')?.querySelector('rect')));
    return Math.min(...marks.map((e) => { const fill = getComputedStyle(e).fill, ink = luminance(rgb(fill === 'none' ? getComputedStyle(e).stroke : fill));
      return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05); }));
  }); }"""


@pytest.mark.case(number="C87")
@pytest.mark.parametrize("theme", ["default", "slate", "print"])
@pytest.mark.parametrize("file", ["", "notebook.html"])
def test_labels_of_figures_stand_out_from_what_is_behind_them(open_page, theme, file):
    """Tick labels, titles and legends of matplotlib, as they are computed in the page: WCAG's 4.5 to 1."""
    page = open_page(f"es/lessons/full/{file}", color_scheme="light" if theme == "default" else "dark")
    if theme == "print":
        page.emulate_media(media="print")
    else:
        assert page.locator("body").get_attribute("data-md-color-scheme") == theme
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) == 4
    assert all(contrast >= 4.5 for contrast in contrasts), contrasts


@pytest.mark.case(number="C64")
@pytest.mark.parametrize(("plain", "accented"), [("funcion", "función"), ("grafico", "gráfico"), ("pagina", "página"), ("tambien", "también"),
                                                 ("ano", "año"), ("FUNCION", "FUNCIÓN"), ("Pagina", "PÁGINA"), ("TAMBIEN", "También")])
def test_a_word_is_found_with_and_without_its_accents(open_page, plain, accented):
    page = open_page("es/lessons/full/")
    for query in (plain, accented):
        found = find(page, query)
        assert [result["path"].rpartition("/es/")[2] for result in found] == ["lessons/full/"], query
        marks = {re.sub(r"\\W", "", mark.lower()) for result in found for part in (result, *result["sections"]) for mark in part["marks"]}
        assert any(mark.startswith(accented.lower()[:4]) for mark in marks), (query, marks)
