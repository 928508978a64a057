"""What the site holds besides its pages, written when the pages are: one place calls it all, in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lessonkit.course import Course
from lessonkit.notebook_publishing import Notebooks
from lessonkit.pages import Page
from lessonkit.problems import Problem
from lessonkit.project import Project
from lessonkit.search import SearchedPage, background_search, write_index
from lessonkit.sitemaps import write_robots, write_sitemaps
from lessonkit.social_cards import Card, write_cards

STYLES = "assets/css"
UNSEARCHED = frozenset({"index", "contribute"})
"""A home lists the other pages: it would answer to every word of theirs. The contributors' page names faults."""


@dataclass(frozen=True)
class PublishedPage:
    """A page of the course and where readers find it."""

    page: Page
    url: str
    """Relative to the site's root: `es/lessons/masks/`."""
    canonical_url: str | None
    """With scheme and host; None if the site does not know its own address (`site_url`)."""
    section: str | None
    """Title of the part of the navigation it stands in; None at its top."""

    @classmethod
    def of(cls, entry, page: Page) -> PublishedPage:
        """From MkDocs's page in the navigation and the page as read."""
        return cls(page, entry.url, entry.canonical_url, entry.parent.title if entry.parent else None)

    @property
    def language(self) -> str:
        return self.page.name.language

    @property
    def slug(self) -> str:
        return self.page.name.slug

    @property
    def card(self) -> str:
        """Its social card, relative to the site's root."""
        return f"assets/cards/{self.language}/{self.slug}.png"


@dataclass(frozen=True)
class Publication:
    """What is published, and where."""

    project: Project
    course: Course
    pages: Sequence[PublishedPage]
    """Language by language, in the order of the navigation."""
    site: Path
    """The folder that becomes the site."""
    site_url: str
    """The site's address with a slash at its end, or nothing if it is not known."""
    serving: bool
    """Whether `mkdocs serve` shows it to a contributor."""

    def begin(self) -> Publishing:
        """Called before the pages are rendered: what can be made meanwhile is begun."""
        urls = {page.page.name: page.url for page in self.pages}
        return Publishing(self, Notebooks(self.course, urls, self.site, self.site_url, serving=self.serving))


@dataclass(frozen=True)
class Publishing:
    """A publication on its way."""

    publication: Publication
    notebooks: Notebooks

    def finish(self) -> list[Problem]:
        """Write everything that is made from all pages together, now that they are written.

        Returns what is wrong with the site: the course's problems, and those found here.
        """
        publication = self.publication
        site, pages, address = publication.site, publication.pages, publication.site_url
        write_sitemaps(site, address, [(page.language, page.slug, page.url) for page in pages])
        write_robots(site, address)
        _drop_comments(site / STYLES)
        if address and not publication.serving:  # a card's address must be whole, and nobody shares a draft
            write_cards(site, _cards(pages), publication.project.cache / "cards")
        problems = [*publication.course.problems, *_search(publication)]
        return problems + self.notebooks.write()  # the last: they are being converted all the while


def _drop_comments(folder: Path) -> None:
    """What style sheets say to contributors need not travel to readers; it was a tenth of what a page loads of them."""
    for file in folder.glob("*.css"):
        text = file.read_text(encoding="utf-8")
        file.write_text(re.sub(r"(?s)/\*.*?\*/\n?", "", text), encoding="utf-8", newline="\n")


def _search(publication: Publication) -> list[Problem]:
    pages = [SearchedPage(page.url, page.language) for page in publication.pages if page.slug not in UNSEARCHED]
    store = publication.project.cache / "search"
    if publication.serving:
        background_search(store).refresh(publication.site, pages)
        return []
    return write_index(publication.site, pages, store)


def _cards(pages: Sequence[PublishedPage]) -> list[Card]:
    names = {page.language: str(page.page.meta.get("title")) for page in pages if page.slug == "index"}
    cards = []
    for page in pages:
        title, description = (str(page.page.meta.get(key) or "") for key in ("title", "description"))
        cards.append(Card(page.card, names.get(page.language, ""), title, description))
    return cards
