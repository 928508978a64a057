"""A page as its author wrote it: the only reader of directives, bound numbers, formulas and sections.

`read_page` knows fences, code, comments and indentation, gives every item its line, reports whatever is wrong, and
returns Markdown in which each item is replaced by a token with its index. What turns the Markdown into HTML looks the
index up and never counts, because Python-Markdown processes lists, tables, admonitions and footnotes out of order.
"""

from __future__ import annotations

import ast
import bisect
import re
from dataclasses import dataclass, field

import yaml

from lessonkit.formulas import Formula
from lessonkit.markdown_faults import CONTAINER_LINE, LIST_ITEM, indentation, markdown_faults
from lessonkit.problems import Problem
from lessonkit.project import PageName, ProgramName, Project
from lessonkit.sources import read_source

TOKEN_START, TOKEN_END = "\ue000", "\ue001"
TOKEN = re.compile(f"{TOKEN_START}(?P<kind>[dnf])(?P<index>\\d+){TOKEN_END}")
GLOSSARY_TOKEN = f"{TOKEN_START}g{TOKEN_END}"
"""What stands in `Page.markdown` for `/// glossary`; gone before the other tokens are looked up."""
TARGET = re.compile(r"(?:[\w-]+/)*[\w-]+(?::[\w-]+)?$")
META_KINDS = {str: "a text", int: "a whole number", list: "a list"}
META_CURES = {
    "title": "Write title: and the page's title.",
    "description": "Write description: and one sentence that says what the page is about.",
    "minutes": "Write minutes: and how long a reader takes, as in minutes: 20.",
    "needs": "Write needs: and the slugs of the lessons to read before, as in needs: [soft-dictionary]; [] for none.",
}


@dataclass(frozen=True)
class Bound:
    """A number in text, in an alt text or in a formula, bound to an expression."""

    line: int
    start: int
    """Offset of `text` in the page's file text (as read: LF, no byte-order mark)."""
    text: str
    """What the page shows: `60 %`, `≈ 6.05`, in a formula `0{,}60`."""
    program: ProgramName | None
    """Whose namespace the expression means; None if there is none (a problem tells)."""
    after: str | None
    """Name of the cell after which it is evaluated; None for the program's end."""
    expression: str
    """One line of Python; "" for `{=cited}`."""
    place: str
    """"text", "alt" or "formula": in a formula the notation is TeX's."""

    @property
    def cited(self) -> bool:
        """A quoted number of somebody else's, bound to nothing on purpose."""
        return not self.expression


@dataclass(frozen=True)
class PageFormula:
    """A formula on a page."""

    line: int
    formula: Formula
    source: str
    """TeX as written, with `\\val` and its expressions."""
    bounds: tuple[int, ...]
    """Indexes into `Page.bounds` of its `\\val`s."""


@dataclass(frozen=True)
class AltText:
    line: int
    text: str
    """Plain text; bound numbers already replaced by what they show."""
    bounds: tuple[int, ...]


@dataclass(frozen=True)
class Directive:
    """A `/// snippet | target` block."""

    line: int
    kind: str
    target: str
    """As written: `causal`, `causal:weights`, `masks/causal`."""
    program: ProgramName
    cell: str | None
    """The one cell to show; None for the whole program."""
    show: str
    """"code", "output" or "both"."""
    alts: tuple[AltText, ...]


@dataclass(frozen=True)
class Section:
    """A heading and what follows it down to the next one of its level or above."""

    line: int
    level: int
    title: str
    id: str | None
    native: bool
    """Marked `.native`: its formulas and numbers are this language's own."""


@dataclass(frozen=True)
class Link:
    line: int
    url: str


@dataclass(frozen=True)
class Page:
    name: PageName
    text: str
    """The whole file, LF, no byte-order mark."""
    meta: dict
    """Front matter."""
    body_line: int
    """Line on which the text after the front matter begins, from 1."""
    markdown: str
    """The text after the front matter, with a token in place of each directive, formula and bound number."""
    directives: tuple[Directive, ...] = ()
    bounds: tuple[Bound, ...] = ()
    formulas: tuple[PageFormula, ...] = ()
    sections: tuple[Section, ...] = ()
    links: tuple[Link, ...] = ()
    prose: tuple[tuple[int, str], ...] = ()
    """(line, text) of each line with prose; code, URLs, directives, formulas and bound numbers are spaces in it."""
    mentioned: frozenset[ProgramName] = frozenset()
    """Programs that a block names, be the block faulty or not."""
    glossary_line: int | None = None
    """Line of `/// glossary`, where all terms stand; None if the page has none."""
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    @property
    def unreadable(self) -> bool:
        """Whether nothing is known of the page, since its file is missing or not UTF-8."""
        return any(problem.rule == "page-encoding" for problem in self.problems)


