"""Dead links are found on the sources, with page and line, in cold and warm builds alike."""

from __future__ import annotations

import pytest

from lessonkit.glossary import Glossary
from lessonkit.links import check_links
from lessonkit.pages import parse_page
from lessonkit.project import PageName, Project


@pytest.fixture
def said(tmp_path):
    (tmp_path / "docs/es/data").mkdir(parents=True)
    (tmp_path / "docs/es/data/a.csv").write_text("1")
    other = parse_page(PageName("es", "lessons/other.md"), "## A {#alpha}\n\n[x](y){ #mark }\n\n<a id='old'></a>\n")

    def check(text):
        page = parse_page(PageName("es", "lessons/masks.md"), text)
        pages = {p.name: p for p in (page, other)}
        return [str(problem) for name, problem in check_links(Project(tmp_path), pages, Glossary()) if name == page.name]

    return check


@pytest.mark.case(number="C60")
@pytest.mark.parametrize("link", ["[x](other.md)", "[x](other.md#alpha)", "[x](other.md#mark)", "[x](other.md#old)", "[x](#here)",
                                  "[x](../data/a.csv)", "[x](https://example.org/a.md)", "[x](mailto:a@b.c)", "`[x](no.md)`",
                                  "[x][r]\n\n[r]: other.md#alpha", "![x](../data/a.csv)"])
def test_links_with_a_target(said, link):
    assert said(f"## H {{#here}}\n\n{link}\n") == []


@pytest.mark.case(number="C12")
@pytest.mark.case(number="C60")
@pytest.mark.parametrize(("link", "message"), [
    ("[x](othr.md)", "docs/es/lessons/masks.md:1: The link othr.md leads to docs/es/lessons/othr.md, which does not exist [link]\n"
                     "    Did you mean docs/es/lessons/other.md?"),
    ("[x](other.md#alfa)", "docs/es/lessons/masks.md:1: The link other.md#alfa leads to #alfa, but docs/es/lessons/other.md has no "
                           "such id [link]\n    Did you mean alpha?"),
    ("[x](#gone)", "docs/es/lessons/masks.md:1: The link #gone leads to #gone, but this page has no such id [link]\n"
                   "    Give the heading an id: ## Title {#short-name}"),
    ("[x](/es/lessons/other/)", "docs/es/lessons/masks.md:1: The link /es/lessons/other/ begins with a slash, so it breaks where the "
                                "site lies below a folder [link]\n    Write it relative to this page, as in ../concepts/name.md."),
    ("[x][r]\n\n[r]: no.csv", "docs/es/lessons/masks.md:3: The link no.csv leads to docs/es/lessons/no.csv, which does not exist [link]\n"
                              "    Mend the address; pages are named with .md at their end."),
])
def test_dead_links(said, link, message):
    assert said(link + "\n") == [message]
