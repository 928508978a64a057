"""What the engine knows of each language. A third language is an entry here and a folder in docs/ and snippets/."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NotebookWords:
    """What is said in a lesson's notebook, and of it. In braces: what is put in."""

    notebook: str
    of_lesson: str
    """First line of a notebook, with {lesson}: a link to the page."""
    on_site: str
    """The same on the page that shows the notebook, with {lesson}, {ipynb} and {py}: links."""
    view: str
    """Name of the link to the notebook's page."""
    notes: str
    """Heading of the footnotes."""
    prepares: str
    """What the first cell does."""
    missing: str
    """The course's libraries are missing; {command} installs them."""
    from_checkout: str
    """`command`, for a course that does not know its own address."""
    files: str
    """Where the files that programs read come from."""
    programs: str
    """Docstring of `program`."""
    answers: str
    """Docstring of the `input` that gives the lesson's answers."""
    folded: str
    """Name of a cell that readers open themselves."""
    being_converted: str
    """Under `mkdocs serve`, until the saved notebook is shown."""


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
    back_to_text: str
    """Of the arrow behind a note; {} is the note's number."""
    newer_elsewhere: str
    """Note at a section that another language's page has in a newer form; a link with that language's name follows."""
    glossary: str
    """What the way to the glossary is called."""
    also_called: str
    """Before the other names of a term."""
    first_lesson: str
    """Before the title of the lesson that introduces a term."""
    in_notebook: NotebookWords


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
            back_to_text="Volver a la llamada {} en el texto",
            newer_elsewhere="Este apartado tiene una versión más reciente:",
            glossary="Glosario",
            also_called="También:",
            first_lesson="Lección:",
            in_notebook=NotebookWords(
                notebook="Cuaderno",
                of_lesson="Cuaderno de la lección {lesson}. Ejecuta las celdas en orden, cambia lo que quieras y "
                "vuelve a ejecutarlas.",
                on_site="Este es el cuaderno de la lección {lesson}. Para ejecutarlo, descárgalo para Jupyter "
                "({ipynb}) o como programa ({py}).",
                view="verlo",
                notes="Notas",
                prepares="Prepara el cuaderno: nanotorch y vis, las bibliotecas del curso.",
                missing="Faltan las bibliotecas del curso. Para instalarlas: {command}",
                from_checkout="pip install -r requirements.txt, en la carpeta del repositorio del curso",
                files="Los datos de la lección: del repositorio, si lo tienes; si no, se descargan.",
                programs="La lección tiene varios programas. Cada uno tiene sus propios nombres, como cuando\n"
                "se ejecuta solo: esta función guarda los del anterior y recupera los suyos.",
                answers="Da las respuestas de la lección; sin esta función preguntará de verdad.",
                folded="Celda plegada",
                being_converted="El cuaderno ha cambiado y se está convirtiendo; esta página se recarga sola.",
            ),
        ),
        Language(
            code="ru",
            name="Русский",
            decimal_mark=",",
            output="Вывод",
            planned_error="Ожидаемая ошибка",
            page_error="В этой части страницы ошибка",
            back_to_text="Вернуться к сноске {} в тексте",
            newer_elsewhere="У этого раздела есть более новая версия:",
            glossary="Глоссарий",
            also_called="Также:",
            first_lesson="Урок:",
            in_notebook=NotebookWords(
                notebook="Блокнот",
                of_lesson="Блокнот к уроку {lesson}. Запускайте ячейки по порядку, меняйте что угодно и запускайте "
                "снова.",
                on_site="Это блокнот к уроку {lesson}. Чтобы его запустить, скачайте файл для Jupyter ({ipynb}) "
                "или программу ({py}).",
                view="посмотреть",
                notes="Примечания",
                prepares="Подготовка: nanotorch и vis, библиотеки курса.",
                missing="Не хватает библиотек курса. Установить их: {command}",
                from_checkout="pip install -r requirements.txt, в папке репозитория курса",
                files="Данные урока: из репозитория, если он есть, иначе они скачиваются.",
                programs="В уроке несколько программ. У каждой свои имена, как при отдельном запуске:\n"
                "эта функция откладывает имена прежней и достаёт её собственные.",
                answers="Даёт ответы из урока; без этой функции вопросы будут настоящими.",
                folded="Свёрнутая ячейка",
                being_converted="Блокнот изменился и преобразуется; страница обновится сама.",
            ),
        ),
    )
}
