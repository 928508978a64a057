"""Terms in lessons in Chromium: their definitions by hover, focus and tap, and what is there without JavaScript."""

from __future__ import annotations

import pytest

from lessonkit.glossary import read_glossary
from lessonkit.languages import LANGUAGES
from lessonkit.project import Project
from tests.browser.conftest import PHONE
from tests.conftest import ROOT

pytestmark = pytest.mark.browser

TERMS = {term.id: term for term in read_glossary(Project(ROOT)).terms}
LESSON = "lessons/soft-dictionary/"


def term(page, term_id="softmax"):
    return page.locator(f"article a.term[href$='#{term_id}']")


def definition(page):
    return page.locator(".term-definition")


def shows(page, language, term_id="softmax"):
    """The definition is in sight and is the glossary's."""
    definition(page).wait_for(state="visible")
    said = definition(page).inner_text()
    return TERMS[term_id].entries[language].definition in said and TERMS[term_id].entries[language].name in said


def is_gone(page):
    definition(page).wait_for(state="hidden")
    return True


def test_hover(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    term(page).hover()
    assert shows(page, language)
    definition(page).hover()  # it can be reached with the pointer, and stays
    page.wait_for_timeout(500)
    assert definition(page).is_visible()
    page.mouse.move(5, 5)
    assert is_gone(page)
    assert page.seen["errors"] == []


def test_a_pointer_that_only_passes_opens_nothing(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    term(page).hover()
    page.mouse.move(5, 5)
    page.wait_for_timeout(400)
    assert definition(page).count() == 0  # it is made when it is needed


def test_focus_and_escape(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    term(page).scroll_into_view_if_needed()
    page.keyboard.press("Shift")  # the keyboard is in use: focus is shown
    term(page).focus()
    assert shows(page, language)
    page.keyboard.press("Escape")
    assert is_gone(page)
    assert page.evaluate("document.activeElement.getAttribute('href')").endswith("#softmax")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert shows(page, language)
    page.keyboard.press("Tab")
    definition(page).get_by_text(TERMS["softmax"].entries[language].definition).wait_for(state="hidden")


@pytest.mark.parametrize("lesson", [LESSON, "lessons/masks/"])
def test_a_tap_shows_every_definition_within_a_phone(open_page, language, lesson):
    page = open_page(f"{language}/{lesson}", **PHONE)
    address = page.url
    links = page.locator("article a.term")
    assert links.count() > 10
    for link in links.all():
        link.scroll_into_view_if_needed()
        link.tap()
        assert shows(page, language, link.get_attribute("href").split("#")[1])
        left, top, right, bottom, line_top, line_bottom = definition(page).evaluate("""(box, link) => {
            const { left, top, right, bottom } = box.getBoundingClientRect(), lines = [...link.getClientRects()];
            return [left, top, right, bottom, lines[0].top, lines.at(-1).bottom]; }""", link.element_handle())
        assert 4 <= left < right <= 386
        assert 0 <= top < bottom <= 844
        assert top >= line_top + 10 or bottom <= line_bottom - 10, "it covers the term"
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        link.tap()
        assert is_gone(page)
    assert page.url == address


def test_a_tapped_definition_leads_to_the_glossary_and_a_tap_elsewhere_closes_it(open_page, language):
    page = open_page(f"{language}/{LESSON}", **PHONE)
    term(page).tap()
    assert shows(page, language)
    page.locator("article h1").first.evaluate("e => e.dispatchEvent(new PointerEvent('pointerdown', {bubbles: true, pointerType: 'touch'}))")
    assert is_gone(page)
    term(page).tap()
    definition(page).locator("a").tap()
    page.wait_for_url(f"**/{language}/glossary/#softmax")
    assert is_gone(page)


def test_the_back_of_a_phone_closes_the_definition(open_page, language):
    page = open_page(f"{language}/{LESSON}", **PHONE)
    page.evaluate("""() => { window.CloseWatcher = class extends CloseWatcher {
        constructor() { super(); window.watcher = this; } }; }""")
    address = page.url
    for _ in range(2):
        term(page).tap()
        assert shows(page, language)
        page.evaluate("watcher.requestClose()")  # what the browser does when Back is pressed
        assert is_gone(page)
    assert page.url == address


def test_a_click_follows_the_link(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    term(page).click()
    page.wait_for_url(f"**/{language}/glossary/#softmax")
    assert is_gone(page)
    page.locator("h3#softmax").wait_for(state="visible")


def test_without_javascript_a_term_is_a_link(open_page, language):
    page = open_page(f"{language}/{LESSON}", java_script_enabled=False)
    term(page).click()
    page.wait_for_url(f"**/{language}/glossary/#softmax")
    assert page.locator("h3#softmax").is_visible()


@pytest.mark.parametrize("javascript", [True, False])
def test_screen_readers_hear_the_definition(open_page, language, javascript):
    from playwright.sync_api import expect

    page = open_page(f"{language}/{LESSON}", java_script_enabled=javascript)
    expect(term(page)).to_have_accessible_description(TERMS["softmax"].entries[language].definition)
    assert not page.locator(".term-definitions").is_visible()


def test_after_instant_navigation(open_page, language):
    page = open_page(f"{language}/")
    page.evaluate("window.stayed = true")
    page.locator(f"a[href$='{LESSON}']").first.evaluate("e => e.click()")
    page.wait_for_url(f"**/{LESSON}")
    term(page).wait_for(state="attached")
    assert page.evaluate("window.stayed"), "the page was loaded anew: this is not instant navigation"
    term(page).hover()
    assert shows(page, language)
    page.go_back()
    page.wait_for_url(f"**/{language}/")
    assert is_gone(page)


def test_paper_shows_no_mark(open_page):
    page = open_page(f"es/{LESSON}")
    page.emulate_media(media="print")
    assert term(page).evaluate("e => getComputedStyle(e).textDecorationLine") == "none"


def test_the_glossary_is_whole_without_javascript(open_page, language):
    page = open_page(f"{language}/glossary/", java_script_enabled=False)
    article = page.locator("article")
    assert sorted(heading.get_attribute("id") for heading in article.locator("h3").all()) == sorted(TERMS)
    text = article.inner_text()
    for one in TERMS.values():
        assert one.entries[language].definition in text
    for heading in ("attention-weight", "causal-mask"):
        names = article.locator(f"h3#{heading} + p")
        other = next(code for code in LANGUAGES if code != language)
        assert names.locator(f"[lang={other}]").inner_text() == TERMS[heading].entries[other].name
        assert names.locator("[lang=en]").inner_text() == TERMS[heading].english
    assert article.locator("a.term").count() == 0
