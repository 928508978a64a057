"""The site as it is published, in Chromium: every page that was built, in both languages.

One host, no script needed, nothing sideways on a phone, no console error, few bytes, nothing that jumps, no barrier that
axe-core knows of; the language switch in every state; the keyboard; the page for addresses that lead nowhere.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from lessonkit.languages import LANGUAGES
from tests.browser.conftest import LESSON, PHONE, SLOWLY, BuiltSite, built_site

pytestmark = pytest.mark.browser

BUDGET = 250_000
"""Bytes of all that a page loads before a click, compressed as a server does (DESIGN §6)."""
THEMES = ("default", "slate")
SWITCH = ".course-languages a"


def other_than(language: str) -> str:
    return next(code for code in LANGUAGES if code != language)


def visit(page: Page, address: str) -> None:
    """Go to another page; what is seen there counts for it alone."""
    page.seen["requests"].clear()
    page.seen["errors"].clear()
    page.goto(address, wait_until="load")


@pytest.mark.case(number="C13")
def test_every_page_has_its_counterpart(deployed_site):
    own = {language: {path.removeprefix(language) for path in deployed_site.pages(language)} for language in LANGUAGES}
    assert "/" + LESSON in own["es"]
    assert own["es"] == own["ru"]


# --- What every page keeps ---------------------------------------------------------------------------------------------


@pytest.mark.case(number="C44")
def test_one_host_no_console_error_and_few_bytes(chromium, deployed_site, language):
    """Each page with nothing in the browser's cache."""
    foreign, errors, heavy = {}, {}, {}
    for path in deployed_site.pages(language):
        context = chromium.new_context()
        page, answers = context.new_page(), []
        page.on("response", lambda answer, answers=answers: answers.append(answer))
        page.on("console", lambda message, path=path: message.type in ("error", "warning") and errors.update({path: message.text}))
        page.on("pageerror", lambda error, path=path: errors.update({path: str(error)}))
        page.goto(deployed_site.address + path, wait_until="networkidle")
        weight = sum(len(body if answer.url.endswith((".png", ".woff2")) else gzip.compress(body, 6))
                     for answer in answers if answer.status == 200 for body in [answer.body()])
        hosts = {urlsplit(answer.url).netloc for answer in answers} - {urlsplit(deployed_site.address).netloc}
        failed = [f"{answer.status} {answer.url}" for answer in answers if answer.status >= 400]
        if hosts:
            foreign[path] = hosts
        if failed:
            errors[path] = failed
        if weight > BUDGET:
            heavy[path] = weight
        context.close()
    assert (foreign, errors, heavy) == ({}, {}, {})


def test_whole_without_javascript(open_page, deployed_site, language):
    """Text, formulas and figures are in the page; the links to the other language are the page's own."""
    page = open_page("", java_script_enabled=False)
    other = other_than(language)
    for path in deployed_site.pages(language):
        visit(page, deployed_site.address + path)
        counterpart = deployed_site.address + other + path.removeprefix(language)
        links = page.locator(SWITCH)
        assert [link.evaluate("link => [link.hreflang, link.lang, link.href]") for link in links.all()] == [[other, other, counterpart]]
        assert links.first.is_visible()
        assert page.locator("html").get_attribute("lang") == language
        assert page.locator("article h1").is_visible()
        assert page.evaluate("[...document.querySelectorAll('mjx-container')].filter(e => !e.querySelector(':scope > svg')).length") == 0
        assert page.seen["errors"] == []


