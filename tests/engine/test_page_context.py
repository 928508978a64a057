"""What templates learn of a page: its minutes, what it needs, its counterparts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from lessonkit.page_context import page_context
from lessonkit.project import PageName
from lessonkit.publishing import PublishedPage


def published(language: str, slug: str, **meta: object) -> PublishedPage:
    page = SimpleNamespace(name=PageName(language, f"lessons/{slug}.md"), meta=meta,
                           directives=("a block that shows a program",) if slug == "masks" else ())
    return PublishedPage(page, f"{language}/lessons/{slug}/", None, "Lecciones")


PAGES = [
    published("es", "softmax", title="Softmax", minutes=15),
    published("es", "masks", title="Máscaras", description="Qué se tapa.", minutes=20, needs=["softmax", "gone"]),
    published("ru", "softmax", title="Softmax"),
    published("ru", "masks", title="Маски", minutes=20, needs=["softmax"]),
]


def test_a_lesson_has_its_minutes_and_what_it_needs_in_its_own_language() -> None:
    lesson = page_context(PageName("es", "lessons/masks.md"), PAGES)["lesson"]
    assert (lesson["title"], lesson["minutes"], lesson["description"]) == ("Máscaras", 20, "Qué se tapa.")
    assert [(need["title"], need["url"]) for need in lesson["needs"]] == [("Softmax", "es/lessons/softmax/")]


def test_the_list_of_pages_keeps_the_order_of_the_navigation_and_the_language() -> None:
    found = page_context(PageName("ru", "lessons/softmax.md"), PAGES)["course_pages"]
    assert [page["title"] for page in found] == ["Softmax", "Маски"]
    assert found[0]["minutes"] is None
    assert found[0]["needs"] == []


@pytest.mark.case(number="C13")
def test_alternates_are_the_same_page_in_every_language() -> None:
    found = page_context(PageName("es", "lessons/masks.md"), PAGES)["alternates"]
    assert found == [
        {"lang": "es", "name": "Español", "url": "es/lessons/masks/"},
        {"lang": "ru", "name": "Русский", "url": "ru/lessons/masks/"},
    ]


def test_a_page_with_programs_leads_to_its_notebook():
    notebook = page_context(PageName("ru", "lessons/masks.md"), PAGES)["notebook"]
    assert (notebook["shown"], notebook["ipynb"], notebook["script"]) == (
        "ru/lessons/masks/notebook.html", "ru/lessons/masks/masks.ipynb", "ru/lessons/masks/masks.py")
    assert notebook["words"].notebook == "Блокнот"
    assert page_context(PageName("ru", "lessons/softmax.md"), PAGES)["notebook"] is None
