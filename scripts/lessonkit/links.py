"""Dead links, found on the sources: every link to a page, a section or a file of the course has a target."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote, urlsplit

from lessonkit.glossary import Glossary
from lessonkit.pages import Link, Page
from lessonkit.problems import Problem, suggestion
from lessonkit.project import PageName, Project

OTHER_ID = re.compile(r"""\{[^{}\n]*#(?P<mark>[\w:.-]+)[^{}\n]*\}|\b(?:id|name)=["'](?P<html>[^"']+)["']""")
FOOTNOTE = re.compile(r"^[ \t]*\[\^(?P<name>[^\]]+)\]:", re.M)


def check_links(
    project: Project, pages: Mapping[PageName, Page], glossary: Glossary
) -> Iterable[tuple[PageName, Problem]]:
    """A problem for each link of a page that leads nowhere."""
    by_path = {page.name.path: page for page in pages.values()}
    for name, page in pages.items():
        for link in page.links:
            problem = _check_link(project, page, link, by_path, glossary)
            if problem:
                yield name, problem


def _check_link(
    project: Project, page: Page, link: Link, by_path: Mapping[str, Page], glossary: Glossary
) -> Problem | None:
    def fault(text: str, cure: str) -> Problem:
        return Problem(page.name.path, link.line, "link", text, cure)

    url = urlsplit(link.url)
    if url.scheme or url.netloc:
        return None
    if url.path.startswith("/"):
        return fault(
            f"The link {link.url} begins with a slash, so it breaks where the site lies below a folder",
            "Write it relative to this page, as in ../concepts/name.md.",
        )
    target = page
    if url.path:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.name.path), unquote(url.path)))
        if path not in by_path:
            if (project.root / path).is_file() and path.startswith("docs/"):
                return None
            return fault(
                f"The link {link.url} leads to {path}, which does not exist",
                suggestion(path, by_path, "Mend the address; pages are named with .md at their end."),
            )
        target = by_path[path]
    if target.unreadable or (target.glossary_line and glossary.problems):
        return None  # one cause, one problem: the page's own, or the glossary's
    known = anchors(target) | (glossary.ids if target.glossary_line else set())
    if url.fragment and url.fragment not in known:
        where = "this page" if target is page else target.name.path
        return fault(
            f"The link {link.url} leads to #{url.fragment}, but {where} has no such id",
            suggestion(url.fragment, known, _how_to_make(target)),
        )
    return None


def _how_to_make(target: Page) -> str:
    if target.glossary_line:
        return "Write the term into docs/glossary.tsv, a row with this id."
    return "Give the heading an id: ## Title {#short-name}"


def anchors(page: Page) -> set[str]:
    """Every id that the author gave on a page."""
    found = {section.id for section in page.sections if section.id}
    found |= {match["mark"] or match["html"] for match in OTHER_ID.finditer(page.text)}
    return found | {f"fn:{match['name']}" for match in FOOTNOTE.finditer(page.text)}
