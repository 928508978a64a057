"""Lessons in Chromium, in both languages: all that their sources hold is there without JavaScript; copying; the chooser; themes."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from lessonkit.pages import read_page
from lessonkit.project import Project
from tests.conftest import ROOT

pytestmark = pytest.mark.browser

PAGES = [name for name in Project(ROOT).pages() if name.file != "contribute.md"]


def path(name) -> str:
    return f"{name.language}/" + name.file.removesuffix(".md").removesuffix("index").rstrip("/") + ("/" if name.file != "index.md" else "")


every_page = pytest.mark.parametrize("name", PAGES, ids=str)


@every_page
def test_whole_without_javascript_and_from_one_host(open_page, site, name):
    page = open_page(path(name), java_script_enabled=False)
    source = read_page(Project(ROOT), name)
    formulas = page.locator("article mjx-container")  # one in a heading stands in the contents as text
    assert formulas.count() == page.locator("mjx-container").count() == len(source.formulas)
    assert formulas.locator("> svg").first.is_visible() if source.formulas else True
    assert page.locator(".lesson-snippet").count() == len(source.directives)
    assert page.locator(".lesson-figure").count() == sum(len(directive.alts) for directive in source.directives)
    assert "$" not in page.locator("article").inner_text().replace("$HOME", "")
    assert page.locator("html").get_attribute("lang") == name.language
    assert {urlsplit(url).netloc for url in page.seen["requests"]} == {urlsplit(site).netloc}
    assert page.seen["errors"] == []


def test_formulas_are_copied_as_tex(open_page):
    page = open_page("es/lessons/soft-dictionary/", permissions=["clipboard-read", "clipboard-write"])
    tex = page.locator("mjx-container[display]").first.get_attribute("data-tex")
    page.evaluate("""() => { const range = document.createRange();
        range.selectNode(document.querySelector('mjx-container[display]'));
        getSelection().removeAllRanges(); getSelection().addRange(range); document.execCommand('copy'); }""")
    assert tex in page.evaluate("navigator.clipboard.readText()")


def test_the_chooser_offers_both_languages_and_remembers(open_page, site):
    page = open_page("", locale="ru-RU")
    assert page.locator("a").all_inner_texts()[0].startswith("Русский")
    page.locator("a[hreflang=es]").click()
    page.wait_for_url(f"{site}es/")
    page.goto(site)
    assert page.locator("a").all_inner_texts()[0].startswith("Español")


@pytest.mark.case(number="C87")
@pytest.mark.parametrize("language", ["es", "ru"])
def test_dark_and_light_figures_follow_the_theme(open_page, language):
    page = open_page(f"{language}/lessons/soft-dictionary/")
    ink = "getComputedStyle(document.querySelector('.lesson-figure svg text, .lesson-figure svg')).getPropertyValue('--vis-ink').trim()"
    light = page.evaluate(ink)
    page.evaluate("document.body.setAttribute('data-md-color-scheme', 'slate')")
    assert page.evaluate(ink) != light
