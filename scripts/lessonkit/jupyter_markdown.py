"""A page's text in the Markdown that Jupyter reads.

Python-Markdown's folds, admonitions, tabs, footnotes and attributes mean nothing there: they become HTML that Jupyter
shows, quotations, numbers and nothing. Programs stand between the pieces of text, since code is a cell of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from lessonkit.pages import FENCE, LINK, TOKEN, TOKEN_END, TOKEN_START, Page, Section

DIRECTIVE = re.compile(rf"(?P<indent>[ \t]*){TOKEN_START}d(?P<index>\d+){TOKEN_END}[ \t]*$")
BOX = re.compile(
    r"(?P<indent>[ \t]*)(?P<mark>!!!|\?\?\?\+?|===[!+]*)[ \t]*(?P<kind>[\w -]*?)[ \t]*"
    r"(?:\"(?P<title>(?:\\.|[^\"\n])*(?:\"(?=.*\")[^\"\n]*)*)\")?[ \t]*$"
)
HEADING = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<title>.*?)[ \t]*(?:\{:?[^{}\n]*\})?[ \t]*#*[ \t]*$")
FOOTNOTE = re.compile(r"\[\^(?P<name>[^\]\s]+)\]:[ \t]*(?P<text>.*)$")
FOOTNOTE_MARK = re.compile(r"\[\^(?P<name>[^\]\s]+)\](?!:)")
ATTRIBUTES = re.compile(r"(?<=[)\]*_`])\{:?[ \t]*[#.][^{}\n]*\}|^[ \t]*\{:[^{}\n]*\}[ \t]*$", re.M)
CODE_SPAN = re.compile(r"(?P<mark>`+)(?!`).*?(?<!`)(?P=mark)(?!`)", re.S)
DOLLAR = re.compile(r"(?<!\\)\$")
# The heading's line, the line of dashes, and rows until the next blank one.
TABLE = re.compile(r"^.*\|.*\n(?=.*\|)(?=.*-)[ \t:|-]+(?:\n|\Z)(?:.*\S.*(?:\n|\Z))*", re.M)
BAR = re.compile(r"(?P<line_end>\\\\)|(?P<double>\\)?\|(?P<letter>[A-Za-z]?)")
BARS_OF_ITS_OWN = re.compile(r"\\begin\{array\}|\\text\{[^{}]*\|")
OWN_LINE_FORMULA = re.compile(rf"^(?P<indent>[ \t]*){TOKEN_START}f(?P<index>\d+){TOKEN_END}[ \t]*$", re.M)


@dataclass(frozen=True)
class Text:
    """What becomes a Markdown cell."""

    markdown: str
    section: str | None = None
    """Id of the heading that it begins with."""


@dataclass(frozen=True)
class Shown:
    """A program's place in the text."""

    directive: int
    """Index in `Page.directives`."""
    folded: bool
    """Whether it stands in a fold: readers open it when they have thought."""


@dataclass(frozen=True)
class Writing:
    """How a page's items are written."""

    formula: Callable[[int], str]
    """Index in `Page.formulas` → TeX with its dollars, on one line unless it is a display formula; or a token."""
    link: Callable[[str], str]
    """An address as the author wrote it → as it leads from the notebook."""
    heading: Callable[[Section | None, int, str], str]
    """Section, level and converted title → the line."""
    notes: str
    """What the list of footnotes is called."""


def parts_of(page: Page, writing: Writing) -> list[Text | Shown]:
    """Text and programs in their order. A piece of text begins at each heading."""
    return _Converter(page, writing).read()


class _Done(str):
    """A line that is converted already."""


