"""The lessons' notebooks on the site: beside each lesson its `.ipynb`, its `.py` and a page that shows it.

All three are stored, so a build makes only those of lessons that changed. The page is the lesson's own with another
article: whatever the theme puts around a lesson stands around its notebook too, and nothing is rendered twice. Under
`mkdocs serve` a changed notebook is made after the reload is announced; until then its page says so.
"""

from __future__ import annotations

import hashlib
import html
import logging
import os
import posixpath
import shutil
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lessonkit.course import Course
from lessonkit.entries import EntryStore
from lessonkit.languages import LANGUAGES
from lessonkit.notebook_conversion import ConversionError, Converter
from lessonkit.notebook_pages import LessonPage, article_of, skeleton_of, with_article
from lessonkit.notebook_setup import ASSETS, WHEEL
from lessonkit.notebooks import (
    Addresses,
    LessonNotebook,
    files_of,
    has_notebook,
    notebook_of,
    script_of,
    write_notebook,
)
from lessonkit.pages import Page
from lessonkit.problems import Problem
from lessonkit.project import PageName
from lessonkit.versions import engine_changed, engine_digest, python_digest
from lessonkit.wheels import library_wheel

log = logging.getLogger("lessonkit")

SHOWN = "notebook.html"
"""The page that shows a notebook, in the lesson's folder: there each of the lesson's own relative links holds."""

SECONDS_TO_SETTLE = 0.25
"""Between a reload and new notebooks under `mkdocs serve`: the page that is looked at goes first."""


@dataclass(frozen=True)
class NotebookAddresses:
    """Where a lesson's notebook is, relative to the site's root."""

    shown: str
    ipynb: str
    script: str

    @classmethod
    def beside(cls, page: PageName, url: str) -> NotebookAddresses:
        """For the page that readers find at `url`."""
        name = posixpath.basename(page.slug)
        return cls(f"{url}{SHOWN}", f"{url}{name}.ipynb", f"{url}{name}.py")


@dataclass(frozen=True)
class NotebookFiles:
    """What there is of one notebook, as bytes of UTF-8."""

    ipynb: bytes
    script: bytes
    article: bytes
    """HTML; empty while it is not converted."""


