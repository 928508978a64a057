"""One site, a navigation of its own for each language. Works on the objects of MkDocs without importing it."""

from __future__ import annotations

from collections.abc import Callable

from lessonkit.languages import LANGUAGES


def split_by_language(nav, make: Callable) -> dict[str, object]:
    """The navigation of each language: its section of the whole, where its pages are one another's neighbours.

    `nav` is MkDocs's navigation, whose top sections are named by language codes; `make(items, pages)` makes another.
    """
    navigations = {}
    for section in [item for item in nav.items if item.is_section and item.title in LANGUAGES]:
        pages = [page for page in nav.pages if page.file.src_uri.startswith(f"{section.title}/")]
        for item in section.children:
            item.parent = None
        for page, before, after in zip(pages, [None, *pages], [*pages[1:], None], strict=False):
            page.previous_page, page.next_page = before, after
        navigations[section.title] = own = make(section.children, pages)
        own.homepage = pages[0]
    return navigations
