"""Parity: what must be equal in all languages of the course, compared on the sources.

The first language (in the order of `LANGUAGES`) that has a page or a program is the reference for the others.
A problem stands where something is missing or differs, names the place of its counterpart, and is told once:
what was added or dropped in the middle of a sequence does not make everything after it differ.
"""

from __future__ import annotations

import ast
import functools
import posixpath
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

from lessonkit import glossary, golden
from lessonkit.alignment import align
from lessonkit.languages import LANGUAGES
from lessonkit.numbers import TEX_TEXT, quoted_values
from lessonkit.pages import Bound, Directive, Page, PageFormula
from lessonkit.problems import Problem
from lessonkit.project import PageName, ProgramName
from lessonkit.snippets import Cell, Snippet

SAME_META = ("needs", "snippet")
"""Front matter whose values are equal in all languages; of the rest only the keys are."""
OWN_META = ("not_terms",)
"""Front matter that a language has for itself: its words have meanings of their own."""
SAME_IN_NATIVE = ("parity-section", "parity-directive", "parity-link")
"""Rules that hold in sections marked `.native` too."""


def check_parity(
    pages: Mapping[PageName, Page],
    snippets: Mapping[ProgramName, Snippet],
    goldens: Mapping[ProgramName, str],
) -> list[Problem]:
    """Where the languages of the course differ in more than words.

    `goldens` holds the golden files that exist. What cannot be read (its own problem says so) is not
    compared.
    """
    present = {name.language for name in [*pages, *snippets]}
    languages = [code for code in LANGUAGES if code in present]
    problems = list(missing_pages(pages))
    for file in sorted({name.file for name in pages}):
        there = [PageName(code, file) for code in languages if PageName(code, file) in pages]
        for name in there[1:]:
            if pages[name].text and pages[there[0]].text:
                problems += _compare_pages(pages[there[0]], pages[name])
    for slug, program in sorted({(name.slug, name.name) for name in snippets}):
        names = [ProgramName(code, slug, program) for code in languages]
        problems += _check_program(_with_page(names, pages), snippets, goldens)
    return sorted(set(problems))


def missing_pages(pages: Iterable[PageName]) -> Iterator[Problem]:
    """A problem for each page that only another language has."""
    present = set(pages)
    languages = [code for code in LANGUAGES if any(name.language == code for name in present)]
    for file in sorted({name.file for name in present}):
        names = [PageName(code, file) for code in languages]
        reference = next(name for name in names if name in present)
        for name in names:
            if name not in present:
                yield Problem(
                    name.path,
                    0,
                    "page-missing",
                    f"This page is missing; its counterpart is {reference.path}",
                    "Write it: every page stands in all languages.",
                )


def _with_page(names: Sequence[ProgramName], pages: Mapping[PageName, Page]) -> list[ProgramName]:
    """The names without those whose page is missing: that is told once, of the page."""
    slugs = {(page.language, page.slug) for page in pages}
    if not any((name.language, name.slug) in slugs for name in names):
        return list(names)
    return [name for name in names if (name.language, name.slug) in slugs]


# -- sequences of items --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trait:
    """Something about an item that must be equal too, though the item is the same one without it."""

    rule: str
    key: Hashable
    words: str
    """What a message says of the item: `has 2 alt texts`."""


@dataclass(frozen=True)
class Item:
    """A section, directive, formula, … of a page, or a cell or statement of a program."""

    line: int
    key: Hashable
    """What must be equal in all languages."""
    shown: str
    """What a message calls it."""
    loose: Hashable = None
    """What is left of the key if the item was only changed, not replaced."""
    traits: tuple[Trait, ...] = ()
    node: ast.AST | None = None
    """A statement's syntax tree."""


@dataclass(frozen=True)
class Side:
    """The items of one language, in order."""

    path: str
    items: Sequence[Item]
    start: int
    """Line at which an item stands that is missing at the beginning."""


@dataclass(frozen=True)
class Match:
    """Which items of two sides belong together, as indexes; the reference's first."""

    pairs: list[tuple[int, int]]
    """Those in the same order: equal ones, and such as were changed."""
    moved: list[tuple[int, int]]
    """Equal ones that stand in another order."""
    missing_here: list[tuple[int, int]]
    """(index in the reference, line here at which it is missing)"""
    missing_there: list[tuple[int, int]]


