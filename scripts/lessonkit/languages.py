"""What the engine knows of each language. A third language is an entry here and a folder in docs/ and snippets/."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """Notation and the few words that the engine itself puts into a page."""

    code: str
    """The folder's name and the value of `lang` attributes."""
    name: str
    """What its speakers call it."""
    decimal_mark: str
    """Between integer and fraction in prose and formulas: "." or ","."""
    output: str
    """Caption of what a program prints."""
    planned_error: str
    """Caption of a traceback that the lesson shows on purpose."""
    page_error: str
    """Heading of a problem shown in its place by `mkdocs serve`."""
    newer_elsewhere: str
    """Note at a section that another language's page has in a newer form; a link with that language's name follows."""
    glossary: str
    """What the way to the glossary is called."""
    also_called: str
    """Before the other names of a term."""
    first_lesson: str
    """Before the title of the lesson that introduces a term."""


LANGUAGES = {
    language.code: language
    for language in (
        Language(
            code="es",
            name="Español",
            decimal_mark=".",
            output="Salida",
            planned_error="Error previsto",
            page_error="Esta parte de la página tiene un error",
            newer_elsewhere="Este apartado tiene una versión más reciente:",
            glossary="Glosario",
            also_called="También:",
            first_lesson="Lección:",
        ),
        Language(
            code="ru",
            name="Русский",
            decimal_mark=",",
            output="Вывод",
            planned_error="Ожидаемая ошибка",
            page_error="В этой части страницы ошибка",
            newer_elsewhere="У этого раздела есть более новая версия:",
            glossary="Глоссарий",
            also_called="Также:",
            first_lesson="Урок:",
        ),
    )
}
