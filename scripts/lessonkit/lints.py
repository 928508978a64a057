"""Lints for the prose: decimal marks, spaces, quotes, dashes, ё, words that the glossary avoids.

They see what readers read as text: paragraphs, tables, headings, alt texts, title and description; never code, output,
formulas or addresses. Where a rule is broken on purpose, a comment says why, in the same paragraph or above it:

    <!-- allow lint-term: «llave» glosa el ruso «ключ» -->
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lessonkit.languages import LANGUAGES
from lessonkit.numbers import NOT_DATA
from lessonkit.pages import FENCE, Page
from lessonkit.problems import Problem

YO_WORDS = Path(__file__).parent / "yo" / "words.txt"
ALLOW = re.compile(
    r"<!--\s*allow\s+(?P<rule>[\w-]+)\s*:?\s*(?P<reason>.*?)\s*-->|^# allow (?P<key>[\w-]+)\s*:?\s*(?P<why>.*)$"
)


@dataclass(frozen=True)
class Passage:
    """A line of what readers read."""

    line: int
    text: str
    """What is no prose is spaces in it."""
    anchor: int
    """Line at which a comment that allows something must hold: of an alt text that of its block."""
    column: int | None = None
    """Where the text begins in its line of the source, from 0; None if it does not stand there as it is."""


@dataclass(frozen=True)
class Finding:
    """What a rule says of a passage."""

    rule: str
    text: str
    cure: str


IN_FIGURES = frozenset({"lint-decimal", "lint-term", "lint-yo"})
"""Rules that hold in figures too: no line is broken there, and labels may be code, with its quotes and hyphens."""


def check_prose(
    page: Page, avoided: Mapping[str, str], in_figures: Mapping[int, Iterable[str]] | None = None
) -> list[Problem]:
    """What is wrong with a page's prose.

    `avoided` holds the language's words that the glossary avoids, each with the one to write in its place;
    `in_figures` for each line on which a block begins what its figures say.
    """
    allowances = _Allowances(page)
    problems = [
        Problem(page.name.path, passage.line, finding.rule, finding.text, finding.cure)
        for passage in passages(page)
        for finding in _findings(passage.text, page.name.language, avoided)
        if not allowances.cover(passage.anchor, finding.rule)
    ]
    for line, texts in (in_figures or {}).items():
        findings = [found for text in texts for found in _findings(text, page.name.language, avoided)]
        for rule, finding in {found.rule: found for found in reversed(findings)}.items():  # the first of each rule
            if rule in IN_FIGURES and not allowances.cover(line, rule):
                problems.append(Problem(page.name.path, line, rule, f"In a figure: {finding.text}", finding.cure))
    return sorted({*problems, *allowances.problems()})


def passages(page: Page) -> Iterator[Passage]:
    front = page.text.split("\n")[: page.body_line - 1]
    for number, line in enumerate(front, 1):
        if line.startswith(("title:", "description:")):
            yield Passage(number, _unquoted(line.partition(":")[2]), number)
    for line, text in page.prose:
        yield Passage(line, _without_syntax(text), line, column=0)
    for bound in page.bounds:
        if bound.place == "text":
            column = bound.start - page.text.rfind("\n", 0, bound.start) - 1
            yield Passage(bound.line, bound.text, bound.line, column)
    for directive in page.directives:
        for alt in directive.alts:
            yield Passage(alt.line, alt.text, directive.line)


def _unquoted(value: str) -> str:
    return re.sub(r"^\s*([\"'])(.*)\1\s*$", r" \2", value)


SYNTAX = re.compile(
    r"^\s*(?:!!!|\?\?\?\+?|===[!+]*) ?[\w -]*\"|\"\s*$"  # an admonition's or tab's title
    r"|^\s*\|?[\s|:-]*-{3}[\s|:-]*$"  # a table's second line
    r"|^\s*(?:[-*+]|\d+[.)])\s|<!--.*?-->|</?[A-Za-z][^<>]*>|\{[:.#][^{}]*\}"
)


def _without_syntax(text: str) -> str:
    title = re.match(r"\s*(?:!!!|\?\?\?|===)", text)
    if not title:
        text = re.sub(r"\"\s*$", lambda quote: quote[0].replace('"', "\ue010"), text)  # a quotation mark, no syntax
    return SYNTAX.sub(lambda found: " " * len(found[0]), text).replace("\ue010", '"')


# -- rules ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    code: str
    languages: tuple[str, ...]
    """() for all."""
    pattern: re.Pattern
    text: str
    """`{found}` is what was found."""
    cure: str
    sign: str
    """If a space before this sign is all that is wrong, it can be mended without asking."""


def _rule(code: str, languages: Sequence[str], pattern: str, text: str, cure: str, sign: str = "") -> Rule:
    return Rule(code, tuple(languages), re.compile(pattern), text, cure, sign)


RULES = (
    _rule(
        "lint-percent",
        (),
        r"[\d.,]*\d%|[\d.,]*\d %",
        "“{found}” has no no-break space before %",
        "Write U+00A0 or U+202F there: 60\u00a0%.",
        sign="%",
    ),
    _rule(
        "lint-decimal",
        ("es",),
        r"(?<![\d,.])\d+,\d+(?![\d,])",
        "“{found}” has a comma",
        "Spanish pages write a point: 0.60.",
    ),
    _rule(
        "lint-decimal",
        ("ru",),
        r"(?<![\d,.])\d+\.\d+(?![\d.])",
        "“{found}” has a point",
        "Russian pages write a comma: 0,60; in figures decimal=\",\" (matplotlib: vis.ticks).",
    ),
    _rule("lint-quotes", (), r"[^\s(«]*\"[^\s\"]*|(?<!\w)'\w+", "“{found}” has straight quotes", "Write «…»."),
    _rule(
        "lint-dash",
        ("es",),
        r"\w+ [-–] \w+",
        "“{found}” has a hyphen or short dash for a raya",
        "Write —así—, attached to what it encloses.",
    ),
    _rule(
        "lint-dash",
        ("es",),
        r"\S+[ \u00a0]—[ \u00a0]\S+",
        "“{found}” has a raya between spaces",
        "Attach it on the inside: texto —inciso— texto.",
    ),
    _rule(
        "lint-dash",
        ("ru",),
        r"\w+[ \u00a0][-–] \w+",
        "“{found}” has a hyphen or short dash for a тире",
        "Write a no-break space, —, and a space.",
    ),
    _rule(
        "lint-dash",
        ("ru",),
        r"\S+ —(?: ?\S+)?",
        "“{found}” may break before the dash",
        "Write a no-break space (U+00A0) before —.",
        sign="—",
    ),
    _rule(
        "lint-dash",
        ("ru",),
        r"[\w»)]+—[\w«(]+",
        "“{found}” has a тире without spaces",
        "Write a no-break space, —, and a space.",
    ),
    _rule(
        "lint-range",
        (),
        r"(?<![\w.,-])\d+(?:[.,]\d+)?-\d+(?:[.,]\d+)?(?![\w-])",
        "“{found}” has a hyphen",
        "A range has a short dash without spaces: 2014–2017.",
    ),
)


def _findings(text: str, language: str, avoided: Mapping[str, str]) -> Iterator[Finding]:
    numbers = NOT_DATA.sub(lambda found: " " * len(found[0]), text)  # without sections, versions, years
    for rule in RULES:
        if rule.languages and language not in rule.languages:
            continue
        for match in rule.pattern.finditer(numbers if rule.code == "lint-decimal" else text):
            yield Finding(rule.code, rule.text.format(found=match[0]), rule.cure)
    yield from _quote_findings(text)
    for pattern, word, instead in _avoided_patterns(language, tuple(sorted(avoided.items()))):
        for match in pattern.finditer(text):
            text = f"“{match[0]}”: this course does not say “{word}”"
            yield Finding("lint-term", text, f"Write “{instead}”.")
    if language == "ru":
        for match in re.finditer(r"[А-Яа-яё]*[Ее][А-Яа-яё]*", text):
            if right := yo_form(match[0]):
                yield Finding("lint-yo", f"“{match[0]}” is written with ё", f"Write “{right}”.")


def _quote_findings(text: str) -> Iterator[Finding]:
    """Curly quotes stand inside «…» only."""
    depth = 0
    for match in re.finditer(r"[«»“”„]", text):
        if match[0] == "«":
            depth += 1
        elif match[0] == "»":
            depth -= 1
        elif depth < 1:
            near = text[max(match.start() - 1, 0) : match.end() + 12].strip()
            yield Finding("lint-quotes", f"“{near}” begins or ends with an inner quote", "Write «…» outside.")
            return


@functools.cache
def _avoided_patterns(language: str, avoided: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern, str, str], ...]:
    return tuple((_inflected(word, language), word, instead) for word, instead in avoided)


def _inflected(word: str, language: str) -> re.Pattern:
    """A word in its forms: of Spanish ones the plural, of Russian ones whatever ending follows the stem."""
    if language == "ru":
        parts = [re.escape(re.sub(r"[аеёийоуыьэюя]{1,2}$", "", part)) + r"[а-яё]{0,3}" for part in word.split()]
    else:
        parts = [
            re.escape(re.sub(r"ión$", "i", part)) + (r"(?:ón|ones)" if part.endswith("ión") else r"(?:s|es)?")
            for part in word.split()
        ]
    return re.compile(r"(?<!\w)" + r"\s+".join(parts) + r"(?!\w)", re.I)


@functools.cache
def _yo_words() -> Mapping[str, str]:
    words = YO_WORDS.read_text(encoding="utf-8").split("\n")
    return {word.replace("ё", "е"): word for word in words if word and not word.startswith("#")}


def yo_form(word: str) -> str | None:
    """The word with its ё, if it was written without; None if nothing is wrong with it."""
    right = _yo_words().get(word.lower())
    if right is None or "ё" in word.lower():
        return None
    return right.capitalize() if word[0].isupper() and not word.isupper() else right


# -- what can be mended without asking -------------------------------------------------------------------------


def breakable_spaces(page: Page) -> list[tuple[int, int]]:
    """(line from 1, column from 0) of each space that the lints want to be a no-break one, and nothing else."""
    allowances, lines, found = _Allowances(page), page.text.split("\n"), set()
    for passage in passages(page):
        for rule in RULES:
            if not rule.sign or page.name.language not in (rule.languages or LANGUAGES):
                continue
            for match in rule.pattern.finditer(passage.text):
                space = match[0].find(" " + rule.sign)
                start = _column(passage, match, lines[passage.line - 1])
                if space >= 0 and start is not None and not allowances.cover(passage.anchor, rule.code):
                    found.add((passage.line, start + space))
    return sorted(found)


def _column(passage: Passage, match: re.Match, line: str) -> int | None:
    """Where in its line of the source a match begins; None if that cannot be told for sure."""
    if passage.column is not None:
        return passage.column + match.start()
    return line.index(match[0]) if line.count(match[0]) == 1 else None


def with_no_break_spaces(page: Page, places: Iterable[tuple[int, int]]) -> str:
    """The page's text with the spaces at these places made no-break ones."""
    lines = page.text.split("\n")
    for number, column in places:
        line = lines[number - 1]
        lines[number - 1] = line[:column] + "\u00a0" + line[column + 1 :]
    return "\n".join(lines)


