"""Sitemaps: one a language, where each page names its counterparts, and an index of them all.

Material reads a language's own to know which links it may follow without loading a page anew; therefore the page at the
root, which is none of the theme's, stands in a sitemap of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

XMLNS = "http://www.sitemaps.org/schemas/sitemap/0.9"
XHTML = "http://www.w3.org/1999/xhtml"
DEFAULT = "x-default"
"""The address for readers whose language is not known."""


def write_sitemaps(site: Path, site_url: str, pages: Iterable[tuple[str, str, str]]) -> None:
    """Write `sitemap.xml` and what it lists into the folder `site`.

    `site_url` ends in a slash. A page is (language, slug, address below the site's root); pages of one slug are the
    same page in several languages. The homes, whose address is a language's folder, share the root's page as default.
    Addresses in sitemaps are whole: a site that does not know its own (`site_url` is empty) gets empty ones, which
    spare the theme a request that fails.
    """
    pages = list(pages)
    counterparts: dict[str, dict[str, str]] = {}
    for language, slug, url in pages:
        counterparts.setdefault(slug, {})[language] = site_url + url
    homes = [v for v in counterparts.values() if all(url == f"{site_url}{code}/" for code, url in v.items())]
    for versions in homes:
        versions[DEFAULT] = site_url
    files = {}
    for language in dict.fromkeys(language for language, _, _ in pages):
        own = [(site_url + url, counterparts[slug]) for code, slug, url in pages if code == language]
        files[f"{language}/sitemap.xml"] = _urls(own if site_url else [])
    if site_url:
        files["sitemap-root.xml"] = _urls([(site_url, versions) for versions in homes])
        listed = [f"<sitemap>{_loc(site_url + file)}</sitemap>" for file in files]
        files["sitemap.xml"] = _element("sitemapindex", listed)
    for file, text in files.items():
        path = site / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}', encoding="utf-8", newline="\n")


def write_robots(site: Path, site_url: str) -> None:
    """Write `robots.txt`: everybody may read everything, and where the sitemap is, if the site knows its address."""
    lines = ["User-agent: *", "Allow: /", *([f"Sitemap: {site_url}sitemap.xml"] if site_url else [])]
    (site / "robots.txt").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _urls(entries: Sequence[tuple[str, Mapping[str, str]]]) -> str:
    urls = []
    for address, versions in entries:
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{language}" href={quoteattr(version)}/>'
            for language, version in versions.items()
        )
        urls.append(f"<url>{_loc(address)}{links}</url>")
    return _element("urlset", urls, f' xmlns:xhtml="{XHTML}"')


def _element(name: str, children: Sequence[str], more: str = "") -> str:
    return "\n".join([f'<{name} xmlns="{XMLNS}"{more}>', *children, f"</{name}>\n"])


def _loc(address: str) -> str:
    return f"<loc>{escape(address)}</loc>"