def _match(there: Side, here: Side) -> Match:
    olds, news = [item.key for item in there.items], [item.key for item in here.items]
    aligned = align((olds, news), ([item.loose for item in there.items], [item.loose for item in here.items]))
    unequal = [(old, new) for old, new in aligned if old is None or new is None or olds[old] != news[new]]
    moved = _moved(
        [(olds[old], old) for old, _ in unequal if old is not None],
        [(news[new], new) for _, new in unequal if new is not None],
    )
    gone, come = {old for old, _ in moved}, {new for _, new in moved}
    match = Match([], moved, [], [])
    old_line, new_line = there.start, here.start
    for old, new in aligned:
        if old is not None and new is not None and old not in gone and new not in come:
            match.pairs.append((old, new))
        else:
            if old is not None and old not in gone:
                match.missing_here.append((old, new_line))
            if new is not None and new not in come:
                match.missing_there.append((new, old_line))
        old_line = old_line if old is None else there.items[old].line
        new_line = new_line if new is None else here.items[new].line
    return match


def _moved(olds: Sequence[tuple[Hashable, int]], news: Sequence[tuple[Hashable, int]]) -> list[tuple[int, int]]:
    """Pairs with the same key, of items that found no equal partner in their order."""
    waiting: dict[Hashable, list[int]] = {}
    for key, index in olds:
        waiting.setdefault(key, []).append(index)
    return [(waiting[key].pop(0), index) for key, index in news if waiting.get(key)]


def _compare(
    rule: str,
    noun: str,
    there: Side,
    here: Side,
    refine: Callable[[Item, Item], tuple[Item, Item]] | None = None,
) -> tuple[list[Problem], list[tuple[int, int]]]:
    """(what differs, the pairs of indexes of items that belong together); `there` is the reference.

    `refine` narrows two differing items down to where they differ.
    """
    match = _match(there, here)
    problems: list[Problem] = []
    for index, other in match.pairs + match.moved:
        old, new = there.items[index], here.items[other]
        if old.key != new.key:
            problems.append(_differs(rule, noun, there.path, here.path, *(refine(old, new) if refine else (old, new))))
        for mine, its in zip(new.traits, old.traits, strict=True):
            if mine.key != its.key:
                problems.append(
                    Problem(
                        here.path,
                        new.line,
                        mine.rule,
                        f"The {noun} {_short(new.shown)} {mine.words} here and {its.words} at {there.path}:{old.line}",
                        "Make both equal.",
                    )
                )
    for index, other in match.moved:
        old, new = there.items[index], here.items[other]
        problems.append(
            Problem(
                here.path,
                new.line,
                rule,
                f"The {noun} {_short(new.shown)} stands in another order than at {there.path}:{old.line}",
                "Give both the same order.",
            )
        )
    problems += _missing(rule, noun, there, here.path, match.missing_here)
    problems += _missing(rule, noun, here, there.path, match.missing_there)
    return problems, sorted(match.pairs + match.moved)


def _missing(rule: str, noun: str, there: Side, path: str, alone: Sequence[tuple[int, int]]) -> Iterator[Problem]:
    """One problem for each run of items that stand only `there`, at the first line where they are missing."""
    for position, (index, line) in enumerate(alone):
        if position and alone[position - 1] == (index - 1, line):
            continue
        more = 0
        while (index + more + 1, line) in alone:
            more += 1
        item = there.items[index]
        yield Problem(
            path,
            line,
            rule,
            f"The {noun} {_short(item.shown)} is missing"
            + (f", with {more} more after it" if more else "")
            + f"; it stands at {there.path}:{item.line}",
            "Write it here, or take it out there.",
        )


def _differs(rule: str, noun: str, old_path: str, new_path: str, old: Item, new: Item) -> Problem:
    short = _short(old.shown), _short(new.shown)
    detail = f"here  | {new.shown}\nthere | {old.shown}" if short != (old.shown, new.shown) else ""
    return Problem(
        new_path,
        new.line,
        rule,
        f"The {noun} is {short[1]} here and {short[0]} at {old_path}:{old.line}",
        "Make both equal.",
        detail,
    )


def _short(text: str, width: int = 60) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


# -- pages ---------------------------------------------------------------------------------------------------


