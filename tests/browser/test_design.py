"""What a reader sees at first sight: the site's own fonts, a page that stands still, a way in, boxes that show they scroll."""

from __future__ import annotations

import pytest

from tests.browser.conftest import PHONE

pytestmark = pytest.mark.browser

LANGUAGES = pytest.mark.parametrize("language", ["es", "ru"])
OBSERVE_SHIFTS = """window.shift = 0; new PerformanceObserver(list => { for (const e of list.getEntries())
    if (!e.hadRecentInput) window.shift += e.value; }).observe({type: 'layout-shift', buffered: true});"""


def fonts_of(page, selector: str) -> set[tuple[str, bool]]:
    """Family and whether it came from the site, of all letters of the first such element."""
    client = page.context.new_cdp_session(page)
    client.send("DOM.enable")
    client.send("CSS.enable")
    root = client.send("DOM.getDocument")["root"]["nodeId"]
    node = client.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    return {(f["familyName"], f["isCustomFont"]) for f in client.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]}


@LANGUAGES
def test_text_labels_and_code_are_set_in_the_sites_fonts(open_page, language):
    page = open_page(f"{language}/lessons/soft-dictionary/")
    page.reload(wait_until="load")  # a font that comes late waits for the next page
    page.wait_for_function("document.fonts.status === 'loaded'")
    assert fonts_of(page, "article > p:not(.lesson-facts)") == {("Literata", True)}
    assert {family for family, own in fonts_of(page, ".md-sidebar--primary a.md-nav__link--active .md-ellipsis") if own} == {"Golos Text"}
    page.locator(".lesson-snippet pre:has-text('import numpy')").first.evaluate("e => e.id = 'with-words'")
    assert fonts_of(page, "#with-words") == {("JetBrains Mono", True)}


@LANGUAGES
@pytest.mark.parametrize("path", ["", "lessons/soft-dictionary/"])
def test_nothing_shifts_on_a_slow_network(open_page, language, path):
    page = open_page("", **PHONE)
    page.context.add_init_script(OBSERVE_SHIFTS)
    client = page.context.new_cdp_session(page)
    client.send("Network.enable")
    client.send("Network.setCacheDisabled", {"cacheDisabled": True})
    client.send("Network.emulateNetworkConditions",
                {"offline": False, "latency": 150, "downloadThroughput": 120_000, "uploadThroughput": 60_000})
    page.goto(f"{page.url}{language}/{path}", wait_until="load")
    page.wait_for_function("document.fonts.status === 'loaded'")
    page.wait_for_timeout(300)
    assert round(page.evaluate("window.shift"), 3) == 0


@LANGUAGES
@pytest.mark.parametrize("screen", [(1280, 800), (390, 844), (320, 640)], ids=str)
def test_a_home_says_what_it_is_and_lets_one_start_on_the_first_screen(open_page, language, screen):
    width, height = screen
    page = open_page(f"{language}/", viewport={"width": width, "height": height})
    start = page.locator("article .md-button--primary")
    box = start.bounding_box()
    allowed = height if width > 320 else 1.25 * height  # the smallest of phones may scroll a little
    assert box["y"] + box["height"] <= allowed
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator(".course-list li").count() >= 5
    assert page.locator(".home-figures svg").count() == 2
    start.click()
    page.wait_for_url(f"**/{language}/lessons/soft-dictionary/")
    page.wait_for_selector(".lesson-facts")


def test_a_list_entry_gives_minutes_and_prerequisites_from_the_page_itself(open_page):
    page = open_page("ru/")
    entry = page.locator(".course-list li", has_text="√d")
    assert "25\u00a0мин" in entry.text_content()
    assert "Внимание как мягкий словарь" in entry.locator(".course-list__needs").inner_text()