@pytest.mark.case(number="C61")
def test_a_phone_never_scrolls_sideways(open_page, deployed_site, language):
    page = open_page("", **PHONE)
    wide = {}
    for path in deployed_site.pages(language):
        visit(page, deployed_site.address + path)
        beyond = page.evaluate("""() => [...document.querySelectorAll('article *, header *')].filter(e => {
            const box = e.getBoundingClientRect(); if (box.width === 0 || box.right <= innerWidth + 1) return false;
            for (let p = e; p; p = p.parentElement) if (getComputedStyle(p).overflowX !== 'visible' || p.closest('mjx-assistive-mml')) return false;
            return true; }).map(e => e.outerHTML.slice(0, 120))""")
        if beyond or page.evaluate("document.documentElement.scrollWidth") != 390:
            wide[path] = beyond
        assert page.seen["errors"] == []
    assert wide == {}


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_shifts_while_a_page_loads(open_page, deployed_site, language, width):
    page = open_page("", viewport={"width": width, "height": 900})
    page.context.add_init_script("""window.shift = 0; new PerformanceObserver(list => { for (const e of list.getEntries())
        if (!e.hadRecentInput) window.shift += e.value; }).observe({type: 'layout-shift', buffered: true});""")
    shifts = {}
    for path in deployed_site.pages(language):
        # Over a slow line: what comes all at once cannot be seen to move. MathJax in the browser moved 0.49 to 0.64 and
        # `text-wrap: pretty` up to 0.06. The columns of a table on the first screen settle while its rows arrive: 0.002.
        visit(page, deployed_site.address.replace("/course/", f"/{SLOWLY}course/") + path)
        page.wait_for_timeout(100)
        if (shift := page.evaluate("window.shift")) > .004:
            shifts[path] = shift
    assert shifts == {}


def barriers(page: Page) -> list[str]:
    """What axe-core finds on a page, one line a rule with the first element that it names.

    It does not read MathML, so it takes a column whose heading is a formula for one without.
    """
    lines = []
    for rule in Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]:
        nodes = [node for node in rule["nodes"] if rule["id"] != "empty-table-header"
                 or not page.locator(node["target"][0]).locator("mjx-assistive-mml").count()]
        if nodes:
            lines.append(f"{rule['id']} ×{len(nodes)}: {nodes[0]['html'][:160]}: {nodes[0]['failureSummary'][:300]}")
    return lines


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_no_barrier(open_page, deployed_site, language, theme):
    page = open_page("", color_scheme="dark" if theme == "slate" else "light", reduced_motion="reduce")
    found = {}
    for path in ["", "404.html", *deployed_site.pages(language)]:
        visit(page, deployed_site.address + path)
        if path.startswith(language):
            assert page.locator("body").get_attribute("data-md-color-scheme") == theme
        if lines := barriers(page):
            found[path] = lines
    assert found == {}, "\n".join(f"{path}\n  " + "\n  ".join(lines) for path, lines in found.items())


# --- The language switch -----------------------------------------------------------------------------------------------


@pytest.mark.case(number="C48")
def test_the_switch_keeps_lesson_and_section_after_instant_navigation(open_page, site):
    page = open_page("es/")
    page.evaluate("window.loadedOnce = true")
    page.locator(f"article a[href*='{LESSON}']").first.click()
    page.wait_for_url(f"**/es/{LESSON}")
    page.locator(".md-sidebar--secondary .md-nav__link").nth(4).click()
    assert page.evaluate("window.loadedOnce"), "the page was loaded anew: this is not instant navigation"
    fragment = urlsplit(page.url).fragment
    assert fragment
    for language in ("ru", "es"):
        page.locator(f"{SWITCH}[hreflang={language}]").click()
        page.wait_for_url(f"{site}{language}/{LESSON}#{fragment}")
        assert page.locator("html").get_attribute("lang") == language
        assert page.locator(f"[id='{fragment}']").bounding_box()["y"] < 450
    assert page.seen["errors"] == []


@pytest.mark.case(number="C48")
@pytest.mark.parametrize("anchored", [False, True], ids=["", "anchor"])
def test_on_ten_pages_the_switch_leads_there_and_back_by_click_and_in_a_new_tab(open_page, deployed_site, anchored):
    page, site = open_page("es/"), deployed_site.address
    paths = [path.removeprefix("es/") for path in deployed_site.pages("es")][:10]
    assert len(paths) == 10
    for path in paths:
        page.goto(f"{site}es/{path}", wait_until="load")
        heading = page.locator("article h2[id]").first
        if anchored and heading.count():
            page.goto(f"{site}es/{path}#{heading.get_attribute('id')}", wait_until="load")
        for language, other in (("es", "ru"), ("ru", "es")):
            own = f"{site}{other}/{path}"
            with page.context.expect_page() as opened:
                page.locator(SWITCH).click(modifiers=["ControlOrMeta"])
            tab = opened.value
            tab.wait_for_load_state("load")
            assert tab.url.partition("#")[0] == own
            assert tab.locator("html").get_attribute("lang") == other
            tab.close()
            assert f"/{language}/" in page.url, "the page itself stays"
            page.locator(SWITCH).click()
            page.wait_for_url(lambda url, own=own: url.partition("#")[0] == own)
            fragment = urlsplit(page.url).fragment
            there = not fragment or page.locator(f"[id='{fragment}']").count() == 1
            assert there or page.evaluate("scrollY") == 0, "a letter of the other alphabet: its page opens at its beginning"
            assert page.locator("html").get_attribute("lang") == other
    assert page.seen["errors"] == []