def _compare_pages(reference: Page, other: Page) -> Iterator[Problem]:
    if not any(problem.rule == "front-matter" for problem in (*reference.problems, *other.problems)):
        yield from _compare_meta(reference, other)
    problems, pairs = _compare(
        "parity-section",
        "section",
        *(Side(page.name.path, _sections(page), page.body_line) for page in (reference, other)),
    )
    yield from problems
    parts, other_parts = _parts(reference), _parts(other)
    both = [(parts[0], other_parts[0]), *((parts[old + 1], other_parts[new + 1]) for old, new in pairs)]
    for rule, noun, items in (
        ("parity-directive", "block", _directives),
        ("parity-link", "link", _links),
        ("parity-number", "bound number", _bounds),
        ("parity-formula", "formula", _formulas),
    ):
        olds, news = items(reference), items(other)
        for old, new in both:
            native = old.native or new.native
            if not native or rule in SAME_IN_NATIVE:
                there = Side(reference.name.path, old.of(olds, native), old.start)
                yield from _compare(rule, noun, there, Side(other.name.path, new.of(news, native), new.start))[0]


def _compare_meta(reference: Page, other: Page) -> Iterator[Problem]:
    def place(page: Page, key: str) -> tuple[str, int]:
        lines = page.text.split("\n")[: page.body_line]
        return page.name.path, next((i for i, line in enumerate(lines, 1) if line.startswith(f"{key}:")), 1)

    for page, counterpart in ((other, reference), (reference, other)):
        for key in counterpart.meta:
            if key not in page.meta and key not in OWN_META:
                path, line = place(counterpart, key)
                yield Problem(
                    page.name.path,
                    1,
                    "parity-front-matter",
                    f"The front matter has no “{key}”; it stands at {path}:{line}",
                    "Write it here, or take it out there.",
                )
    for key in SAME_META:
        if key in reference.meta and key in other.meta and reference.meta[key] != other.meta[key]:
            path, line = place(reference, key)
            yield Problem(
                *place(other, key),
                "parity-front-matter",
                f"“{key}” is {_listed(other.meta[key])} here and {_listed(reference.meta[key])} at {path}:{line}",
                "Make both equal.",
            )


