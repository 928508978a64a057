"""A third language is a folder and a few lines: a course of one page speaks it, without a change to engine or theme."""

from __future__ import annotations

import dataclasses
import re
import shutil

import pytest

from lessonkit.languages import LANGUAGES
from tests.conftest import LESSON_FRONT, Checkout

PAGE = LESSON_FRONT.format(title="Máscaras") + """
Pesa [3]{= total}: $e^1\\approx\\val{2.72}{= round(2.718, 2)}$.

## A soma {#sum}

/// snippet | count
///
"""


@pytest.fixture
def portuguese(checkout: Checkout) -> Checkout:
    """The miniature course cut down to a home and one lesson, with Portuguese beside the other two."""
    for code in LANGUAGES:
        shutil.rmtree(checkout.root / f"snippets/{code}")
        (checkout.root / f"docs/{code}/lessons/mini.md").unlink()
        checkout.write(f"docs/{code}/index.md", "---\ntitle: Curso\ndescription: Um curso.\n---\n\nHola.\n")
    for code in [*LANGUAGES, "pt"]:
        comma = code == "ru"
        page = PAGE.replace("2.72", "2{,}72") if comma else PAGE
        checkout.write(f"docs/{code}/lessons/other.md", page.replace("needs: []\n", "needs: []\nsnippet: count\n"))
        checkout.write(f"docs/{code}/index.md", "---\ntitle: Curso\ndescription: Um curso.\n---\n\n[Máscaras](lessons/other.md#sum)\n")
        checkout.write(f"snippets/{code}/other/count.py", '"""Soma."""\ntotal = 1 + 2\nprint(total)\n')
        checkout.write(f"snippets/{code}/other/count.out", "3\n")

    # the entry
    entry = repr(dataclasses.replace(LANGUAGES["es"], code="pt", name="Português", output="Saída"))
    source = checkout.read("scripts/lessonkit/languages.py")
    assert source.count("\n    for language in (\n") == 1
    checkout.write("scripts/lessonkit/languages.py", source.replace("\n    for language in (\n", f"\n    for language in (\n        {entry},\n", 1))

    # the few lines of the configuration
    text = checkout.read("mkdocs.yml")
    text = re.sub(r" *- \w+/lessons/mini\.md\n", "", text)
    text = re.sub(r"(  - ru:\n)", "  - pt:\n    - pt/index.md\n    - pt/lessons/other.md\n\\1", text, count=1)
    text = re.sub(r"( *- \{name: Español.*\n)", "\\1    - {name: Português, link: pt/, lang: pt}\n", text, count=1)
    text = re.sub(r"( *es: \{site_name: .*\n)", '\\1    pt: {site_name: "A atenção", copyright: ""}\n', text, count=1)
    checkout.write("mkdocs.yml", text)
    return checkout


def test_a_page_in_a_third_language_is_checked_and_built(portuguese: Checkout) -> None:
    checked = portuguese.lessons("check")
    assert checked.returncode == 0, checked.stderr
    built = portuguese.build(SITE_URL="https://example.org/course/")
    assert built.returncode == 0, built.stderr
    page = portuguese.page("pt/lessons/other")
    assert re.search(r'<html lang="pt"', page)
    assert "Saída" in page
    assert "<mjx-container" in page
    assert "https://example.org/course/pt/lessons/other/" in (portuguese.site / "pt/sitemap.xml").read_text()
    for code in LANGUAGES:  # and the others lead to it
        assert re.search(r'href="\.\./\.\./\.\./pt/lessons/other/"', portuguese.page(f"{code}/lessons/other"))
    assert 'href="pt/"' in (portuguese.site / "index.html").read_text()


def test_a_page_that_only_the_others_have_is_missing_in_the_third(portuguese: Checkout) -> None:
    for code in LANGUAGES:
        portuguese.write(f"docs/{code}/lessons/more.md", LESSON_FRONT.format(title="Más") + "\nHola.\n")
    checked = portuguese.lessons("check")
    assert "docs/pt/lessons/more.md: This page is missing" in checked.stderr