@dataclass
class _Converter:
    page: Page
    writing: Writing
    footnotes: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    """Footnotes by name, numbered as they are first met."""
    in_tables: set[int] = field(default_factory=set)
    """Formulas that stand in cells of tables."""

    def read(self) -> list[Text | Shown]:
        lines = self._without_footnotes(self.page.markdown.split("\n"))
        parts = list(self._parts(lines, folded=False))
        notes = []
        while len(notes) < len(self.numbers):  # a footnote may speak of another one
            name = list(self.numbers)[len(notes)]
            notes.append(f"{len(notes) + 1}. {self._inline(self.footnotes.get(name, ''))}")
        if notes:
            parts.append(Text(f"**{self.writing.notes}**\n\n" + "\n".join(notes)))
        return parts

    def _without_footnotes(self, lines: list[str]) -> list[str]:
        kept: list[str] = []
        name, fence = None, ""
        for line in lines:
            fence = _fence_after(line, fence)
            match = FOOTNOTE.match(line) if not fence else None
            if match:
                name = match["name"]
                self.footnotes[name] = match["text"]
            elif name and (not line.strip() or line.startswith(("    ", "\t"))):
                self.footnotes[name] += f"\n{line}" if line.strip() else "\n"
            else:
                name = None
                kept.append(line)
        self.footnotes = {name: text.strip() for name, text in self.footnotes.items()}
        return kept

    # -- blocks --

    def _parts(self, lines: list[str], folded: bool) -> Iterator[Text | Shown]:
        text: list[str] = []
        section, fence, outdent, index = None, "", 0, 0
        while index < len(lines):
            line, index = lines[index], index + 1
            if outdent and line.strip():  # what follows a program in a list is a text of its own
                outdent = outdent if len(line) - len(line.lstrip()) >= outdent else 0
                line = line[outdent:]
            was_fenced, fence = fence, _fence_after(line, fence)
            if was_fenced or fence:
                text.append(line)
                continue
            if shown := DIRECTIVE.match(line):
                yield from self._text(text, section)
                yield Shown(int(shown["index"]), folded)
                text, section, outdent = [], None, len(shown["indent"])
            elif (box := BOX.match(line)) and (box["kind"] or box["title"] is not None):
                inner, index = _indented(lines, index, len(box["indent"]) + 4)
                pieces = list(self._box(box, inner, folded))
                if len(pieces) == 1 and isinstance(pieces[0], Text):
                    text += [_Done(box["indent"] + row if row else row) for row in pieces[0].markdown.split("\n")]
                    continue
                yield from self._text(text, section)
                yield from pieces
                text, section, outdent = [], None, len(box["indent"])
            elif heading := HEADING.match(line):
                yield from self._text(text, section)
                found = self._section(line)
                section = found.id if found else None
                title = self._inline(heading["title"])
                text = [_Done(self.writing.heading(found, len(heading["marks"]), title))]
            else:
                text.append(line)
        yield from self._text(text, section)

    def _text(self, lines: list[str], section: str | None) -> Iterator[Text]:
        markdown = self._paragraphs(lines).strip("\n")
        if markdown.strip():
            yield Text(markdown, section)

    def _paragraphs(self, lines: Iterable[str]) -> str:
        """Lines with what stands inside them converted; code blocks stay as they are."""
        done, pending, fence = [], [], ""
        for line in lines:
            was_fenced, fence = fence, "" if isinstance(line, _Done) else _fence_after(line, fence)
            if was_fenced or fence or isinstance(line, _Done):
                done += [self._inline("\n".join(pending))] if pending else []
                done.append(line)
                pending = []
            else:
                pending.append(line)
        return "\n".join(done + ([self._inline("\n".join(pending))] if pending else []))

    def _box(self, box: re.Match, inner: list[str], folded: bool) -> Iterator[Text | Shown]:
        fold, tab = box["mark"].startswith("?"), box["mark"].startswith("=")
        title = box["title"]
        if title is None:
            title = box["kind"].strip().split(" ")[0].capitalize()
        title = self._inline(title.replace('\\"', '"'))
        parts = list(self._parts(inner, folded or fold))
        if all(isinstance(part, Text) for part in parts):
            body = "\n\n".join(part.markdown for part in parts)
            if fold:
                state = " open" if box["mark"].endswith("+") else ""
                yield Text(f"<details{state}><summary>{_as_html(title)}</summary>\n\n{body}\n\n</details>")
            elif tab:
                yield Text(f"**{title}**\n\n{body}")
            else:
                yield Text(_quoted(f"**{title}**\n\n{body}" if title else body))
            return
        if title:
            yield Text(f"**{title}**" if tab else _quoted(f"**{title}**"))
        yield from parts

    def _section(self, line: str) -> Section | None:
        """The section that a heading's line begins; headings without an id are none."""
        mark = re.search(r"\{[^{}]*#(?P<id>[\w:.-]+)[^{}]*\}", line)
        return next((one for one in self.page.sections if mark and one.id == mark["id"]), None)

    # -- inside paragraphs --

    def _inline(self, text: str) -> str:
        """Links, footnote marks, attributes, numbers and formulas of a text; code spans stay as they are."""
        text = TABLE.sub(self._table, text)
        pieces, end = [], 0
        for span in CODE_SPAN.finditer(text):
            pieces += [self._prose(text[end : span.start()]), span[0]]
            end = span.end()
        text = "".join([*pieces, self._prose(text[end:])])
        text = OWN_LINE_FORMULA.sub(self._display, text)
        return TOKEN.sub(self._item, text)

    def _prose(self, text: str) -> str:
        text = ATTRIBUTES.sub("", text)
        text = FOOTNOTE_MARK.sub(self._footnote, text)
        text = LINK.sub(self._link, text)
        return DOLLAR.sub(r"\\$", text)

    def _table(self, found: re.Match) -> str:
        """Jupyter ends a cell at each bar, in code as well; Python-Markdown does not."""
        self.in_tables |= {int(token["index"]) for token in TOKEN.finditer(found[0]) if token["kind"] == "f"}
        return CODE_SPAN.sub(lambda code: _code_without_bars(code[0]) if "|" in code[0] else code[0], found[0])

    def _link(self, found: re.Match) -> str:
        start, end = (position - found.start() for position in found.span("url"))
        return found[0][:start] + self.writing.link(found["url"]) + found[0][end:]

    def _footnote(self, found: re.Match) -> str:
        number = self.numbers.setdefault(found["name"], len(self.numbers) + 1)
        return f"<sup>{number}</sup>"

    def _display(self, found: re.Match) -> str:
        written = self.writing.formula(int(found["index"]))
        return "\n".join(found["indent"] + line for line in written.split("\n"))

    def _item(self, found: re.Match) -> str:
        if found["kind"] == "n":
            return self.page.bounds[int(found["index"])].text
        if found["kind"] == "f":
            written = self.writing.formula(int(found["index"]))
            if written.startswith(TOKEN_START):
                return written
            written = " ".join(written.split("\n"))
            return _without_bars(written) if int(found["index"]) in self.in_tables else written
        return found[0]