def _listed(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


# -- what a page holds ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """The lines from one heading to the next one of any level; the first part lies above all headings."""

    start: int
    end: int
    native: bool
    """Whether it, or a section in which it lies, is marked `.native`."""

    def of(self, items: Sequence[Item], native: bool) -> list[Item]:
        """The items that stand in it; with `native`, without the traits that a language has for itself."""
        found = [item for item in items if self.start <= item.line < self.end]
        if not native:
            return found
        return [
            replace(item, traits=tuple(trait for trait in item.traits if trait.rule in SAME_IN_NATIVE))
            for item in found
        ]


def _parts(page: Page) -> list[Part]:
    """The part above the first heading, then one for each heading."""
    starts = [page.body_line, *(section.line for section in page.sections), page.text.count("\n") + 2]
    parts, native_level = [Part(starts[0], starts[1], False)], 0
    for section, end in zip(page.sections, starts[2:], strict=True):
        if not native_level or section.level <= native_level:
            native_level = section.level if section.native else 0
        parts.append(Part(section.line, end, bool(native_level)))
    return parts


def _sections(page: Page) -> list[Item]:
    return [
        Item(
            section.line,
            section.id or ("", section.level),
            f"{{#{section.id}}}" if section.id else f"“{section.title}”",
            traits=(
                Trait("parity-section", section.level, f"has level {section.level}"),
                Trait(
                    "parity-section",
                    section.native,
                    "is marked .native" if section.native else "is not marked .native",
                ),
            ),
        )
        for section in page.sections
    ]


def _directives(page: Page) -> list[Item]:
    return [_directive(page, directive) for directive in page.directives]


def _directive(page: Page, directive: Directive) -> Item:
    bounds = [page.bounds[index] for alt in directive.alts for index in alt.bounds]
    expressions = ", ".join(f"“{bound.expression or bound.text}”" for bound in bounds) or "no number"
    program, alts = directive.program, len(directive.alts)
    return Item(
        directive.line,
        (directive.kind, program.slug, program.name, directive.cell),
        f"“{directive.kind} | {directive.target}”",
        traits=(
            Trait("parity-directive", directive.show, f"shows {directive.show}"),
            Trait("parity-directive", alts, "has 1 alt text" if alts == 1 else f"has {alts or 'no'} alt texts"),
            Trait(
                "parity-number",
                tuple(_bound_key(page, bound) for bound in bounds),
                f"binds {expressions} in its alt texts",
            ),
        ),
    )


def _links(page: Page) -> list[Item]:
    """The links to pages, sections and files of the course; those to other sites and languages may differ.

    Those to terms of the glossary too: which word could be taken for another is each language's own.
    """
    found = []
    for link in page.links:
        target = _target(page.name, link.url)
        if target and not (target[0] == glossary.PAGE and target[1]):
            found.append(Item(link.line, target, link.url))
    return found


def _target(page: PageName, url: str) -> tuple[str, str] | None:
    """(path below the language's folder, anchor); None for what lies outside of it."""
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return None
    here = f"{page.language}/{page.file}"
    path = posixpath.normpath(posixpath.join(posixpath.dirname(here), unquote(parts.path))) if parts.path else here
    language, _, file = path.partition("/")
    if language in LANGUAGES:
        return (file, parts.fragment) if language == page.language else None
    return path, parts.fragment


def _bounds(page: Page) -> list[Item]:
    """The bound numbers of the text; those of formulas and alt texts are compared with these."""
    return [
        Item(
            bound.line,
            _bound_key(page, bound),
            f"“{bound.text}”"
            if bound.cited or not bound.program
            else f"“{bound.expression}” of {bound.program.slug}/{bound.program.name}",
            loose=bound.cited,
        )
        for bound in page.bounds
        if bound.place == "text"
    ]


def _bound_key(page: Page, bound: Bound) -> Hashable:
    """What a bound number asks of which program; of a quoted number what it says."""
    if bound.cited:
        return "cited", quoted_values(bound, LANGUAGES[page.name.language])
    program = bound.program
    return program and (program.slug, program.name), bound.after, _expression_key(bound.expression)


@functools.cache
def _expression_key(expression: str) -> Hashable:
    try:
        return code_key(ast.parse(expression, mode="eval").body)
    except (SyntaxError, ValueError):
        return expression


def _formulas(page: Page) -> list[Item]:
    return [_formula(page, formula) for formula in page.formulas]


def _formula(page: Page, formula: PageFormula) -> Item:
    symbols = formula_key(formula.formula.tex)
    bounds = tuple(_bound_key(page, page.bounds[index]) for index in formula.bounds)
    return Item(
        formula.line,
        (symbols, bounds),
        f"${' '.join(formula.source.split())}$",
        loose=tuple(symbol for symbol in symbols if not symbol.isdigit()),
    )


TEX_SYMBOL = re.compile(r"\\[A-Za-z]+|\\.|[0-9]+|\S", re.S)
THOUSANDS = re.compile(r"(?<=[0-9])(?:\\,|[~\u00a0\u202f])(?=[0-9]{3}(?![0-9]))")
TEX_SPACES = frozenset([r"\,", r"\;", r"\:", r"\!", r"\ ", "~", r"\quad", r"\qquad", r"\thinspace"])


def formula_key(tex: str) -> tuple[str, ...]:
    r"""A formula's symbols, without what belongs to a language or only to the eye.

    Taken out: the words of \text, spaces, gaps between thousands, the sentence's punctuation at the end.
    A decimal comma becomes a point, and a semicolon between list entries a comma.
    """
    tex = THOUSANDS.sub("", TEX_TEXT.sub(r"\\text ", tex)).replace("{,}", ".").replace(";", ",")
    symbols = [symbol for symbol in TEX_SYMBOL.findall(tex) if symbol not in TEX_SPACES]
    while symbols and symbols[-1] in (".", ","):
        symbols.pop()
    return tuple(symbols)


# -- programs ------------------------------------------------------------------------------------------------


def _check_program(
    names: Sequence[ProgramName], snippets: Mapping[ProgramName, Snippet], goldens: Mapping[ProgramName, str]
) -> Iterator[Problem]:
    present = [name for name in names if name in snippets]
    if not present:
        return
    reference = present[0]
    for name in names:
        if name not in snippets:
            yield Problem(
                name.path,
                0,
                "parity-program",
                f"This program is missing; its counterpart is {reference.path}",
                "Write it: every program stands in all languages.",
            )
        elif name != reference and not snippets[name].problems and not snippets[reference].problems:
            problems, pairs = _compare_programs(snippets[reference], snippets[name])
            yield from problems
            if not problems and name in goldens and reference in goldens:
                yield from _compare_outputs(reference, goldens[reference], name, goldens[name], pairs)


def _compare_programs(reference: Snippet, other: Snippet) -> tuple[list[Problem], list[tuple[Cell, Cell]]]:
    """(what differs, the pairs of cells)"""
    problems, pairs = _compare(
        "parity-program",
        "cell",
        *(Side(snippet.name.path, [_cell(cell) for cell in snippet.cells], 1) for snippet in (reference, other)),
    )
    cells = [(reference.cells[old], other.cells[new]) for old, new in pairs]
    statements, other_statements = _statements(reference), _statements(other)
    for old, new in cells:
        if old.name == new.name and not (old.native or new.native):
            problems += _compare(
                "parity-program",
                "code",
                Side(reference.name.path, statements[old.index], old.line),
                Side(other.name.path, other_statements[new.index], new.line),
                lambda a, b: _narrowed((reference, a), (other, b)),
            )[0]
    return problems, cells


def _cell(cell: Cell) -> Item:
    options = {
        "tolerance": cell.tolerance,
        "raises": cell.raises,
        "stderr": None if cell.stderr == "fail" else cell.stderr,
        "native": cell.native or None,
        "reads": ",".join(cell.reads) or None,
        "processes": cell.processes or None,
        "browser": None if cell.browser else False,
        "hide": cell.hide or None,
    }
    traits = [
        Trait(
            "parity-program",
            value,
            f"has no {key}="
            if value is None
            else f"has {key}={str(value).lower()}"
            if isinstance(value, bool)
            else f"has {key}={value}",
        )
        for key, value in options.items()
    ]
    answers = None if cell.stdin is None else len(cell.stdin)
    traits.append(Trait("parity-program", answers, f"has {answers or 'no'} answers in stdin="))
    return Item(
        cell.line,
        cell.name,
        f"“{cell.name}”" if cell.name else "before the first # %% line",
        traits=tuple(traits),
    )


# -- code up to strings and comments -------------------------------------------------------------------------


def code_key(node: object) -> Hashable:
    """A syntax tree as it is compared: every text is like every other, and so is what an f-string says around
    its values.

    Of a value's format only precision and type count: widths align words of different lengths.
    """
    if isinstance(node, ast.Constant):
        return "text" if isinstance(node.value, str) else (type(node.value).__name__, repr(node.value))
    if isinstance(node, ast.JoinedStr):
        values = [code_key(part) for part in node.values if isinstance(part, ast.FormattedValue)]
        return ("text", *values) if values else "text"
    if isinstance(node, ast.FormattedValue):
        return "value", code_key(node.value), node.conversion, _format_key(node.format_spec)
    if isinstance(node, ast.AST):
        fields = (
            (name, getattr(node, name, None)) for name in node._fields if name not in ("ctx", "kind", "type_comment")
        )
        return type(node).__name__, *((name, code_key(value)) for name, value in fields if not _is_block(value))
    if isinstance(node, list):
        return tuple(code_key(part) for part in node)
    return node


def _is_block(value: object) -> bool:
    """Whether it is a list of statements or of branches of `try` and `match`, each compared by itself."""
    return isinstance(value, list) and any(
        isinstance(part, (ast.stmt, ast.excepthandler, ast.match_case)) for part in value
    )


def _format_key(spec: ast.JoinedStr | None) -> Hashable:
    if spec is None:
        return ""
    literal = "".join(part.value if isinstance(part, ast.Constant) else "0" for part in spec.values)
    ending = re.search(r"(?:\.\d+)?[a-zA-Z%]?$", literal)
    return ending[0], tuple(code_key(part) for part in spec.values if isinstance(part, ast.FormattedValue))


def _statements(snippet: Snippet) -> list[list[Item]]:
    """For each cell its statements, nested ones too, in the order of the lines; docstrings are left out."""
    found: list[list[Item]] = [[] for _ in snippet.cells]
    lines = snippet.text.split("\n")
    for path, node in _walk(ast.parse(snippet.text).body, ()):
        line = _line(node)
        cell = max((cell.index for cell in snippet.cells if cell.line <= line), default=0)
        key = path, code_key(node)
        found[cell].append(
            Item(line, key, f"`{lines[line - 1].strip()}`", loose=(path, type(node).__name__), node=node)
        )
    return found


def _walk(block: Sequence[ast.AST], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ast.AST]]:
    """(names of the blocks around it, statement)"""
    for node in block:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            continue
        yield path, node
        for name, value in ast.iter_fields(node):
            if _is_block(value):
                yield from _walk(value, (*path, name))


