"""What of a page readers can search: its prose, without what Pagefind would only count as noise.

Code, outputs, figures and whatever belongs to the page rather than to its text are left out; a formula becomes plain
text, as in the contents list. What remains is less than a tenth of the page, so that Pagefind is quick, and it changes
only with the words: another printed number needs no new index.
"""

from __future__ import annotations

import re
from html import escape, unescape
from html.parser import HTMLParser

from lessonkit.formulas import plain_text
from lessonkit.languages import LANGUAGES

IGNORED_TAGS = frozenset({"pre", "figure", "svg", "script", "style", "template", "button", "form", "select", "iframe"})
IGNORED_CLASSES = frozenset({
    *("headerlink", "footnote-ref", "footnote-backref", "md-content__button"),
    *("highlight", "lesson-snippet", "lesson-output", "lesson-problem", "lesson-facts", "lesson-newer"),
    *("course-section", "course-list"),
})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
KEPT_TAGS = HEADINGS | frozenset({
    *("p", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "table", "tr", "td", "th"),
    *("div", "section", "details", "summary", "caption"),
})
"""Tags that part words or sentences, or lead to a section; others only dress text."""
VOID_TAGS = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
TERMS = "terms"
"""Id of the section whose table holds terms: in this page's language, in the others, in English."""
NOTES_WEIGHT = "0.3"
"""Of the words in a page's notes beside those of its text."""

_ARTICLE = re.compile(r"<article\b[^>]*>(.*)</article>", re.S)
_FORMULA = re.compile(r"<mjx-container\b([^>]*)>.*?</mjx-container>", re.S)
_TEX = re.compile(r'\bdata-tex="([^"]*)"')


def searchable_page(html: str, language: str) -> str:
    """A whole page as MkDocs wrote it → a small page for Pagefind, with the same sections and their ids.

    Nothing for a page without words.
    """
    article = _ARTICLE.search(html)
    reader = _ArticleReader(language)
    reader.feed(_prepared(article[1]) if article else "")
    reader.close()
    if not re.search(r">[^<]*\w", f">{reader.text}"):
        return ""
    return f'<!doctype html><html lang="{language}"><body data-pagefind-body>{reader.text}</body></html>\n'


def _prepared(html: str) -> str:
    drawn = _FORMULA.sub(_formula_text, without(without(html, "svg"), "pre"))
    return drawn.replace("</span><span", "</span> <span")  # a style sheet may part what no space parts


def without(html: str, tag: str) -> str:
    """`html` without the elements of this name, nested ones too. Parsing them would take longer than all else."""
    kept, begin, depth = [], 0, 0
    for mark in re.finditer(rf"<(/?){tag}\b", html):
        if mark[1]:
            depth = max(depth - 1, 0)
            if not depth:
                begin = html.find(">", mark.end()) + 1
        else:
            if not depth:
                kept.append(html[begin : mark.start()])
            depth += 1
    return "".join(kept) + html[begin:]


def _formula_text(formula: re.Match) -> str:
    """A formula within a sentence as plain text. One on a line of its own is for the eye."""
    tex = _TEX.search(formula[1])
    return " " if tex is None or " display=" in formula[1] else escape(plain_text(unescape(tex[1])), quote=False)


class _ArticleReader(HTMLParser):
    """Collects in `text` the HTML that is to be searched."""

    def __init__(self, language: str) -> None:
        super().__init__(convert_charrefs=True)
        self._foreign = LANGUAGES.keys() - {language}
        self._notes = LANGUAGES[language].in_notebook.notes
        self._parts: list[str] = []
        self._ignored = 0
        """Depth in an element that is left out; 0 outside."""
        self._section, self._column = "", 0
        self._before_notes = False
        """At the head of the notes: they are a section for themselves, or they would count as part of the last one."""

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self._parts)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID_TAGS:
            self._parts.append(" " if not self._ignored else "")
            return
        given = dict(attrs)
        self._note_place(tag, given)
        if self._ignored or self._is_ignored(tag, given):
            self._ignored += 1
            return
        if tag == "div" and "footnote" in _classes(given):
            self._before_notes = True
            self._parts.append(f'<div data-pagefind-weight="{NOTES_WEIGHT}">')
        elif tag == "li" and self._before_notes and given.get("id"):
            self._before_notes = False
            self._parts.append(f'<h2 id="{escape(given["id"])}">{escape(self._notes)}</h2><li>')
        elif tag in KEPT_TAGS:
            name = f' id="{escape(given["id"])}"' if tag in HEADINGS and given.get("id") else ""
            self._parts.append(f"<{tag}{name}>")

    def _note_place(self, tag: str, given: dict[str, str | None]) -> None:
        if tag == "h2":
            self._section = given.get("id") or ""
        elif tag == "tr":
            self._column = 0
        elif tag in ("td", "th"):
            self._column += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID_TAGS:
            return
        if self._ignored:
            self._ignored -= 1
        elif tag in KEPT_TAGS:
            self._parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._ignored:
            self._parts.append(escape(data, quote=False))

    def _is_ignored(self, tag: str, given: dict[str, str | None]) -> bool:
        return (
            tag in IGNORED_TAGS
            or "data-pagefind-ignore" in given
            or given.get("lang") in self._foreign
            or (tag in ("td", "th") and self._section == TERMS and 1 < self._column <= len(LANGUAGES))
            or not IGNORED_CLASSES.isdisjoint(_classes(given))
        )


def _classes(given: dict[str, str | None]) -> list[str]:
    return (given.get("class") or "").split()
