"""What the theme's templates are told of a page. Addresses are relative to the site's root: templates put `| url`
behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from lessonkit.languages import LANGUAGES
from lessonkit.notebook_publishing import NotebookAddresses
from lessonkit.notebooks import has_notebook
from lessonkit.pages import Page
from lessonkit.project import PageName
from lessonkit.publishing import PublishedPage


def page_context(name: PageName, pages: Sequence[PublishedPage]) -> dict[str, object]:
    """For the page `name`:

    - `lesson`: `minutes` (or None), and `needs`, each with `title` and `url`;
    - `course_pages`: the language's pages in the navigation's order, each with `slug`, `title`, `description`,
      `minutes`, `needs`, `url`, `section`;
    - `alternates`: the same page in every language, its own too: `lang`, `name`, `url`;
    - `notebook`: `shown`, `ipynb`, `script`, the addresses of its notebook, and `words`, what is said of it; None if
      it has none;
    - `social_card`: the address of its picture for messengers.
    """
    own = {page.slug: _entry(page) for page in pages if page.language == name.language}
    for entry in own.values():
        entry["needs"] = [own[slug] for slug in entry["needs"] if slug in own]
    return {
        "lesson": own.get(name.slug),
        "course_pages": list(own.values()),
        "alternates": [
            {"lang": page.language, "name": LANGUAGES[page.language].name, "url": page.url}
            for page in pages
            if page.slug == name.slug
        ],
        "notebook": _notebook(name, pages),
        "social_card": next((page.card for page in pages if page.page.name == name), None),
    }


def _notebook(name: PageName, pages: Sequence[PublishedPage]) -> dict | None:
    published = next((page for page in pages if page.page.name == name), None)
    if published is None or not has_notebook(published.page):
        return None
    return {**asdict(NotebookAddresses.beside(name, published.url)), "words": LANGUAGES[name.language].in_notebook}


def _entry(published: PublishedPage) -> dict:
    meta: Mapping = published.page.meta
    return {
        "slug": published.slug,
        "title": _title(published.page),
        "description": meta.get("description"),
        "minutes": meta.get("minutes"),
        "needs": list(meta.get("needs") or ()),
        "url": published.url,
        "section": published.section,
    }


def _title(page: Page) -> str:
    return str(page.meta.get("title") or page.name.slug)