def test_a_long_line_of_code_shows_on_which_side_it_goes_on(open_page):
    page = open_page("es/lessons/soft-dictionary/", **PHONE)
    code = page.locator("pre > code[data-more-after]").first
    assert code.get_attribute("tabindex") == "0"
    assert code.get_attribute("data-more-before") is None
    assert "linear-gradient" in code.evaluate("e => getComputedStyle(e).maskImage")
    code.evaluate("e => { e.id = 'long'; e.scrollLeft = e.scrollWidth; }")
    page.wait_for_selector("#long[data-more-before]:not([data-more-after])")


def test_the_copy_button_never_lies_on_code(open_page):
    page = open_page("es/lessons/soft-dictionary/", **PHONE)
    page.wait_for_selector(".md-code__button")
    covered = page.evaluate("""() => [...document.querySelectorAll('.lesson-code')].filter(block => {
        const button = block.querySelector('.md-code__nav').getBoundingClientRect();
        const line = document.createRange(); line.selectNodeContents(block.querySelector('code'));
        return button.bottom > line.getClientRects()[0].top + 1; }).length""")
    assert covered == 0


@pytest.mark.parametrize(("first", "then"), [("light", ["slate", "default"]), ("dark", ["default", "slate"])])
def test_space_and_enter_switch_between_light_and_dark(open_page, first, then):
    page = open_page("es/lessons/masks/", color_scheme=first)
    scheme = "document.body.getAttribute('data-md-color-scheme')"
    page.wait_for_function(f"{scheme} === '{then[1]}'")
    page.locator(".md-option").first.focus()
    for key, expected in zip(["Space", "Enter"], then, strict=True):
        page.keyboard.press(key)
        page.wait_for_function(f"{scheme} === '{expected}'")
        assert page.locator(".md-option:focus").count() == 1


def test_the_sidebar_does_not_name_the_course_again(open_page):
    page = open_page("es/lessons/masks/")
    assert "La atención, paso a paso" not in page.locator(".md-sidebar--primary").inner_text()


def test_paper_is_white_and_shows_what_a_screen_scrolls_to(open_page):
    page = open_page("ru/lessons/masks/", color_scheme="dark")
    page.wait_for_function("document.body.getAttribute('data-md-color-scheme') === 'slate'")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".md-header").is_visible()
    assert page.locator(".lesson-output pre").first.evaluate("e => getComputedStyle(e).overflowX") == "visible"


@pytest.mark.parametrize("width", [740, 768, 1000])
def test_a_tablet_keeps_the_text_away_from_its_edges(open_page, width):
    for path in ("es/", "es/lessons/masks/"):
        page = open_page(path, viewport={"width": width, "height": 1000})
        edges = page.evaluate("""() => [...document.querySelectorAll('article h1, article p, .course-list > li')]
            .filter(e => e.offsetParent).map(e => e.getBoundingClientRect()).map(r => [r.left, r.right])""")
        assert min(left for left, _ in edges) >= 12
        assert max(right for _, right in edges) <= width - 12


@LANGUAGES
def test_a_phone_shows_a_plot_whole_and_the_name_of_the_course(open_page, language):
    page = open_page(f"{language}/lessons/sqrt-d/", **PHONE)
    wide = "e => e.scrollWidth - e.clientWidth"
    plots = page.locator(".lesson-figure__box:has(> svg:not(.vis))")
    assert plots.count() >= 4
    assert {plot.evaluate(wide) for plot in plots.all()} == {0}
    assert page.locator(".md-header__topic:first-child .md-ellipsis").evaluate(wide) == 0


def test_the_way_to_the_top_does_not_lie_on_the_line_one_scrolls_up_to(open_page):
    page = open_page("es/lessons/masks/")
    page.mouse.wheel(0, 3000)
    page.wait_for_function("scrollY > 2500")
    page.mouse.wheel(0, -600)
    page.wait_for_selector(".md-top:not([hidden])")
    box, column = page.locator(".md-top").bounding_box(), page.locator("article").bounding_box()
    assert box["x"] >= column["x"] + column["width"] - 1
    assert box["y"] > page.viewport_size["height"] / 2
