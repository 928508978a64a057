"""Formulas are part of the page: however a reader comes to it, each is there, once."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from lessonkit.pages import read_page
from lessonkit.project import PageName, Project
from tests.browser.conftest import LESSON
from tests.browser.test_search import find
from tests.conftest import ROOT

pytestmark = pytest.mark.browser


def in_source(path: str) -> int:
    """Formulas that the page's source writes, by its address: es/lessons/masks/."""
    code, file = path.strip("/").split("/", 1)
    page = read_page(Project(ROOT), PageName(code, f"{file}.md"))
    return len(page.formulas)


def drawn(page: Page) -> int:
    return page.locator("article mjx-container").evaluate_all(
        "found => found.filter(one => one.querySelector('svg') && one.querySelector('svg').getBoundingClientRect().width > 0).length")


@pytest.mark.case(number="C05")
def test_every_formula_is_drawn_once_after_each_way_to_a_page(open_page, site):
    """By the menu and by a search hit, without a load of the page (instant navigation); by the language link, and back."""
    page = open_page("es/")
    page.evaluate("window.loadedOnce = true")

    def arrived(language: str, lesson: str, *, instantly: bool = False) -> None:
        path = f"{language}/{lesson}"
        page.wait_for_url(f"{site}{path}**")
        page.wait_for_function("code => document.documentElement.lang === code && document.querySelector('article mjx-container')", arg=language)
        assert not instantly or page.evaluate("window.loadedOnce"), "the page was loaded anew: this is not instant navigation"
        assert drawn(page) == page.locator("article mjx-container").count() == in_source(path) > 5
        prose = page.evaluate("""() => {
          const copy = document.querySelector('article').cloneNode(true);
          copy.querySelectorAll('code, samp, pre, mjx-container').forEach(one => one.remove());
          return copy.textContent;
        }""")
        assert not re.search(r"\$|\\\(|\\frac|\\begin", prose), "raw TeX"

    page.locator(f".md-sidebar--primary .md-nav__link[href$='{LESSON}']").first.evaluate("link => link.click()")
    arrived("es", LESSON, instantly=True)
    hits = [hit["path"] for hit in find(page, "máscaras causales") if "/es/lessons/" in hit["path"] and LESSON not in hit["path"]]
    target = re.search(r"/es/(lessons/[\w-]+/)", hits[0])[1]
    page.locator(f".course-search a[href='{hits[0]}']").first.click()
    arrived("es", target, instantly=True)
    page.locator(".course-languages a").click()
    arrived("ru", target)
    page.go_back()
    arrived("es", target)
    assert page.seen["errors"] == []
    assert not [url for url in page.seen["requests"] if "mathjax" in url.lower()], "no script draws them in the browser"
