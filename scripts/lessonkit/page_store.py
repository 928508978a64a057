"""Rendered pages kept between builds.

A stored page keeps what the site's checks need besides its HTML: links as written and as resolved, anchors, contents
and title. Whoever takes one from here resolves its links again, so that a dead link is found in every build.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from lessonkit.course import Course
from lessonkit.entries import EntryStore
from lessonkit.figures import PALETTE
from lessonkit.glossary_markup import depends_on
from lessonkit.markup import SeenLinks
from lessonkit.pages import Page
from lessonkit.versions import engine_changed, engine_digest, python_digest


@dataclass(frozen=True)
class StoredPage:
    content: str
    contents: list[dict]
    """The contents list: name, id, level, children."""
    title: str | None
    anchors: list[str]
    links: list[str]
    """Addresses in links and images as the author wrote them, in order."""
    resolved: list[str]
    """The same as they stand in `content`."""

    @classmethod
    def of(cls, page, links: SeenLinks) -> StoredPage:
        """What there is to keep of a page of MkDocs that was just rendered."""
        contents = [_contents(item) for item in page.toc]
        return cls(
            page.content,
            contents,
            page._title_from_render,
            sorted(page.present_anchor_ids),
            links.written,
            links.resolved,
        )

    def restore(self, page, make_contents: Callable, resolver) -> bool:
        """Put everything into a page of MkDocs; False, and nothing done, if a link does not resolve as it did.

        `resolver` is MkDocs's own for this page (`path_to_url`, `links_to_anchors`).
        """
        if [resolver.path_to_url(url) for url in self.links] != self.resolved:
            return False
        page.content, page.toc, page._title_from_render = self.content, make_contents(self.contents), self.title
        page.present_anchor_ids, page.links_to_anchors = set(self.anchors), resolver.links_to_anchors
        return True


def _contents(item) -> dict:
    return {"name": item.title, "id": item.id, "level": item.level, "children": [_contents(i) for i in item.children]}


class PageStore:
    def __init__(self, folder: Path) -> None:
        self._entries = EntryStore(folder)
        self._versions = (engine_digest(), python_digest(), PALETTE.read_bytes())

    def key(self, page: Page, course: Course, configuration: Iterable[object]) -> str | None:
        """Digest of all that the page's HTML depends on; None if the page has problems or notes (nothing is kept)."""
        programs = {directive.program for directive in page.directives}
        if course.faults.get(page.name) or programs & course.notes.keys():
            return None
        parts: list[object] = [*self._versions, page.name.path, page.text, *configuration]
        parts += depends_on(page, course)
        for program in sorted(programs):
            parts += [course.sources.snippets[program].text, course.results[program].cells]
        parts += [course.drawings[item.formula].html for item in page.formulas]
        parts.append(course.ahead_of(page.name))
        return hashlib.sha256("\0".join(map(repr, parts)).encode()).hexdigest()

    def load(self, key: str | None) -> StoredPage | None:
        data = self._entries.load(key) if key else None
        return StoredPage(**json.loads(data)) if data else None

    def save(self, key: str | None, page: StoredPage) -> None:
        if key and not engine_changed():
            self._entries.save(key, json.dumps(asdict(page), ensure_ascii=False).encode())

    def sweep(self) -> None:
        """Remove what nobody used for long."""
        self._entries.sweep()
