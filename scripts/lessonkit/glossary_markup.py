"""The glossary in pages: its own page's list, and in lessons the terms with their definitions.

Everything works on the tree that Markdown makes of a page, where it is known what is text and what a heading, code, a
link, a table. It runs before contents list and link check, so that anchors and links made here are the page's own.
"""

from __future__ import annotations

import functools
import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement

from lessonkit import glossary
from lessonkit.course import Course
from lessonkit.glossary import Term
from lessonkit.languages import LANGUAGES
from lessonkit.navigation import course_order
from lessonkit.pages import GLOSSARY_TOKEN, Page, Section
from lessonkit.terms import Finder, finder

WITHOUT_TERMS = frozenset(
    ("h1", "h2", "h3", "h4", "h5", "h6", "a", "code", "kbd", "pre", "samp", "table", "blockquote", "details", "label")
)
"""Elements in which no term is marked: what is no running text, what somebody else said, what is hidden at first."""
UNSEARCHED = {"data-pagefind-ignore": "all"}
"""On what search should not find: it would lead to a letter, or to a term for the sake of its lesson's title."""
CLASSES_WITHOUT_TERMS = frozenset({"footnote", "admonition-title"})
Prose = tuple[tuple[int, str], ...]
"""As in `Page.prose`."""
BOLD = re.compile(r"\*\*(?P<text>[^*\n]+)\*\*")


def depends_on(page: Page, course: Course) -> list[object]:
    """What of the glossary, and of other pages, the HTML of a page depends on."""
    sources, language = course.sources, page.name.language
    if page.glossary_line is None:
        return [sources.glossary.digests.get(language)]
    return [
        *sources.glossary.digests.values(),
        *((name.path, other.text) for name, other in sources.pages.items() if name.language == language),
    ]


def put_glossary(root: Element, page: Page, course: Course) -> None:
    """Into the tree of a page: the list of all terms in place of its token, or the terms that it speaks of."""
    if page.glossary_line is not None:
        for parent in root.iter():
            for index, child in enumerate(parent):
                if child.tag == "p" and (child.text or "").strip() == GLOSSARY_TOKEN:
                    parent[index : index + 1] = list(_list(page, course))
                    return
    if course.sources.has_glossary(page.name.language):
        _Terms(page, course).mark(root)


# -- the terms of a lesson -----------------------------------------------------------------------------------------


class _Terms:
    """Marks the first use of each term on a page, and the links to the glossary that its author wrote."""

    def __init__(self, page: Page, course: Course) -> None:
        language = page.name.language
        shown = course.sources.glossary.shown(language)
        self.page = page
        self.entries = {term_id: (english, entry) for term_id, english, entry in shown}
        self.finder = finder(language, shown)
        self.address = posixpath.relpath(glossary.PAGE, posixpath.dirname(page.name.file) or ".")
        self.words = LANGUAGES[language]
        self.marked: dict[str, None] = {}  # ids, in order
        not_terms = page.meta.get("not_terms")
        self.excluded = set(not_terms) if isinstance(not_terms, list) else set()

    def mark(self, root: Element) -> None:
        for link in root.iter("a"):
            self._mark_link(link)
        self.excluded |= self.marked.keys()  # the author chose where
        if self.page.name.file.startswith(("lessons/", "concepts/")):
            self._mark_inside(root)
        if self.marked:
            root.append(self._definitions())

    def _mark_link(self, link: Element) -> None:
        url = urlsplit(link.get("href", ""))
        if url.fragment in self.entries and not url.scheme and posixpath.normpath(url.path) == self.address:
            link.set("class", " ".join(filter(None, (link.get("class"), "term"))))
            link.set("aria-describedby", f"term-{url.fragment}")
            self.marked[url.fragment] = None

    def _mark_inside(self, element: Element) -> None:
        if element.tag in WITHOUT_TERMS or CLASSES_WITHOUT_TERMS & set((element.get("class") or "").split()):
            return
        if element.tag == "strong":  # a term where it is introduced, or words that are stressed
            self._mark_bold(element)
            return
        children = list(element)
        _replace_text(element, None, self._marked_text(element.text))
        for child in children:
            self._mark_inside(child)
            _replace_text(element, child, self._marked_text(child.tail))

    def _mark_bold(self, element: Element) -> None:
        term_id = self.finder.named(element.text or "") if not len(element) else None
        if term_id and term_id not in self.excluded:
            text, element.text = element.text, None
            element.append(self._link(text, term_id))

    def _marked_text(self, text: str | None) -> list[str | Element]:
        """The text in pieces: as it was, and links for the terms in it."""
        pieces: list[str | Element] = []
        position = 0
        for use in self.finder.uses(text) if text else ():
            if use.id not in self.excluded:
                pieces += [text[position : use.start], self._link(text[use.start : use.end], use.id)]
                position = use.end
        return [*pieces, text[position:]] if pieces else []

    def _link(self, text: str, term_id: str) -> Element:
        self.excluded.add(term_id)
        self.marked[term_id] = None
        link = Element(
            "a",
            {"class": "term", "href": f"{self.address}#{term_id}", "aria-describedby": f"term-{term_id}"},
        )
        link.text = text
        return link

    def _definitions(self) -> Element:
        """What is shown at the terms: hidden, it is there for screen readers also without JavaScript."""
        box = Element("div", {"class": "term-definitions", "hidden": "", "data-pagefind-ignore": "all"})
        box.set("data-glossary", self.words.glossary)
        for term_id in self.marked:
            english, entry = self.entries[term_id]
            item = SubElement(box, "p", {"id": f"term-{term_id}", "data-name": entry.name, "data-english": english})
            item.text = entry.definition
        return box