def _line(node: ast.AST) -> int:
    return node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno


def _narrowed(there: tuple[Snippet, Item], here: tuple[Snippet, Item]) -> tuple[Item, Item]:
    """The lines of the innermost expressions in which two statements differ."""
    sides = there, here
    nodes = last = tuple(item.node for _, item in sides)
    lines = [item.line for _, item in sides]
    while nodes:
        lines = [getattr(node, "lineno", line) for node, line in zip(nodes, lines, strict=True)]
        last, nodes = nodes, _first_difference(*nodes)
    shown = [snippet.text.split("\n")[line - 1].strip() for (snippet, _), line in zip(sides, lines, strict=True)]
    for side, alone in enumerate(_alone(*last)):
        if shown[0] == shown[1] and alone is not None:  # a call of several lines has one argument more
            lines[side] = alone.lineno
            shown[side] = ast.get_source_segment(sides[side][0].text, alone).split("\n")[0]
    return tuple(
        replace(item, line=line, shown=f"`{text}`") for (_, item), line, text in zip(sides, lines, shown, strict=True)
    )


def _expressions(node: ast.AST) -> list[ast.AST]:
    kinds = (ast.expr, ast.keyword, ast.arguments, ast.arg, ast.comprehension, ast.withitem)
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, kinds)]