# -- what a page allows --------------------------------------------------------------------------------------


class _Allowances:
    """The comments of a page that allow something, and whether each was needed."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._spans: list[tuple[int, int, str]] = []
        self._used: set[tuple[int, int, str]] = set()
        self._faults: list[Problem] = []
        lines, fence = page.text.split("\n"), ""
        for number, line in enumerate(lines, 1):
            if mark := FENCE.match(line):
                fence = "" if fence and mark["mark"].startswith(fence) else fence or mark["mark"]
            elif not fence:
                for match in ALLOW.finditer(line):
                    self._read(match, number, lines)

    def _read(self, match: re.Match, number: int, lines: Sequence[str]) -> None:
        rule, reason = match["rule"] or match["key"], match["reason"] or match["why"]
        if rule not in CODES:
            text, cure = f"There is no lint “{rule}” to allow", f"The lints are {', '.join(CODES)}."
        elif len(re.findall(r"\w+", reason or "")) < 2:
            text, cure = f"This comment allows {rule} and does not say why", "Write the reason behind a colon."
        else:
            self._spans.append((number, _end_of_reach(lines, number), rule))
            return
        self._faults.append(Problem(self._page.name.path, number, "lint-allow", text, cure))

    def cover(self, line: int, rule: str) -> bool:
        found = [span for span in self._spans if span[2] == rule and span[0] <= line <= span[1]]
        self._used.update(found)
        return bool(found)

    def problems(self) -> Iterable[Problem]:
        unused = (
            Problem(
                self._page.name.path,
                span[0],
                "lint-allow",
                f"This comment allows {span[2]}, and nothing there needs it",
                "Take it out.",
            )
            for span in self._spans
            if span not in self._used
        )
        return [*self._faults, *unused]


def _end_of_reach(lines: Sequence[str], number: int) -> int:
    """The last line to which a comment on line `number` reaches: its paragraph, or the next one if it stands alone."""
    alone = not ALLOW.sub("", lines[number - 1]).strip()
    end = number
    if alone:
        while end < len(lines) and not lines[end].strip():
            end += 1
        end += 1
    while end < len(lines) and lines[end].strip():
        end += 1
    return end


CODES = tuple(dict.fromkeys([*(rule.code for rule in RULES), "lint-term", "lint-yo"]))
"""Codes of all lints."""