def _replace_text(parent: Element, after: Element | None, pieces: list[str | Element]) -> None:
    """Put pieces of text and elements in place of the text behind `after`, or of the parent's first text."""
    if not pieces:
        return
    index = 0 if after is None else list(parent).index(after) + 1
    if after is None:
        parent.text = None
    else:
        after.tail = None
    for piece in pieces:
        if not isinstance(piece, str):
            parent.insert(index, piece)
            after, index = piece, index + 1
        elif after is None:
            parent.text = piece
        else:
            after.tail = piece


# -- the list of all terms -----------------------------------------------------------------------------------------


def _list(page: Page, course: Course) -> Iterator[Element]:
    language = page.name.language
    terms = sorted(course.sources.glossary.terms, key=lambda term: sort_key(term.entries[language].name))
    lessons = introductions(course, language)
    letter = None
    for term in terms:
        if (own := _letter(term.entries[language].name, language)) != letter:
            letter = own
            heading = Element("h2", {"id": f"letter-{letter.lower()}", **UNSEARCHED})
            heading.text = letter
            yield heading
        yield from _entry(term, language, lessons.get(term.id))


def sort_key(name: str) -> tuple[bool, str]:
    """By which the names are sorted: Latin letters after Cyrillic ones, ё as е, ñ after n, accents ignored."""
    own = {"ñ": "n\uffff", "й": "й"}
    plain = "".join(own.get(letter) or unicodedata.normalize("NFD", letter)[0] for letter in name.casefold())
    return plain[0].isascii(), plain


def _letter(name: str, language: str) -> str:
    first = name[0].upper()
    if language == "ru":
        return "A–Z" if first.isascii() else first.replace("Ё", "Е")
    return first if first == "Ñ" else unicodedata.normalize("NFD", first)[0]


def _entry(term: Term, language: str, lesson: tuple[str, str] | None) -> Iterator[Element]:
    entry, words = term.entries[language], LANGUAGES[language]
    heading = Element("h3", {"id": term.id, "class": "glossary-term"})
    heading.text = entry.name
    yield heading
    names = Element("p", {"class": "glossary-names"})
    shown = {entry.name}
    others = [(code, term.entries[code].name) for code in LANGUAGES if code != language]
    for code, name in [*others, ("en", term.english)]:
        if name not in shown:  # RoPE is RoPE everywhere
            SubElement(names, "span", {"lang": code}).text = name
            shown.add(name)
    if len(names):
        yield names
    definition = Element("p")
    definition.text = entry.definition
    yield definition
    if entry.alternatives or lesson:
        more = Element("p", {"class": "glossary-more"})
        if entry.alternatives:
            SubElement(more, "span").text = f"{words.also_called} {', '.join(entry.alternatives)}."
        if lesson:
            where = SubElement(more, "span", UNSEARCHED)
            where.text = f"{words.first_lesson} "
            SubElement(where, "a", {"href": lesson[0]}).text = lesson[1]
        yield more


def introductions(course: Course, language: str) -> dict[str, tuple[str, str]]:
    """For each term the lesson that introduces it: (address from the glossary page, title).

    That is the first lesson, in the navigation's order, that has it among its terms, else the first that speaks of it;
    the address is that of the section in which it does so first.
    """
    sources = course.sources
    found, mentioned = {}, {}
    order = [name for name in course_order(sources.project, sources.pages) if name.language == language]
    searched = finder(language, sources.glossary.shown(language))
    for name in [name for name in order if name.file.startswith("lessons/")]:
        page = sources.pages[name]
        places = _places(searched, page.prose, page.sections)
        for term_id, section in places.items():
            mentioned.setdefault(term_id, _target(page, section))
        for term_id in _listed(searched, page.prose, page.sections):
            found.setdefault(term_id, _target(page, places.get(term_id, "terms")))
    return {**mentioned, **found}


def _target(page: Page, section: str | None) -> tuple[str, str]:
    return page.name.file + (f"#{section}" if section else ""), str(page.meta.get("title") or page.name.slug)


@functools.lru_cache(maxsize=256)  # `serve` asks again for every page when one has changed
def _places(searched: Finder, prose: Prose, sections: tuple[Section, ...]) -> dict[str, str | None]:
    """For each term of which a page speaks the section in which it does so first; None above all sections."""
    places: dict[str, str | None] = {}
    section_at = _section_at(sections)
    for number, line in prose:
        section = section_at(number)
        if section != "terms" and not line.lstrip().startswith(("#", "|", ">", "[^")):
            uses = [use.id for use in searched.uses(line)]
            uses += filter(None, (searched.named(bold["text"]) for bold in BOLD.finditer(line)))
            for term_id in uses:
                places.setdefault(term_id, section)
    return places


def _listed(searched: Finder, prose: Prose, sections: tuple[Section, ...]) -> Iterable[str]:
    """The terms in the first column of the table at the end of a lesson, in the section {#terms}."""
    section_at = _section_at(sections)
    for number, line in prose:
        if section_at(number) == "terms" and line.startswith("|"):
            term_id = searched.named(line.split("|")[1])
            if term_id:
                yield term_id


def _section_at(sections: Iterable[Section]) -> Callable[[int], str | None]:
    starts = [(section.line, section.id) for section in sections if section.level > 1 and section.id]
    return lambda line: next((found for start, found in reversed(starts) if start <= line), None)