def _first_difference(old: ast.AST, new: ast.AST) -> tuple[ast.AST, ast.AST] | None:
    """The first two children in which two trees differ; None if the trees themselves differ."""
    olds, news = _expressions(old), _expressions(new)
    if type(old) is not type(new) or len(olds) != len(news):
        return None
    return next(((a, b) for a, b in zip(olds, news, strict=True) if code_key(a) != code_key(b)), None)


def _alone(old: ast.AST, new: ast.AST) -> tuple[ast.AST | None, ast.AST | None]:
    """Of each tree the first child that the other has not."""
    olds, news = ({code_key(part): part for part in reversed(_expressions(node))} for node in (old, new))
    return tuple(
        next((part for key, part in reversed(mine.items()) if key not in its and hasattr(part, "lineno")), None)
        for mine, its in ((olds, news), (news, olds))
    )


# -- output up to words --------------------------------------------------------------------------------------


def _compare_outputs(
    reference: ProgramName,
    reference_text: str,
    other: ProgramName,
    other_text: str,
    cells: Sequence[tuple[Cell, Cell]],
) -> Iterator[Problem]:
    olds = {cell.name: cell for cell in golden.read(reference_text)}
    news = {cell.name: cell for cell in golden.read(other_text)}
    for cell, counterpart in cells:
        old, new = olds.get(cell.name), news.get(counterpart.name)
        if old and new and not cell.native:
            what = f"The output of the cell “{cell.name}”" if cell.name else "The output"
            yield from _compare_output(what, (reference.golden_path, old), (other.golden_path, new), cell.tolerance)


def _compare_output(what, there, here, tolerance: float | None) -> Iterator[Problem]:
    """At most one problem: another number of lines, or the first line with other numbers."""
    (old_path, old), (new_path, new) = there, here
    cure = "Let both programs print the same lines with the same numbers in the same order."
    if len(old.lines) != len(new.lines):
        yield Problem(
            new_path,
            max(new.line - 1, 1),
            "parity-output",
            f"{what} has {_count(len(new.lines))} here and "
            f"{_count(len(old.lines))} at {old_path}:{max(old.line - 1, 1)}",
            cure,
        )
        return
    for index, lines in enumerate(zip(old.lines, new.lines, strict=True)):
        numbers = [[token for token in golden.tokens(line) if token.value is not None] for line in lines]
        equal = len(numbers[0]) == len(numbers[1]) and all(
            golden.same_number(a, b, tolerance) for a, b in zip(*numbers, strict=True)
        )
        if not equal:
            yield Problem(
                new_path,
                new.line + index,
                "parity-output",
                f"{what} has other numbers in this line than at {old_path}:{old.line + index}",
                cure,
                f"here  | {lines[1]}\nthere | {lines[0]}",
            )
            return


def _count(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"
