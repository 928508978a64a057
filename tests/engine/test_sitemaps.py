"""Sitemaps and robots.txt: whole addresses, every page with its counterparts, the root's page for everybody else."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from lessonkit.sitemaps import XHTML, XMLNS, write_robots, write_sitemaps

SITE = "https://example.org/course/"
PAGES = [
    ("es", "index", "es/"),
    ("es", "masks", "es/lessons/masks/"),
    ("ru", "index", "ru/"),
    ("ru", "masks", "ru/lessons/masks/"),
]
HOMES = {"es": f"{SITE}es/", "ru": f"{SITE}ru/", "x-default": SITE}
MASKS = {"es": f"{SITE}es/lessons/masks/", "ru": f"{SITE}ru/lessons/masks/"}


def read(file) -> dict[str, dict[str, str]]:
    """Each address with its counterparts."""
    names = {"s": XMLNS, "x": XHTML}
    return {
        url.find("s:loc", names).text: {link.get("hreflang"): link.get("href") for link in url.findall("x:link", names)}
        for url in ElementTree.parse(file).getroot().findall("s:url", names)
    }


def test_each_language_lists_its_pages_with_their_counterparts(tmp_path):
    write_sitemaps(tmp_path, SITE, PAGES)
    for language in ("es", "ru"):
        assert read(tmp_path / language / "sitemap.xml") == {HOMES[language]: HOMES, MASKS[language]: MASKS}


def test_the_root_stands_in_no_languages_sitemap(tmp_path):
    """Material follows what stands there without loading it, and the root's page is none of the theme's."""
    write_sitemaps(tmp_path, SITE, PAGES)
    assert read(tmp_path / "sitemap-root.xml") == {SITE: HOMES}
    index = ElementTree.parse(tmp_path / "sitemap.xml").getroot()
    assert index.tag == f"{{{XMLNS}}}sitemapindex"
    assert [loc.text for loc in index.iter(f"{{{XMLNS}}}loc")] == [f"{SITE}{file}" for file in ("es/sitemap.xml", "ru/sitemap.xml", "sitemap-root.xml")]


def test_a_page_without_counterpart_names_itself_only(tmp_path):
    write_sitemaps(tmp_path, SITE, [*PAGES, ("es", "extra", "es/lessons/extra/")])
    assert read(tmp_path / "es/sitemap.xml")[f"{SITE}es/lessons/extra/"] == {"es": f"{SITE}es/lessons/extra/"}


def test_addresses_are_escaped(tmp_path):
    write_sitemaps(tmp_path, "https://example.org/a&b/", [("es", "x", 'es/"x"/')])
    assert read(tmp_path / "es/sitemap.xml") == {'https://example.org/a&b/es/"x"/': {"es": 'https://example.org/a&b/es/"x"/'}}


def test_an_unknown_address_gives_empty_sitemaps_for_the_theme_only(tmp_path):
    write_sitemaps(tmp_path, "", PAGES)
    assert sorted(file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.xml")) == ["es/sitemap.xml", "ru/sitemap.xml"]
    assert read(tmp_path / "es/sitemap.xml") == {}


@pytest.mark.parametrize(("site_url", "line"), [(SITE, f"Sitemap: {SITE}sitemap.xml\n"), ("", "")])
def test_robots_may_read_all_and_learn_of_the_sitemap(tmp_path, site_url, line):
    write_robots(tmp_path, site_url)
    assert (tmp_path / "robots.txt").read_bytes().decode() == f"User-agent: *\nAllow: /\n{line}"
