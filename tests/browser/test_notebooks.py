"""The pages that show notebooks, in the browser: nothing from elsewhere, both themes, a phone's width, the way back."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser
SHOWN = "lessons/masks/notebook.html"


@pytest.mark.case(number="C44")
@pytest.mark.parametrize("language", ["es", "ru"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_loads_from_here_and_fits(open_page, site, language, width):
    page = open_page(f"{language}/{SHOWN}", viewport={"width": width, "height": 900}, color_scheme="dark")
    assert page.seen["errors"] == []
    host = site.split("/course/")[0]
    assert [url for url in page.seen["requests"] if not url.startswith((host, "data:"))] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.lang") == language
    assert page.locator("article mjx-container").count() > 20
    assert page.locator("article .lesson-cell").count() > 10


@pytest.mark.case(number="C42")
def test_from_a_lesson_to_its_notebook_in_another_language_and_back(open_page, site):
    page = open_page("es/lessons/masks/")
    page.locator(".lesson-notebook a").first.click()
    page.wait_for_url(f"{site}es/{SHOWN}")
    page.locator(".course-languages__link").first.click()
    page.wait_for_url(f"{site}ru/{SHOWN}*")
    with page.expect_download() as download:
        page.locator('.lesson-notebook a[href$=".ipynb"]').click()
    assert download.value.suggested_filename == "masks.ipynb"
    page.locator(".lesson-notebook a").first.click()
    page.wait_for_url(f"{site}ru/lessons/masks/")


def test_a_folded_cell_opens(open_page):
    page = open_page(f"es/{SHOWN}")
    folded = page.locator("details.lesson-folded").first
    assert not folded.locator("pre").is_visible()
    folded.locator("summary").click()
    assert folded.locator("pre").is_visible()
