"""One site, a navigation of its own for each language. Works on the objects of MkDocs without importing it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from lessonkit.languages import LANGUAGES
from lessonkit.problems import Problem
from lessonkit.project import PageName, Project


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


NAV_ENTRY = re.compile(r"^[ ]*-[ ]+(?:[^#\n]*?:[ ]*)?[\"']?(?P<path>[\w./-]+\.md)[\"']?[ ]*$")
PAGE_SUFFIXES = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
"""What MkDocs takes for a page."""


def check_navigation(project: Project, pages: Iterable[PageName]) -> Iterator[Problem]:
    """Every page stands under `nav:` in mkdocs.yml, in the same order in all languages."""
    config = project.root / "mkdocs.yml"
    if not config.is_file():
        return
    lines = config.read_text(encoding="utf-8", errors="replace").split("\n")
    entries = _entries(lines)
    start = next((number for number, line in enumerate(lines, 1) if line.startswith("nav:")), 0)
    for page in pages:
        if page.path.removeprefix("docs/") not in entries:
            text = f"{page.path} stands nowhere under nav:"
            yield Problem("mkdocs.yml", start, "nav", text, f"Write its line: - {page.language}/{page.file}")
    orders = {}
    for path in entries:
        name = PageName.of(path)
        if name:
            orders.setdefault(name.language, []).append(name.file)
    reference = next(iter(orders.values()), [])
    for code, order in orders.items():
        here = [file for file in order if file in reference]
        there = [file for file in reference if file in order]
        for mine, its in zip(here, there, strict=True):
            if mine != its:
                text = f"{code}/{mine} stands where the other language has {its}"
                yield Problem(
                    "mkdocs.yml", entries[f"{code}/{mine}"], "nav", text, "Give both languages the same order."
                )
                break


def course_order(project: Project, pages: Iterable[PageName]) -> list[PageName]:
    """The pages in the order of nav: in mkdocs.yml, those that it does not name last."""
    config = project.root / "mkdocs.yml"
    lines = config.read_text(encoding="utf-8", errors="replace").split("\n") if config.is_file() else []
    entries = _entries(lines)
    return sorted(pages, key=lambda name: (entries.get(name.path.removeprefix("docs/"), len(lines)), name))


def _entries(lines: Iterable[str]) -> dict[str, int]:
    """For each page under nav: its line."""
    return {match["path"]: number for number, line in enumerate(lines, 1) if (match := NAV_ENTRY.match(line))}


def stray_pages(project: Project) -> Iterator[Problem]:
    """Files that MkDocs would publish as they are, since the engine reads only docs/<language>/**/*.md."""
    known = {name.path for name in project.pages()} | {"docs/index.md"}
    for file in sorted(project.docs.rglob("*")):
        path = project.relative(file)
        if file.suffix in PAGE_SUFFIXES and path not in known:
            text = "This file would be published with its blocks, numbers and formulas as they stand"
            yield Problem(path, 0, "page-place", text, "Name it docs/<language>/….md, or move it out of docs/.")
