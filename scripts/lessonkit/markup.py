"""The Python-Markdown extension that puts a page's items into its HTML.

It works over results that are there already, so any site builder that reads Python-Markdown extensions can render the
course; a builder's hook only has to say which page is being converted (`LessonExtension.converting`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from xml.etree import ElementTree

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor

from lessonkit.course import Course
from lessonkit.glossary_markup import put_glossary
from lessonkit.languages import LANGUAGES
from lessonkit.pages import Page
from lessonkit.rendering import put_items, put_text

_BACK_TO_TEXT = re.compile(r'title="Jump back to footnote (\d+) in the text"')
"""As python-markdown writes it, in one language for all pages."""
TITLE_ID = "page-title"
"""Of a title that is not in the text; scripts/theme/main.html gives it."""


@dataclass
class SeenLinks:
    """Addresses of the links and images of a page, in order."""

    written: list[str] = field(default_factory=list)
    resolved: list[str] = field(default_factory=list)
    """After every tree processor of the site builder."""


class LessonExtension(Extension):
    def __init__(self) -> None:
        super().__init__()
        self._page: Page | None = None
        self._course: Course | None = None
        self._links = SeenLinks()
        self._tree_is_done = False

    @contextmanager
    def converting(self, page: Page, course: Course) -> Iterator[SeenLinks]:
        """While this is entered, what is converted is `page.markdown`; gives the links that were seen in it."""
        self._page, self._course, self._links, self._tree_is_done = page, course, SeenLinks(), False
        try:
            yield self._links
        finally:
            self._page = self._course = None

    def extendMarkdown(self, md: Markdown) -> None:
        # After every other postprocessor: raw HTML is back in its place, and nothing touches what is put in.
        md.postprocessors.register(_ItemPostprocessor(md, self), "lesson-items", priority=-100)
        # Before the contents list is made and anchors are gathered, which happens at priority 5.
        md.treeprocessors.register(_GlossaryTreeprocessor(md, self), "lesson-glossary", priority=6)
        md.treeprocessors.register(_CornerTreeprocessor(md), "lesson-table-corners", priority=6)
        # Right before and after MkDocs resolves links, which it does at priority 0.
        md.treeprocessors.register(_LinkWatcher(md, self.see_written), "lesson-links-written", priority=0.5)
        md.treeprocessors.register(_LinkWatcher(md, self.see_resolved), "lesson-links-resolved", priority=-0.5)

    def put_glossary(self, root: ElementTree.Element) -> None:
        if self._page is not None and self._course is not None:
            put_glossary(root, self._page, self._course)

    def see_written(self, urls: list[str]) -> None:
        self._links.written += urls

    def see_resolved(self, urls: list[str]) -> None:
        self._links.resolved += urls
        self._tree_is_done = True

    def finish(self, md: Markdown, text: str) -> str:
        # The contents list runs every postprocessor on each heading, before the tree is done: that is not the page.
        if self._page is None or self._course is None or not self._tree_is_done:
            return text
        for entry in getattr(md, "toc_tokens", []):
            _name_in_words(entry, self._page)
        back = LANGUAGES[self._page.name.language].back_to_text
        text = _BACK_TO_TEXT.sub(lambda found: f'title="{back.format(found[1])}"', text)
        md.toc_tokens = _below_title(getattr(md, "toc_tokens", []), self._page)
        return put_items(text, self._page, self._course)


class _GlossaryTreeprocessor(Treeprocessor):
    def __init__(self, md: Markdown, extension: LessonExtension) -> None:
        super().__init__(md)
        self._extension = extension

    def run(self, root: ElementTree.Element) -> None:
        self._extension.put_glossary(root)


class _CornerTreeprocessor(Treeprocessor):
    """Markdown's tables have a heading for every column; an empty one, such as the corner's, names nothing."""

    def run(self, root: ElementTree.Element) -> None:
        for cell in root.iter("th"):
            if not len(cell) and not (cell.text or "").strip():
                cell.tag = "td"


class _LinkWatcher(Treeprocessor):
    def __init__(self, md: Markdown, see: Callable[[list[str]], None]) -> None:
        super().__init__(md)
        self._see = see

    def run(self, root: ElementTree.Element) -> None:
        elements = (element for element in root.iter() if element.tag in ("a", "img"))
        self._see([element.get("href" if element.tag == "a" else "src", "") for element in elements])


class _ItemPostprocessor(Postprocessor):
    def __init__(self, md: Markdown, extension: LessonExtension) -> None:
        super().__init__(md)
        self._extension = extension

    def run(self, text: str) -> str:
        return self._extension.finish(self.md, text)


def _below_title(entries: list[dict], page: Page) -> list[dict]:
    """The contents list with the title in front: the theme's link to the text leads to the list's first entry."""
    if entries and entries[0]["level"] == 1:
        return entries
    title = str(page.meta.get("title") or "")
    return [{"level": 1, "id": TITLE_ID, "name": title, "html": title, "children": entries}]


def _name_in_words(entry: dict, page: Page) -> None:
    """A contents list cannot hold drawings: formulas and numbers stand there as text."""
    for key in ("name", "html"):
        if isinstance(entry.get(key), str):
            entry[key] = put_text(entry[key], page)
    for child in entry.get("children", ()):
        _name_in_words(child, page)