FRONT_MATTER = re.compile(r"-{3}[ \t]*\n(?P<yaml>.*?\n)?(?:-{3}|\.{3})[ \t]*(?:\n|\Z)", re.S)
FENCE = re.compile(r"[ \t>]*(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)$")
CONTAINER = re.compile(r"(?:!!! |\?\?\?\+? |===[!+]* |[-*+][ \t]+|\d+[.)][ \t]+|\[\^[^\]]+\]:|:[ \t]+)")
OPENING = re.compile(r"(?P<indent>[ \t]*)/{3,}[ \t]*(?P<kind>[\w-]+)(?P<rest>[^\n]*)$")
CLOSING = re.compile(r"[ \t]*/{3,}[ \t]*$")
MISPLACED = re.compile(r"[ \t]*(?:>|[-*+][ \t]|\d+[.)][ \t])[ \t>]*/{3,}[ \t]*[\w-]+[ \t]*\|")
DIRECTIVE_OPTION = re.compile(r"(?P<key>[A-Za-z_-]+):[ \t]*(?P<value>.*)$")
HEADING = re.compile(
    r"(?P<marks>#{1,6})[ \t]+(?P<title>.*?)(?:[ \t]+\{:?[ \t]*(?P<attributes>[^{}\n]*)\})?[ \t]*#*[ \t]*$"
)
UNDERLINE = re.compile(r"[ \t]{0,3}(?:=+|-+)[ \t]*$")
VERBATIM_TAG = re.compile(r"<(?P<tag>pre|script|style|textarea)\b", re.I)
TABLE_ROW = re.compile(r"[ \t]*\|")
FENCE_INFO = re.compile(
    r"[ \t]*(?:\{[^}]*\}|[\w#.+-]+)?(?:[ \t]+(?:\{[^}]*\}|[\w-]+=(?:\"[^\"]*\"|'[^']*'|\S+)))*[ \t]*$"
)
TAG = re.compile(
    r"</?[A-Za-z][\w-]*(?P<attributes>(?:\s+[\w:@.-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=<>`\[\]]+))?)*)\s*/?>$"
)
# fmt: off
BARE_ATTRIBUTES = frozenset((
    "allowfullscreen", "async", "autoplay", "checked", "controls", "defer", "disabled", "download", "hidden",
    "ismap", "loop", "markdown", "multiple", "muted", "nomodule", "open", "playsinline", "readonly",
    "required", "reversed", "selected",
))
"""HTML attributes that have no value."""
# fmt: on
AUTOLINK = re.compile(r"<(?:[A-Za-z][\w+.-]*:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>$")
ADDRESS = re.compile(r"""\b(?:href|src|poster|data)\s*=\s*["']?(?P<url>[^"'\s>]+)""")
FOREIGN = re.compile(r"(?:https?:)?//", re.I)
LOOKS_LIKE_TEX = re.compile(r"\$(?=[^\s$\d])[^$\n]{0,40}?(?:\\[A-Za-z]|[_^][\w{\\])")
BREAKS_PARAGRAPH = re.compile(r"[ \t]*(?:#{1,6}[ \t]|!!! |\?\?\?\+? |===[!+]* |\[\^?[^\]\n]+\]:|>)")
INLINE = re.compile(
    r"(?P<stray>\\val(?![A-Za-z])|\\begin\{)|(?P<escape>\\.)|(?P<ticks>`+)|(?P<comment><!--)|(?P<code><(?P<tag>code|kbd|pre)\b)"
    r"|(?P<html></?[A-Za-z][^<>\n]*>)|(?P<display>\$\$)|(?P<dollar>\$)|(?P<bracket>\[)"
    r"|(?P<loose>\] ?\{(?![:.#])[^}\n]*\}?)",
    re.S,
)
INLINE_FORMULA = re.compile(r"\$(?![\s$])(?P<tex>(?:\\.|[^\\$])+?)(?<!\s)\$(?!\d)", re.S)
DISPLAY_FORMULA = re.compile(r"\$\$(?P<tex>(?:\\.|[^\\$])+?)\$\$", re.S)
BOUND = re.compile(
    r"\[(?P<text>(?:[^\[\]\n{}]|\[[^\[\]\n{}]*\])+)\]\{(?P<program>[\w/.-]*)=(?P<expression>[^{}|\n]*)\}"
)
VAL = re.compile(r"(?<!\\)(?:\\\\)*(?P<val>\\val(?![A-Za-z]))")
VAL_BINDING = re.compile(r"\{(?P<program>[\w/.-]*)=(?P<expression>[^{}|\n]*)\}")
LINK = re.compile(
    r"!?\[(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]"
    r"(?P<target>\((?P<url>[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?:[ \t]+\"[^\"\n]*\")?\))"
)
REFERENCE = re.compile(r"[ \t]*\[(?!\^)[^\]\n]+\]:[ \t]*(?P<url>\S+)")
SHOW = ("code", "output", "both")
HOW_TO_BIND = (
    "Write [0.60]{= expression} or [0.60]{program= expression}; a backslash before the bracket shows it as it is."
)
HOW_TO_VAL = r"Write \val{0.60}{= expression}; a backslash before \val shows it as it is."


def token(kind: str, index: int) -> str:
    """What stands in `Page.markdown` for an item: kind "d" (directive), "n" (bound number) or "f" (formula)."""
    return f"{TOKEN_START}{kind}{index}{TOKEN_END}"


def read_page(project: Project, name: PageName, known: Page | None = None) -> Page:
    """Read a page; what is wrong with it is in `problems`, never an exception.

    `known` is the page as it was read before: it is given back if the text is still the same.
    """
    text, problem = read_source(project, name.path, rule="page-encoding")
    if problem:
        return Page(name, "", {}, 1, "", problems=(problem,))
    return known if known and known.text == text and not known.unreadable else parse_page(name, text)


