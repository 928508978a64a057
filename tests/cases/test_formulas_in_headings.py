"""A formula in a heading reads as text wherever the heading stands beside its page."""

from __future__ import annotations

import html
import re

import pytest

from tests.cases.conftest import WORDS, article
from tests.engine.test_search import indexed

languages = pytest.mark.parametrize("language", ["es", "ru"])


@pytest.mark.case(number="C73")
@languages
def test_contents_search_and_anchor_have_no_tex(full_course, language):
    words = WORDS[language]
    page = (full_course.site / f"{language}/lessons/full/index.html").read_text(encoding="utf-8")
    contents = re.findall(r'(?s)<nav class="md-nav md-nav--secondary".*?</nav>', page)[-1]
    entries = [(href, html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text)).strip()))
               for href, text in re.findall(r'(?s)<a href="([^"]*)" class="md-nav__link">(.*?)</a>', contents)]
    assert entries == [("#row", f"{words['row']} ∑_n a_n"), ("#function", f"{words['function']} f(x)")]
    assert re.search(r"<title>(.*?)</title>", page)[1].startswith(words["title"])
    for place in (contents, *re.findall(r'(?s)<nav class="md-nav md-nav--primary".*?</nav>|<head>.*?</head>', page)):
        assert not re.search(r"\\(?:sum|alpha|\(|\[)|\$|mjx-", place)
    headings = re.findall(r'(?s)<h2 id="([^"]*)">(.*?)</h2>', article(full_course, f"{language}/lessons/full/index.html"))
    assert [id_ for id_, _ in headings] == ["row", "function"]
    assert all("<mjx-container" in heading for _, heading in headings), "in the text it is drawn"
    record = indexed(full_course.site / "pagefind")[f"/{language}/lessons/full/"]
    found = [anchor["text"] for anchor in record["anchors"] if anchor["id"] in ("row", "function")]
    assert found == [text for _, text in entries]
    assert "\\" not in record["content"].replace(r"\(x\) \[y\]", "")


@pytest.mark.case(number="C73")
def test_a_title_with_a_formula_is_told(checkout):
    """It would stand in the browser's tab, in menus and cards, where nothing can be drawn."""
    checkout.edit("docs/es/lessons/other.md", "title: Inicio", "title: Ряд $\\sum a_n$")
    done = checkout.lessons("check")
    assert done.returncode == 1
    assert "docs/es/lessons/other.md:2: Formulas and bound numbers in “title” stay as they are [front-matter]" in done.stderr