@pytest.mark.case(number="C48")
def test_the_switch_keeps_the_section_that_is_being_read(open_page, site):
    """Nobody clicked on a heading: the reader only scrolled."""
    page = open_page(f"es/{LESSON}")
    heading = page.locator("article h2[id]").nth(2)
    heading.evaluate("heading => window.scrollTo(0, heading.offsetTop + 300)")
    page.locator(f"{SWITCH}[hreflang=ru]").click()
    page.wait_for_url(re.compile(f"{site}ru/{LESSON}#.+"))
    page.goto(f"{site}es/{LESSON}")
    page.locator(f"{SWITCH}[hreflang=ru]").click()
    page.wait_for_url(f"{site}ru/{LESSON}")


@pytest.mark.parametrize(("language", "width"), [("es", 1280), ("ru", 390)])
def test_the_contents_mark_the_section_that_one_jumped_to(open_page, language, width):
    page = open_page(f"{language}/{LESSON}", viewport={"width": width, "height": 900})
    marked = "[...new Set([...document.querySelectorAll('.md-nav--secondary .md-nav__link--active')].map(link => link.hash))]"
    headings = page.locator("article :is(h2, h3)[id]").evaluate_all("all => all.map(heading => heading.id)")
    for heading in headings[:-2]:  # the page ends before the last ones can stand at the top
        page.evaluate(f"location.hash = '#{heading}'")
        page.wait_for_function(f"({marked}).join() === '#{heading}'", timeout=3000)


@pytest.mark.case(number="C48")
def test_back_and_forward_keep_the_switch_right(open_page, site):
    page = open_page(f"es/{LESSON}")
    page.locator(".md-footer__link--next").click()
    page.wait_for_url(lambda url: LESSON not in url)
    after = page.url
    page.wait_for_function(f"document.querySelector('{SWITCH}').href === location.href.replace('/es/', '/ru/')")
    page.go_back()
    page.wait_for_function(f"document.querySelector('{SWITCH}').href.endsWith('/ru/{LESSON}')")
    page.go_forward()
    page.wait_for_function(f"document.querySelector('{SWITCH}').href === location.href.replace('/es/', '/ru/')")
    page.locator(SWITCH).click()
    page.wait_for_url(after.replace("/es/", "/ru/") + "**")
    page.go_back()
    page.wait_for_url(after + "**")
    assert page.locator("html").get_attribute("lang") == "es"
    assert page.seen["errors"] == []


def test_light_or_dark_holds_for_both_languages(open_page, site):
    page = open_page(f"es/{LESSON}", color_scheme="light")
    page.locator(".md-header label[for^=__palette]:visible").click()
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    page.locator(SWITCH).click()
    page.wait_for_url(f"{site}ru/{LESSON}")
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    visit(page, f"{site}ru/nothing-here/")
    assert page.evaluate("document.documentElement.style.colorScheme") == "dark"


def test_twenty_instant_navigations_without_an_error(open_page, deployed_site, language):
    page = open_page(f"{language}/")
    page.evaluate("window.loadedOnce = true")
    visited = set()
    for step in range(20):
        links = page.locator(".md-sidebar--primary .md-nav__link[href]")
        addresses = [urlsplit(address).path for address in links.evaluate_all("links => links.map(link => link.href)")]
        here = urlsplit(page.url).path
        elsewhere = [address for address in addresses if address != here and f"/{language}/" in address]
        target = elsewhere[(step * 7) % len(elsewhere)]
        links.nth(addresses.index(target)).evaluate("link => link.click()")
        page.wait_for_function("target => location.pathname === target && document.querySelector('link[rel=canonical]').href === location.href", arg=target)
        assert page.locator(SWITCH).get_attribute("href") == page.url.replace(f"/{language}/", f"/{other_than(language)}/")
        visited.add(target)
    assert len(visited) > 3
    assert page.evaluate("window.loadedOnce")
    assert page.seen["errors"] == []