def parse_page(name: PageName, text: str) -> Page:
    """The page whose file text is `text` (LF, no byte-order mark)."""
    return _Reader(name, text).read()


class _Reader:
    """One pass over the lines to find blocks, one over each paragraph to find what stands inside it."""

    def __init__(self, name: PageName, text: str) -> None:
        self.name = name
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.blank = list(text)  # the prose: everything that is not prose becomes a space
        self.edits: list[tuple[int, int, str]] = []
        self.directives: list[Directive] = []
        self.bounds: list[Bound] = []
        self.formulas: list[PageFormula] = []
        self.sections: list[Section] = []
        self.links: list[Link] = []
        self.problems: list[Problem] = []
        self.meta: dict = {}
        self.shown: dict[ProgramName, str | None] = {}  # program -> its cell shown last, None for all of it
        self.current: ProgramName | None = None
        self.mentioned: set[ProgramName] = set()
        self.glossary_line: int | None = None

    def read(self) -> Page:
        body = self._front_matter()
        for number, line in enumerate(self.lines, 1):
            if TOKEN_START in line or TOKEN_END in line:
                self._problem(
                    number,
                    "character",
                    "This line holds a character that the engine uses for itself (U+E000)",
                    "Delete it: it is invisible, and most likely came in by copying.",
                )
        self._blocks(bisect.bisect_left(self.starts, body))
        self._check_headings()
        prose = "".join(self.blank).split("\n")
        self.problems += markdown_faults(self.name.path, self.lines, prose, self._line_at(body))
        return Page(
            name=self.name,
            text=self.text,
            meta=self.meta,
            body_line=self._line_at(body),
            markdown=self._edited(body),
            directives=tuple(self.directives),
            bounds=tuple(self.bounds),
            formulas=tuple(self.formulas),
            sections=tuple(self.sections),
            links=tuple(self.links),
            prose=self._prose(body),
            mentioned=frozenset(self.mentioned),
            glossary_line=self.glossary_line,
            problems=tuple(self.problems),
        )

    # -- what a page begins with ---------------------------------------------------------------------------------

    def _front_matter(self) -> int:
        """Read the front matter; the offset of the text after it (always the start of a line)."""
        match = FRONT_MATTER.match(self.text)
        if not match and re.match(r"---[ \t]*\n\w+:", self.text):
            self._problem(
                1, "front-matter", "The front matter is not closed", "Write --- on a line of its own after it."
            )
            return 0
        if not match:
            self._check_meta()
            return 0
        try:
            meta = yaml.safe_load(match["yaml"] or "")
            if meta is not None and not isinstance(meta, dict):
                raise yaml.YAMLError("it is not a list of `key: value` lines")
            self.meta = meta or {}
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            what = getattr(error, "problem", None) or str(error)
            self._problem(
                2 + (mark.line if mark else 0),
                "front-matter",
                f"The front matter cannot be read: {what}",
                'Put quotes around a text that holds a colon: title: "Masks: what they hide".',
            )
        else:
            self._check_meta()
        return match.end() if match.end() in self.starts else len(self.text)

    def _check_meta(self) -> None:
        wanted = {"title": str, "description": str}
        if self.name.file.startswith("lessons/"):
            wanted |= {"minutes": int, "needs": list}
        for key, kind in wanted.items():
            value = self.meta.get(key)
            if kind is str and isinstance(value, str) and ("$" in value or "]{" in value):
                self._problem(
                    self._meta_line(key),
                    "front-matter",
                    f"Formulas and bound numbers in “{key}” stay as they are",
                    "Write it in plain words.",
                )
            if not isinstance(value, kind) or value == "" or (kind is int and isinstance(value, bool)):
                what = f"“{key}” is missing" if value is None else f"“{key}” is not {META_KINDS[kind]}"
                self._problem(self._meta_line(key), "front-matter", f"In the front matter {what}", META_CURES[key])
        if self.meta.pop("template", None) is not None:
            text = "A page of the course has no template of its own"
            self._problem(self._meta_line("template"), "front-matter", text, "Take the line out.")
        snippet = self.meta.get("snippet")
        if isinstance(snippet, str):
            self.current = self.name.program(snippet)
            self.shown[self.current] = None

    def _meta_line(self, key: str) -> int:
        return next((n for n, line in enumerate(self.lines, 1) if line.startswith(f"{key}:")), 1)

    # -- blocks --------------------------------------------------------------------------------------------------

    def _blocks(self, index: int) -> None:
        """Walk over the lines from `index` (from 0): verbatim blocks, directives, display formulas, paragraphs."""
        containers = [0]
        after_blank = True
        while index < len(self.lines):
            line = self.lines[index]
            if not line.strip():
                after_blank, index = True, index + 1
                continue
            indent = indentation(line)
            content = line.lstrip(" \t")
            container = CONTAINER.match(content)
            if after_blank or container or OPENING.match(line):
                while len(containers) > 1 and indent < containers[-1]:
                    containers.pop()
            if after_blank and indent >= containers[-1] + 4 and not FENCE.match(line):
                index = self._indented_code(index, containers[-1] + 4)
            else:
                if container:
                    containers.append(indent + 4)
                index = self._block(index)
            after_blank = index < len(self.lines) and not self.lines[index].strip()

    def _block(self, index: int) -> int:
        """Read the block that begins on line `index`; the index of the line after it."""
        line = self.lines[index]
        stripped = line.strip()
        fence = FENCE.match(line)
        if fence and not ("`" in fence["info"] and fence["mark"][0] == "`"):
            if not FENCE_INFO.match(fence["info"]):
                self._problem(
                    index + 1,
                    "fence",
                    f"“{fence['info'].strip()}” after {fence['mark']} keeps this from being a code block",
                    'Write the language only, and options as key="value".',
                )
            return self._fence(index, fence["mark"])
        if stripped.startswith("<!--"):
            return self._until(index, "-->", "comment", "This comment is not closed", "Write --> at its end.")
        verbatim = VERBATIM_TAG.match(stripped)
        if verbatim:
            for found in ADDRESS.finditer(stripped.partition(">")[0]):
                if FOREIGN.match(found["url"]):
                    self._foreign(found["url"], index + 1)
            closing = f"</{verbatim['tag']}>"
            return self._until(
                index, closing, "html", f"<{verbatim['tag']}> is not closed", f"Write {closing} at its end."
            )
        opening = OPENING.match(line)
        if opening:
            return self._directive(index, opening)
        if CLOSING.match(line):
            self._problem(index + 1, "directive", "This /// closes nothing", "Delete it, or write the opening line.")
            self._blank_lines(index, index + 1)
            return index + 1
        if MISPLACED.match(line):
            self._problem(
                index + 1,
                "directive",
                "A directive cannot begin in the same line as a list item or a quotation",
                "Put it on a line of its own, indented by four spaces.",
            )
        if stripped.startswith("$$"):
            after = self._display_block(index)
            if after:
                return after
        return self._paragraph(index)

    def _indented_code(self, index: int, indent: int) -> int:
        end = index
        for number in range(index, len(self.lines)):
            if self.lines[number].strip():
                if indentation(self.lines[number]) < indent:
                    break
                opening = OPENING.match(self.lines[number])
                if opening and opening["kind"] == "snippet":
                    self._problem(
                        number + 1,
                        "directive",
                        "This block is indented so far that Markdown takes it for code",
                        "Indent it by four spaces for each list item, note or tab that it stands in.",
                    )
                end = number + 1
        self._blank_lines(index, end)
        return end

    def _fence(self, index: int, mark: str) -> int:
        closing = re.compile(rf"[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$")
        for number in range(index + 1, len(self.lines)):
            if closing.match(self.lines[number]):
                self._blank_lines(index, number + 1)
                return number + 1
        self._problem(
            index + 1, "fence", "This code block is not closed", f"Write {mark} on a line of its own after the code."
        )
        self._blank_lines(index, len(self.lines))
        return len(self.lines)

    def _until(self, index: int, closing: str, rule: str, text: str, cure: str) -> int:
        """A block that ends with the line that holds `closing`."""
        end = self.text.find(closing, self.starts[index])
        if end < 0:
            self._problem(index + 1, rule, text, cure)
            self._blank_lines(index, len(self.lines))
            return len(self.lines)
        end += len(closing)
        self._blank_span(self.starts[index], end)
        last = self._line_at(end)
        if self.text[end : self.starts[last] - 1].strip():  # what follows on the line is prose
            return self._paragraph(last - 1, end)
        return last

    def _display_block(self, index: int) -> int | None:
        """A `$$ … $$` formula that has its lines for itself; None if it has not."""
        start = self.starts[index] + _indent_length(self.lines[index])
        match = DISPLAY_FORMULA.match(self.text, start)
        if not match or "\n\n" in re.sub(r"[ \t]+\n", "\n", match["tex"]):
            if self.text.find("$$", start + 2, self._paragraph_end(index)) < 0:
                self._problem(
                    index + 1,
                    "formula",
                    "This formula is not closed",
                    "Write $$ at its end; there may be no blank line inside it.",
                )
                end = self._line_at(self._paragraph_end(index))
                self._blank_lines(index, end)
                return end
            return None
        line_end = self.starts[self._line_at(match.end())] - 1
        if self.text[match.end() : line_end].strip():
            return None
        last = self._line_at(match.end())
        found = self._formula(match.start("tex"), match["tex"], display=True)
        self._replace_block(index, last, found)
        return last

    def _paragraph_end(self, index: int) -> int:
        """Offset of the end of the paragraph in which line `index` stands."""
        while index < len(self.lines) and self.lines[index].strip():
            index += 1
        return max(self.starts[index] - 1, 0)

    def _paragraph(self, index: int, start: int | None = None) -> int:
        """Lines up to a blank line or to a line that begins a block of its own; read from offset `start` on."""
        end = index + 1
        first = self.lines[index]
        own_line = [BREAKS_PARAGRAPH]
        own_line += [LIST_ITEM] if LIST_ITEM.match(first) else []  # in the middle of a sentence a dash begins no list
        own_line += [TABLE_ROW] if "|" in first else []
        while end < len(self.lines) and self.lines[end].strip():
            line = self.lines[end]
            if (
                any(pattern.match(line) for pattern in own_line)
                or OPENING.match(line)
                or CLOSING.match(line)
                or FENCE.match(line)
                or line.strip().startswith(("$$", "<!--"))
                or VERBATIM_TAG.match(line.strip())
            ):
                break
            end += 1
        self._inline(self.starts[index] if start is None else start, self.starts[end] - 1)
        self._headings(index, end)
        self._containers(index, end)
        return end

    def _containers(self, first: int, end: int) -> None:
        """Notes, folds and tabs whose title or body Markdown would not recognise: their source would be published."""
        for number in range(first, end):
            line = self.lines[number]
            if not re.match(r"[ \t]*(?:\?{2,}|!!!|===)\+?[ \t]*\S", line):
                continue
            if not CONTAINER_LINE.match(line):
                self._problem(
                    number + 1,
                    "container",
                    "Markdown does not recognise this note, fold or tab",
                    'Write !!! note "Title", ??? question "Title" or === "Title", the title in straight quotes.',
                )
                continue
            body = next((n for n in range(number + 1, len(self.lines)) if self.lines[n].strip()), None)
            if body is None or indentation(self.lines[body]) < indentation(line) + 4:
                self._problem(
                    number + 1,
                    "container",
                    "Nothing stands inside this note, fold or tab",
                    "Indent what belongs to it by four spaces.",
                )

    # -- directives ----------------------------------------------------------------------------------------------

    def _directive(self, index: int, opening: re.Match) -> int:
        line = index + 1
        indent = opening["indent"]
        end = None
        for number in range(index + 1, len(self.lines)):
            if CLOSING.match(self.lines[number]):
                end = number
                break
            if OPENING.match(self.lines[number]):
                break
        if end is None:
            self._mention(opening)
            self._problem(
                line,
                "directive",
                f"This {opening['kind']} block is not closed",
                "Write /// on a line of its own at its end.",
            )
            self._blank_lines(index, index + 1)
            return index + 1
        self._mention(opening)
        rest = opening["rest"].strip()
        target = rest.removeprefix("|").strip()
        if opening["kind"] == "glossary":
            self._glossary(index, end, rest)
            return end + 1
        if opening["kind"] != "snippet":
            self._problem(
                line, "directive", f"There is no directive “{opening['kind']}”", "The directive is: /// snippet | name"
            )
        elif not rest.startswith("|") or not TARGET.match(target):
            what = f"“{target}” names no program" if target else "This block names no program"
            self._problem(line, "directive", what, "Write /// snippet | name, name:cell or lesson/name.")
        else:
            self._snippet(index, end, indent, target)
            return end + 1
        self._blank_lines(index, end + 1)
        return end + 1

    def _glossary(self, index: int, end: int, rest: str) -> None:
        text = None
        if rest or any(line.strip() for line in self.lines[index + 1 : end]):
            text = "The block /// glossary has no name, no options and no text"
        elif self.name.file != "glossary.md":
            text = "The block /// glossary stands on the page glossary.md only"
        elif self.glossary_line:
            text = f"The block /// glossary stands at line {self.glossary_line} already"
        if text:
            self._problem(index + 1, "directive", text, "Write /// glossary and, below it, ///; or take it out.")
        self.glossary_line = self.glossary_line or index + 1
        self._replace_block(index, end + 1, GLOSSARY_TOKEN)

    def _mention(self, opening: re.Match) -> None:
        """A faulty block names its program all the same: its numbers and its file are not at fault too."""
        target = opening["rest"].strip().removeprefix("|").strip()
        if TARGET.match(target):
            self.current = self.name.program(target.partition(":")[0])
            self.shown.setdefault(self.current, None)
            self.mentioned.add(self.current)

    def _snippet(self, index: int, end: int, indent: str, target: str) -> None:
        path, _, cell = target.partition(":")
        program = self.name.program(path)
        self.current = program
        self.shown[program] = cell or None
        show, body = self._options(index + 1, end, indentation(indent) if indent else 0)
        alts = self._alts(body, end)
        found = Directive(
            line=index + 1, kind="snippet", target=target, program=program, cell=cell or None, show=show, alts=alts
        )
        self.directives.append(found)
        self._replace_block(index, end + 1, token("d", len(self.directives) - 1))

    def _options(self, first: int, end: int, indent: int) -> tuple[str, int]:
        """(value of `show`, index of the first line after the options)."""
        show = "both"
        for number in range(first, end):
            line = self.lines[number]
            option = DIRECTIVE_OPTION.match(line.strip())
            if not line.strip() or indentation(line) < indent + 4 or not option:
                return show, number
            if option["key"] != "show":
                self._problem(
                    number + 1,
                    "directive",
                    f"There is no option “{option['key']}”",
                    "The option is show: code, output or both. Alt text is not indented.",
                )
            elif option["value"].strip() not in SHOW:
                self._problem(
                    number + 1,
                    "directive",
                    f"show cannot be “{option['value'].strip()}”",
                    "Write show: code, show: output or show: both.",
                )
            else:
                show = option["value"].strip()
        return show, end

    def _alts(self, first: int, end: int) -> tuple[AltText, ...]:
        """The paragraphs between the options and the end of the block."""
        alts = []
        number = first
        while number < end:
            if not self.lines[number].strip():
                number += 1
                continue
            last = number
            while last < end and self.lines[last].strip():
                last += 1
            before = len(self.bounds)
            parts = []
            position = start = self.starts[number]
            stop = self.starts[last] - 1
            for match in BOUND.finditer(self.text, start, stop):
                if self.text[match.start() - 1] == "\\":
                    continue
                self._bound(match, "alt")
                parts += [self.text[position : match.start()], match["text"]]
                position = match.end()
            parts.append(self.text[position:stop])
            text = re.sub(r"[ \t\n]+", " ", "".join(parts)).strip(" ")  # a no-break space stays one
            self._loose_bindings(start, stop)
            alts.append(AltText(number + 1, text.replace("\\[", "["), tuple(range(before, len(self.bounds)))))
            number = last
        return tuple(alts)

    def _loose_bindings(self, start: int, stop: int) -> None:
        """Report what looks like a bound number but is none, in an alt text."""
        rest = BOUND.sub(lambda m: " " * len(m[0]), self.text[start:stop])
        for match in re.finditer(r"\]\{[^}\n]*=", rest):
            self._problem(
                self._line_at(start + match.start()), "bound-number", "This bound number cannot be read", HOW_TO_BIND
            )

    # -- inside a paragraph --------------------------------------------------------------------------------------

    def _inline(self, start: int, end: int) -> None:
        position = start
        while match := INLINE.search(self.text, position, end):
            position = getattr(self, "_on_" + match.lastgroup if match.lastgroup != "tag" else "_on_code")(match, end)
        for match in LINK.finditer("".join(self.blank[start:end])):
            if match[0].startswith("!"):
                words = self.text[start + match.start("words") : start + match.end("words")]
                self._image(words, match["url"], self._line_at(start + match.start()))
            self._link(match["url"], start + match.start("target"), start + match.end("target"))
        for match in REFERENCE.finditer("".join(self.blank[start:end])):
            self._link(match["url"], start + match.start("url"), start + match.end("url"))

    def _image(self, words: str, url: str, line: int) -> None:
        if not words.strip():
            cure = "Say what it shows: ![una curva que sube](curve.svg)."
            self._problem(line, "alt-text", "This image has no alt text", cure)
        if FOREIGN.match(url):
            self._foreign(url, line)

    def _foreign(self, url: str, line: int) -> None:
        self._problem(
            line,
            "link",
            f"{url} would be loaded from another host",
            "Put the file into docs/ and name it relative to this page: readers' browsers ask this site alone.",
        )

    def _link(self, url: str, start: int, end: int) -> None:
        self.links.append(Link(self._line_at(start), url))
        self._blank_span(start, end)

    def _on_stray(self, match: re.Match, end: int) -> int:
        if match[0].startswith("\\val"):
            self._problem(
                self._line_at(match.start()),
                "bound-number",
                r"\val stands outside a formula",
                "Put $ around the formula; in text write [0.60]{= expression}.",
            )
        else:
            self._problem(
                self._line_at(match.start()),
                "formula",
                r"\begin stands outside a formula",
                "Put $$ before it and after its end.",
            )
        return match.end()

    def _on_escape(self, match: re.Match, end: int) -> int:
        if match[0] == "\\$":
            self.edits.append((match.start(), match.end(), "$"))
        elif match[0] == "\\[":
            shown = BOUND.match(self.text, match.start() + 1, end)
            if shown:
                return shown.end()
        closing = {"\\(": "\\)", "\\[": "\\]"}.get(match[0])
        if closing and self.text.find(closing, match.end(), end) > 0:
            self._problem(
                self._line_at(match.start()),
                "formula",
                f"{match[0]} … {closing} makes no formula here",
                "Put $ around a formula, or $$ on lines of their own.",
            )
        return match.end()

    def _on_ticks(self, match: re.Match, end: int) -> int:
        closing = re.compile(rf"(?<!`){match[0]}(?!`)").search(self.text, match.end(), end)
        if not closing:
            return match.end()
        self._blank_span(match.start(), closing.end())
        return closing.end()

    def _on_comment(self, match: re.Match, end: int) -> int:
        closing = self.text.find("-->", match.end())
        closing = end if closing < 0 else min(closing + 3, end)
        self._blank_span(match.start(), closing)
        return closing

    def _on_code(self, match: re.Match, end: int) -> int:
        closing = self.text.find(f"</{match['tag']}>", match.end(), end)
        closing = match.end() if closing < 0 else closing
        self._blank_span(match.start(), closing)
        return closing

    def _on_html(self, match: re.Match, end: int) -> int:
        line, tag = self._line_at(match.start()), match[0]
        if AUTOLINK.match(tag):
            self._blank_span(match.start(), match.end())
            return match.end()
        shape = TAG.match(tag)
        bare = re.sub(r"\s*=\s*(?:\"[^\"]*\"|'[^']*'|\S+)", "=", shape["attributes"]).split() if shape else []
        if not shape or any(not name.endswith("=") and name not in BARE_ATTRIBUTES for name in bare):
            self._problem(
                line,
                "html",
                f"Markdown takes “{tag}” for an HTML tag, and a reader would not see it",
                "Write a space after the <, or &lt; for it.",
            )
            return match.start() + 1
        if re.search(r"\]\{[^}\n]*=", tag) or INLINE_FORMULA.search(tag):
            self._problem(
                line,
                "html",
                "A bound number or a formula in an HTML attribute stays as it is",
                "Put it into the text, or use a Markdown image or link.",
            )
        for found in ADDRESS.finditer(tag):
            url = found["url"]
            if FOREIGN.match(url) and not tag.startswith("<a"):
                self._foreign(url, line)
            elif not re.match(r"[A-Za-z][\w+.-]*:|//|#", url):
                self._problem(
                    line,
                    "link",
                    f"The address {url} in HTML would not be right on the built site",
                    "Write a Markdown link [text](page.md) or image ![alt](file): those are checked and made relative.",
                )
        self._blank_span(match.start(), match.end())
        return match.end()

    def _on_display(self, match: re.Match, end: int) -> int:
        found = DISPLAY_FORMULA.match(self.text, match.start(), end)
        if not found:
            self._problem(
                self._line_at(match.start()),
                "formula",
                "This formula is not closed",
                "Write $$ at its end, or \\$ for a dollar sign.",
            )
            return match.end()
        self._replace(found.start(), found.end(), self._formula(found.start("tex"), found["tex"], display=True))
        return found.end()

    def _on_dollar(self, match: re.Match, end: int) -> int:
        found = INLINE_FORMULA.match(self.text, match.start(), end)
        if not found:
            if LOOKS_LIKE_TEX.match(self.text, match.start(), end):
                self._problem(
                    self._line_at(match.start()),
                    "formula",
                    "This dollar sign seems to begin a formula that nothing ends",
                    "Write $ right after the formula, or \\$ for a dollar sign.",
                )
            return match.end()
        self._replace(found.start(), found.end(), self._formula(found.start("tex"), found["tex"], display=False))
        return found.end()

    def _on_bracket(self, match: re.Match, end: int) -> int:
        found = BOUND.match(self.text, match.start(), end)
        if not found:
            return match.end()
        self._replace(found.start(), found.end(), self._bound(found, "text"))
        return found.end()

    def _on_loose(self, match: re.Match, end: int) -> int:
        self._problem(self._line_at(match.start()), "bound-number", "This bound number cannot be read", HOW_TO_BIND)
        return match.end()

    def _bound(self, match: re.Match, place: str) -> str:
        return self._add_bound(match.start("text"), match["text"], match["program"], match["expression"], place)

    def _add_bound(self, start: int, text: str, program: str, expression: str, place: str) -> str:
        line = self._line_at(start)
        expression = expression.strip()
        if place != "formula" and re.search(r"[*`$]|(?<!\w)_|_(?!\w)", text):
            self._problem(
                line,
                "bound-number",
                f"The marks in “{text}” would be shown as they are",
                "Put them around the bound number: **[0.60]{= expression}**.",
            )
        name, after = self.current, None
        if program:
            name = self.name.program(program)
        if expression == "cited" and not program:
            expression = ""
        elif name is None:
            self._problem(
                line,
                "bound-number",
                "No program is shown above this number, so its expression means nothing",
                "Name one: [0.60]{program= expression}, or set `snippet:` in the front matter.",
            )
        else:
            after = self.shown.get(name)
            fault = _expression_fault(expression)
            if fault:
                self._problem(
                    line,
                    "bound-number",
                    f"The expression “{expression}” {fault}",
                    "Write one Python expression that only reads values.",
                )
                name = None
        self.bounds.append(Bound(line, start, text, name, after, expression, place))
        return token("n", len(self.bounds) - 1)

    def _formula(self, start: int, source: str, *, display: bool) -> str:
        """Add the formula whose TeX begins at offset `start`; its token."""
        before = len(self.bounds)
        parts = []
        position = 0
        unread = False
        for match in re.finditer(r"\]\{[\w/.-]*=(?!=)", source):
            self._problem(self._line_at(start + match.start()), "bound-number", "[0.60]{= …} is for text", HOW_TO_VAL)
        for match in VAL.finditer(source):
            at = match.start("val")
            if at < position:
                continue
            argument = _braced(source, match.end())
            binding = VAL_BINDING.match(source, argument[1] + 1) if argument else None
            if not argument or not binding:
                self._problem(self._line_at(start + at), "bound-number", r"This \val cannot be read", HOW_TO_VAL)
                unread = True
                continue
            text = source[argument[0] : argument[1]]
            self._add_bound(start + argument[0], text, binding["program"], binding["expression"], "formula")
            parts += [source[position:at], "{", text, "}"]
            position = binding.end()
        parts.append(source[position:])
        tex = "".join(parts).strip()
        if unread:  # it is told: MathJax need not take it for a command that it lacks
            tex = tex.replace("\\val", r"\mathrm{val}")
        formula = Formula(tex, display)
        self.formulas.append(PageFormula(self._line_at(start), formula, source, tuple(range(before, len(self.bounds)))))
        return token("f", len(self.formulas) - 1)

    # -- headings ------------------------------------------------------------------------------------------------

    def _headings(self, first: int, end: int) -> None:
        for number in range(first, end):
            line = self.lines[number]
            match = HEADING.match(line)
            if match:
                self._section(number, match)
            elif re.match(r"#{1,6}[^#\s]", line):
                self._problem(
                    number + 1,
                    "heading",
                    "Markdown makes a heading of this line",
                    "Write a space after the #, or \\# for the sign itself.",
                )
            elif number > first and UNDERLINE.match(line) and _is_prose(self.lines[number - 1]):
                self._problem(
                    number + 1,
                    "heading",
                    "A line of dashes or equal signs makes a heading of the line above",
                    "Write ## before the heading and its {#id} after it, or a blank line above the dashes.",
                )

    def _section(self, number: int, match: re.Match) -> None:
        attributes = (match["attributes"] or "").split()
        section_id = next((item[1:] for item in attributes if item.startswith("#")), None)
        if match["attributes"]:
            self._blank_span(
                self.starts[number] + match.start("attributes"), self.starts[number] + match.end("attributes")
            )
        self.sections.append(
            Section(
                line=number + 1,
                level=len(match["marks"]),
                title=match["title"],
                id=section_id,
                native=".native" in attributes,
            )
        )

    def _check_headings(self) -> None:
        first: dict[str, int] = {}
        titles = [section for section in self.sections if section.level == 1]
        for section in titles[1:]:
            self._problem(
                section.line,
                "heading",
                f"A page has one title; it stands at line {titles[0].line}",
                "Write ## for a section.",
            )
        for section in self.sections:
            if section.id is None:
                if section.level == 2:
                    self._problem(
                        section.line,
                        "heading-id",
                        f"The section “{section.title}” has no id",
                        "Write one after it, the same in all languages: ## Title {#short-name}",
                    )
                elif section.level > 2 and ("$" in section.title or "]{" in section.title):
                    self._problem(
                        section.line,
                        "heading-id",
                        "A heading with a formula or a bound number needs an id",
                        "Write one after it, the same in all languages: ### Title {#short-name}",
                    )
            elif not re.fullmatch(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", section.id):
                self._problem(
                    section.line,
                    "heading-id",
                    f"“{section.id}” is no id",
                    "Use small Latin letters, digits and single hyphens: {#short-name}",
                )
            elif section.id in first:
                self._problem(
                    section.line,
                    "heading-id",
                    f"The id “{section.id}” is taken by line {first[section.id]}",
                    "Give each section an id of its own.",
                )
            else:
                first[section.id] = section.line

    # -- bookkeeping ---------------------------------------------------------------------------------------------

    def _problem(self, line: int, rule: str, text: str, cure: str) -> None:
        self.problems.append(Problem(self.name.path, line, rule, text, cure))

    def _line_at(self, offset: int) -> int:
        """Line (from 1) on which `offset` stands."""
        return bisect.bisect_right(self.starts, offset)

    def _blank_span(self, start: int, end: int) -> None:
        for offset in range(start, min(end, len(self.blank))):
            if self.blank[offset] != "\n":
                self.blank[offset] = " "

    def _blank_lines(self, first: int, end: int) -> None:
        self._blank_span(self.starts[first], self.starts[end])

    def _replace(self, start: int, end: int, with_token: str) -> None:
        self.edits.append((start, end, with_token))
        self._blank_span(start, end)

    def _replace_block(self, first: int, end: int, with_token: str) -> None:
        """Put a token, as a paragraph of its own, in place of lines `first` to `end` (exclusive)."""
        indent = self.lines[first][: _indent_length(self.lines[first])]
        if indentation(indent) % 4:
            self._problem(
                first + 1,
                "indent",
                "Markdown does not see in which list item this block stands",
                "Indent it by four spaces for each list item, note or tab that it stands in.",
            )
        # A second blank line would tear the block out of a footnote.
        above = "\n" if first and self.lines[first - 1].strip() else ""
        below = "\n" if end < len(self.lines) and self.lines[end].strip() else ""
        self.edits.append((self.starts[first], self.starts[end] - 1, f"{above}{indent}{with_token}{below}"))
        self._blank_lines(first, end)

    def _edited(self, start: int) -> str:
        parts = []
        for edit_start, edit_end, replacement in sorted(self.edits):
            parts += [self.text[start:edit_start], replacement]
            start = edit_end
        return "".join([*parts, self.text[start:]])

    def _prose(self, body: int) -> tuple[tuple[int, str], ...]:
        first = self._line_at(body)
        lines = "".join(self.blank)[body:].split("\n")
        return tuple((number, line) for number, line in enumerate(lines, first) if line.strip())


def _indent_length(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _is_prose(line: str) -> bool:
    """Whether a line of dashes below this line would make it a heading."""
    return bool(line.strip()) and "|" not in line and not BREAKS_PARAGRAPH.match(line)


def _braced(source: str, start: int) -> tuple[int, int] | None:
    """(start, end) of what stands inside the balanced braces that open at `start`."""
    if source[start : start + 1] != "{":
        return None
    depth = 0
    position = start
    while position < len(source):
        character = source[position]
        if character == "\\":
            position += 1
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return start + 1, position
        position += 1
    return None


def _expression_fault(expression: str) -> str | None:
    """Why this is no expression that only reads; None if it is one."""
    if not expression:
        return "is empty"
    try:
        tree = ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError) as error:
        return f"is not Python: {getattr(error, 'msg', None) or error}"
    if any(isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)) for node in ast.walk(tree)):
        return "has an effect"
    return None
