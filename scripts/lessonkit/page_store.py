"""Rendered pages kept between builds.

A stored page keeps what the site's checks need besides its HTML: links as written and as resolved, anchors, contents and
title. Whoever takes one from here resolves its links again, so that a dead link is found in every build.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from lessonkit.cache import EntryStore
from lessonkit.course import Course
from lessonkit.pages import Page
from lessonkit.versions import engine_digest, python_digest


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


class PageStore:
    def __init__(self, folder: Path) -> None:
        self._entries = EntryStore(folder)
        self._versions = (engine_digest(), python_digest())

    def key(self, page: Page, course: Course, configuration: Iterable[object]) -> str | None:
        """Digest of all that the page's HTML depends on; None if the page has problems (it is rendered every time)."""
        if course.faults.get(page.name):
            return None
        parts: list[object] = [*self._versions, page.name.path, page.text, *configuration]
        for directive in page.directives:
            parts.append(course.sources.snippets[directive.program].text)
            parts.append(course.results[directive.program].cells)
        parts += [course.drawings[item.formula].html for item in page.formulas]
        return hashlib.sha256("\0".join(map(repr, parts)).encode()).hexdigest()

    def load(self, key: str | None) -> StoredPage | None:
        data = self._entries.load(key) if key else None
        return StoredPage(**json.loads(data)) if data else None

    def save(self, key: str | None, page: StoredPage) -> None:
        if key:
            self._entries.save(key, json.dumps(asdict(page), ensure_ascii=False).encode())