# --- The keyboard ------------------------------------------------------------------------------------------------------


def focused(page: Page) -> str:
    return page.evaluate("(e => [e.tagName, ...e.classList].filter(name => name !== 'focus-visible').join('.'))(document.activeElement)")


def test_the_keyboard_goes_through_the_header(open_page, site, language):
    page = open_page(f"{language}/{LESSON}")
    page.keyboard.press("Tab")
    assert focused(page) == "A.md-skip"
    assert page.locator(".md-skip").is_visible()
    met = []
    while not met or "course-languages__link" not in met[-1]:
        page.keyboard.press("Tab")
        met.append(focused(page))
        assert len(met) < 12, f"Tab never reaches the languages: {met}"
        assert page.evaluate("""() => { const e = document.activeElement, box = (e.matches('.md-option') ? e.nextElementSibling ?? e : e)
            .getBoundingClientRect(); return document.activeElement.closest('.md-header') !== null && box.height > 0; }"""), met
    assert any("md-logo" in one for one in met)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}{other_than(language)}/{LESSON}")


def test_the_skip_link_leads_to_the_beginning_of_the_text(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement === document.querySelector('article h1')")
    page.keyboard.press("Tab")
    assert page.evaluate("""() => [...document.querySelectorAll('article h1 ~ * a[href], article h1 ~ * :is(summary, button, [tabindex="0"])')]
        .find(e => e.getClientRects().length && e.tabIndex >= 0) === document.activeElement"""), focused(page)


def test_the_keyboard_opens_the_pages_of_the_course_on_a_phone(open_page, language):
    page = open_page(f"{language}/{LESSON}", viewport={"width": 390, "height": 844})
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('label[for=__drawer]')"):
            break
    assert page.get_by_role("button", name=page.locator(".md-nav--primary").get_attribute("aria-label")).first.is_visible()
    page.keyboard.press("Space")
    assert page.evaluate("document.getElementById('__drawer').checked")


# --- Addresses that lead nowhere ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["{}/nothing-here/", "{}/lessons/nothing-here/deeper/"])
def test_an_unknown_address_is_answered_in_its_language(open_page, site, language, path):
    page = open_page(path.format(language), locale="en-US")
    assert page.locator("html").get_attribute("lang") == language
    assert [section.get_attribute("lang") for section in page.locator("section:visible").all()] == [language]
    assert page.title() == page.locator("section:visible h1").inner_text()
    page.locator("section:visible a").click()
    page.wait_for_url(f"{site}{language}/")


def test_an_unknown_address_without_a_language_follows_the_browser(open_page):
    for locale, shown in (("ru-RU", ["ru"]), ("es-MX", ["es"]), ("en-US", ["es", "ru"])):
        page = open_page("nothing-here", locale=locale)
        assert [section.get_attribute("lang") for section in page.locator("section:visible").all()] == shown


def test_an_unknown_address_without_javascript_is_answered_in_both_languages(open_page, site):
    page = open_page("ru/nothing-here", java_script_enabled=False)
    links = page.locator("section:visible a")
    assert [link.get_attribute("href") for link in links.all()] == [urlsplit(site).path + "es/", urlsplit(site).path + "ru/"]


# --- A site that does not know its own address -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuiltSite]:
    """`mkdocs build` and nothing else, put anywhere."""
    with built_site(tmp_path_factory.mktemp("plain"), knows_its_address=False) as site:
        yield site


@pytest.mark.case(number="C48")
def test_a_site_without_an_address_has_no_errors_and_right_links(open_page, plain_site, language):
    page = open_page(plain_site.address + f"{language}/")
    other = other_than(language)
    page.locator(f"article a[href*='{LESSON}']").first.click()
    page.wait_for_url(f"{plain_site.address}{language}/{LESSON}")
    page.locator(SWITCH).click()
    page.wait_for_url(f"{plain_site.address}{other}/{LESSON}")
    page.wait_for_load_state("networkidle")
    assert page.seen["errors"] == []
    assert page.locator("link[rel=canonical], meta[property='og:image'], a[rel=edit]").count() == 0
    visit(page, f"{plain_site.address}{language}/nothing-here/")
    page.locator("section:visible a").click()
    page.wait_for_url(f"{plain_site.address}{language}/")