def _without_bars(tex: str) -> str:
    """The same formula without a sign that ends a table's cell: JupyterLab takes formulas out before, others do not."""
    if BARS_OF_ITS_OWN.search(tex):
        return tex
    return BAR.sub(_spelled_bar, tex)


def _spelled_bar(bar: re.Match) -> str:
    if bar["line_end"]:
        return bar[0]
    letter = bar["letter"]
    return (r"\Vert" if bar["double"] else r"\vert") + (f" {letter}" if letter else "")


def _code_without_bars(span: str) -> str:
    """The same code as HTML, with nothing in it that Markdown would read."""
    code = span.strip("`").strip()
    return "<code>" + "".join(sign if sign.isalnum() or sign == " " else f"&#{ord(sign)};" for sign in code) + "</code>"


def _fence_after(line: str, fence: str) -> str:
    """The mark of the code block that is open after a line, if one is."""
    match = FENCE.match(line)
    if fence:
        stripped = line.strip(" \t>")
        return "" if len(stripped) >= len(fence) and set(stripped) == {fence[0]} else fence
    return match["mark"] if match else ""


def _indented(lines: list[str], index: int, indent: int) -> tuple[list[str], int]:
    """(the lines from `index` that stand in a box, without their indentation; index of the line after it)."""
    inner: list[str] = []
    while index < len(lines) and (not lines[index].strip() or lines[index].startswith(" " * indent)):
        inner.append(lines[index][indent:])
        index += 1
    while inner and not inner[-1]:  # blank lines after the box belong to what follows
        inner.pop()
        index -= 1
    return inner, index


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _as_html(text: str) -> str:
    """Inline Markdown as HTML: inside an HTML element Markdown is not read."""
    pieces = re.split(r"(?<!\\)(\$[^$]+\$)", text)
    for pattern, tag in ((r"`([^`]+)`", "code"), (r"\*\*(.+?)\*\*", "strong"), (r"(?<![\w*])\*(?!\s)([^*]+)\*", "em")):
        pieces[::2] = [re.sub(pattern, rf"<{tag}>\1</{tag}>", piece) for piece in pieces[::2]]
    return "".join(pieces)
