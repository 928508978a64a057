"""What the site holds besides its pages, written when the pages are: one place calls it all, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lessonkit.course import Course
from lessonkit.notebook_publishing import write_notebooks
from lessonkit.pages import Page
from lessonkit.problems import Problem
from lessonkit.project import Project
from lessonkit.search import SearchedPage, background_search, write_index
from lessonkit.sitemaps import write_robots, write_sitemaps
from lessonkit.social_cards import Card, write_cards

UNSEARCHED = frozenset({"index", "contribute"})
"""A home lists the other pages: it would answer to every word of theirs. The contributors' page names faults, not terms."""


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
    """A site whose pages are written."""

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


def publish(publication: Publication) -> list[Problem]:
    """Write everything that is made from all pages together.

    Returns what is wrong with the site: the course's problems, and those found here.
    """
    site, pages = publication.site, publication.pages
    write_sitemaps(site, publication.site_url, [(page.language, page.slug, page.url) for page in pages])
    write_robots(site, publication.site_url)
    if publication.site_url and not publication.serving:  # a card's address must be whole, and nobody shares a draft
        write_cards(site, _cards(pages), publication.project.cache / "cards")
    urls = {page.page.name: page.url for page in pages}
    problems = write_notebooks(publication.course, urls, site, publication.site_url, serving=publication.serving)
    problems += publication.course.problems
    searched = [SearchedPage(page.url, page.language) for page in pages if page.slug not in UNSEARCHED]
    store = publication.project.cache / "search"
    if publication.serving:
        background_search(store).refresh(site, searched)
        return problems
    return [*problems, *write_index(site, searched, store)]


def _cards(pages: Sequence[PublishedPage]) -> list[Card]:
    names = {page.language: str(page.page.meta.get("title")) for page in pages if page.slug == "index"}
    cards = []
    for page in pages:
        title, description = (str(page.page.meta.get(key) or "") for key in ("title", "description"))
        cards.append(Card(page.card, names.get(page.language, ""), title, description))
    return cards
