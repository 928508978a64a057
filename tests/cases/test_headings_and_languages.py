"""Addresses that readers keep: ids of headings in both scripts, and the way to the other language."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest

from lessonkit.languages import LANGUAGES
from tests.cases.test_links_and_hosts import pages_of


@pytest.mark.case(number="C12")
def test_ids_are_readable_stable_distinct_and_the_same_everywhere(checkout):
    """Links lead to ids that are written down, so they outlive every heading; the others are made of the heading's own letters."""
    texts = {"es": "### Señales y año\n\n### Señales y año\n", "ru": "### Графики\n\n### Функция print()\n\n### Ещё раз\n\n### Графики\n"}
    expected = {"es": ["señales-y-año", "señales-y-año_1"], "ru": ["графики", "функция-print", "ещё-раз", "графики_1"]}
    for code, text in texts.items():
        path = f"docs/{code}/lessons/other.md"
        checkout.write(path, checkout.read(path) + f"\n## A {{#part}}\n\n{text}")
        checkout.write(f"docs/{code}/index.md", checkout.read(f"docs/{code}/index.md") + "\n[a](lessons/other.md#part)\n")
    for heading_above in ("", "### Nuevo\n\n## Zwei {#two}\n\n"):
        for code in texts:
            checkout.edit(f"docs/{code}/lessons/other.md", "\n## A {#part}\n", f"\n{heading_above}## A {{#part}}\n")
        done = checkout.build()
        assert done.returncode == 0, done.stderr
        for code, found in expected.items():
            page = checkout.page(f"{code}/lessons/other")
            assert [one for one in re.findall(r'<h3 id="([^"]+)"', page) if one != "nuevo"] == found
            links = [unquote(link) for link in re.findall(r'href="#([^"]+)"', page)]
            for one in ("part", *found):
                assert links.count(one) >= 2, f"{one}: contents and permalink"
            assert 'href="lessons/other/#part"' in checkout.page(code)
    checkout.edit("docs/ru/index.md", "#part", "#графики")
    done = checkout.build()
    assert done.returncode == 1
    assert re.search(r"^docs/ru/index\.md:\d+: The link lessons/other\.md#графики leads to #графики, .* has no such id \[link\]\n"
                     r"    Give the heading an id", done.stderr, re.M), "no link can lead to an id that a changed word would change"


@pytest.mark.case(number="C13")
def test_every_link_to_another_language_leads_to_a_page_and_none_is_offered_where_there_is_none(checkout):
    """A page without counterpart fails the build; what is built then offers no way that ends at a 404."""
    address = "https://example.org/course/"
    assert checkout.build(SITE_URL=address).returncode == 0
    assert other_language(checkout.site, address, "es/lessons/other/index.html") == {"ru/lessons/other/"}
    for missing in (False, True):
        if missing:
            (checkout.root / "docs/ru/lessons/other.md").unlink()
            checkout.edit("mkdocs.yml", "    - ru/lessons/other.md\n", "")
            done = checkout.build(SITE_URL=address)
            assert done.returncode == 1
            assert "docs/ru/lessons/other.md: This page is missing" in done.stderr
            assert other_language(checkout.site, address, "es/lessons/other/index.html") == set()
        for path in pages_of(checkout.site):
            for target in other_language(checkout.site, address, path):
                assert (checkout.site / target / "index.html").is_file() or (checkout.site / target).is_file(), (path, target)


def other_language(site, address: str, path: str) -> set[str]:
    """Where a page's links to the other language lead: those of the header and those for search engines."""
    own = path.split("/")[0]
    found = set()
    for tag in re.findall(r"<(?:a|link)\b[^>]*\bhreflang=[^>]*>", (site / path).read_text(encoding="utf-8")):
        language = re.search(r'hreflang="?([\w-]+)', tag)[1]
        if language in LANGUAGES and language != own:
            target = re.search(r'href="?([^"\s>]*)', tag)[1]
            base = (site / path).parent.relative_to(site).as_posix()
            found.add(target.removeprefix(address) if target.startswith(address) else joined(base, target))
    return {target for target in found if target}


def joined(base: str, target: str) -> str:
    parts = [part for part in base.split("/") if part != "."]
    for part in target.split("/"):
        if part == "..":
            parts.pop()
        elif part not in (".",):
            parts.append(part)
    return "/".join(parts)