class Notebooks:
    """One build's notebooks. Their text is converted while the pages are rendered; `write` writes them afterwards."""

    def __init__(
        self, course: Course, urls: Mapping[PageName, str], site: Path, site_url: str, *, serving: bool
    ) -> None:
        """`urls`: of all pages, relative to the site's root. A page with problems has no notebook."""
        self.course, self.site, self.serving = course, site, serving
        self.addresses = Addresses(site_url, urls)
        self.store = EntryStore(course.sources.project.cache / "notebooks")
        self._converter = Converter(self.store)
        self._versions = (engine_digest(), python_digest())
        self._lessons: dict[PageName, LessonPage] = {}
        self._notebooks: dict[PageName, LessonNotebook] = {}
        pages = [page for page in course.sources.pages.values() if page.name in urls and has_notebook(page)]
        self._pages = [page for page in pages if not course.faults.get(page.name)]
        new = [] if serving else [page for page in self._pages if self.store.load(self._text_key(page)) is None]
        self._begun = self._converter.start(list(map(self._skeleton, new))) if new else None

    def write(self) -> list[Problem]:
        """Write all notebooks, and what they fetch, into the folder `site`, whose pages are written."""
        if not self._pages:
            return []
        due = [page for page in self._pages if not self.write_stored(page)]
        _write_fetched(self.course, self._pages, self.site)
        if not self.serving:
            problems = self.make(due)
            self.store.sweep()
            return problems
        for page in due:
            self.write_notice(page)
        if due:
            threading.Thread(target=self.make_late, args=[due], daemon=True, name="notebooks").start()
        return []

    def write_stored(self, page: Page) -> bool:
        """Write a notebook from the store; False if it is not there."""
        key = self._key(page)
        stored = _unpack(self.store.load(key)) if key else None
        if stored:
            self._write_files(page, stored)
            self._write_page(page, stored.article)
        return bool(stored)

    def write_notice(self, page: Page) -> None:
        said = html.escape(LANGUAGES[page.name.language].in_notebook.being_converted)
        self._write_page(page, f'<meta http-equiv="refresh" content="1"><p role="status">{said}</p>'.encode())

    def make(self, pages: Sequence[Page]) -> list[Problem]:
        """Make, write and store the notebooks of these pages; what went wrong."""
        downloads = [self._downloads(page) for page in pages]
        for page, made in zip(pages, downloads, strict=True):
            self._write_files(page, made)
        try:
            if self._begun:
                self._begun.finish()
            converted = self._converter.start(list(map(self._skeleton, pages))).finish()
            articles = [article_of(cells, self._notebook(page))
                        for cells, page in zip(converted, pages, strict=True)]
        except ConversionError as error:
            cure = "Install it anew: pip install --force-reinstall mkdocs-jupyter"
            return [Problem("requirements.txt", 0, "notebook", str(error), cure)]
        for page, made, article in zip(pages, downloads, articles, strict=True):
            whole = replace(made, article=article.encode())
            self._write_page(page, whole.article)
            key = self._key(page)
            if key and not engine_changed():
                self.store.save(key, _pack(whole))
                self.store.save(self._text_key(page), b"converted")
        return []

    def make_late(self, pages: Sequence[Page]) -> None:
        time.sleep(SECONDS_TO_SETTLE)
        try:
            for problem in self.make(pages):
                log.warning("%s", problem)
        except FileNotFoundError:
            pass  # the site is being written anew, and this is its business now

    def _skeleton(self, page: Page) -> dict:
        return skeleton_of(self._notebook(page))

    def _notebook(self, page: Page) -> LessonNotebook:
        """Made once: its cells are asked for by converter, downloads and page."""
        if page.name not in self._notebooks:
            self._notebooks[page.name] = LessonNotebook(page, self.course, self.addresses)
        return self._notebooks[page.name]

    def _downloads(self, page: Page) -> NotebookFiles:
        lesson = self._notebook(page)
        return NotebookFiles(write_notebook(notebook_of(lesson)).encode(), script_of(lesson).encode(), b"")

    def _key(self, page: Page) -> str | None:
        """Digest of all that a notebook depends on; None if it is not to be stored.

        The lesson's article holds most of it already: formulas, figures, what is printed, where links lead.
        """
        programs = sorted({directive.program for directive in page.directives})
        if not self.course.notes.keys().isdisjoint(programs):
            return None
        parts: list[object] = [*self._versions, page.text, self.addresses.site_url, self._folder(page)]
        shown = {
            (directive.program, cell.index)
            for directive in page.directives
            if directive.show != "code"
            for cell in self.course.sources.shown_cells(directive)
        }
        for program in programs:
            snippet, result = self.course.sources.snippets[program], self.course.results[program]
            parts += [snippet.text, files_of(self.course, snippet)]
            parts += [cell for index, cell in enumerate(result.cells) if (program, index) not in shown]
        found = hashlib.blake2b(self._lesson(page).article, digest_size=20)
        found.update(repr(parts).encode("utf-8", "surrogatepass"))
        return found.hexdigest()

    def _text_key(self, page: Page) -> str:
        """Digest of what usually tells whether a notebook's text was converted: quicker to find than the text."""
        programs = sorted({directive.program for directive in page.directives})
        snippets = [self.course.sources.snippets[name].text for name in programs]
        parts = [*self._versions, "text", page.name.path, page.text, self.addresses.site_url, snippets]
        return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()

    def _lesson(self, page: Page) -> LessonPage:
        """The lesson's page, as the theme wrote it."""
        if page.name not in self._lessons:
            self._lessons[page.name] = LessonPage.of((self.site / self._folder(page) / "index.html").read_bytes())
        return self._lessons[page.name]

    def _folder(self, page: Page) -> str:
        return self.addresses.pages[page.name]

    def _write_files(self, page: Page, files: NotebookFiles) -> None:
        at = NotebookAddresses.beside(page.name, self._folder(page))
        (self.site / at.ipynb).write_bytes(files.ipynb)
        (self.site / at.script).write_bytes(files.script)

    def _write_page(self, page: Page, article: bytes) -> None:
        folder = self.site / self._folder(page)
        draft = folder / f"{SHOWN}.tmp"
        draft.write_bytes(with_article(self._lesson(page), article, page, self.addresses))
        os.replace(draft, folder / SHOWN)


def _write_fetched(course: Course, pages: Iterable[Page], site: Path) -> None:
    """The libraries as a wheel, and the files that programs read."""
    snippets = course.sources.project.snippets
    wheel = site / WHEEL
    wheel.parent.mkdir(parents=True, exist_ok=True)
    wheel.write_bytes(library_wheel(snippets))
    programs = {directive.program for page in pages for directive in page.directives}
    for file in {file for name in programs for file in files_of(course, course.sources.snippets[name])}:
        target = site / ASSETS / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(snippets / file, target)


def _pack(files: NotebookFiles) -> bytes:
    parts = (files.ipynb, files.script, files.article)
    return " ".join(str(len(part)) for part in parts).encode() + b"\n" + b"".join(parts)


def _unpack(data: bytes | None) -> NotebookFiles | None:
    if data is None:
        return None
    head, _, body = data.partition(b"\n")
    first, second, _ = map(int, head.split())
    return NotebookFiles(body[:first], body[first : first + second], body[first + second :])
