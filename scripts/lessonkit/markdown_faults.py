"""What Python-Markdown would show otherwise than meant, without a word: notes, tables and folds that are none.

Each check reads a page's lines twice: as written, and as prose, where code, comments, formulas, directives and bound
numbers are spaces, so that nothing is found in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lessonkit.problems import Problem, suggestion

LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
FIRST_ITEM = re.compile(r"[ \t]*(?:[-*+]|1[.)])[ \t]+\S")
CONTAINER_LINE = re.compile(
    r"[ \t]*(?:(?:!!!|\?\?\?\+?) ?[\w-]+(?: +[\w-]+)*(?: +\"[^\n]*\")?|===[!+]* ?\"[^\n]*\")[ \t]*$"
)
BLOCK_LINE = re.compile(rf"{CONTAINER_LINE.pattern}|[ \t]*(?:#{{1,6}} |[|>]|</?[a-zA-Z]|\[\^|\*\[|: )")
"""A line that begins a block of its own, so that no paragraph goes on in it or through it."""
CONTAINERS = {"?": "fold", "!": "note", "=": "tab"}
NOTE = re.compile(r"(?<!\\)\[\^(?P<name>[^\]\n]+)\]")
NOTE_TEXT = re.compile(r"[ \t]*\[\^(?P<name>[^\]\n]+)\]:")
BAR = re.compile(r"(?<!\\)\|")


def markdown_faults(path: str, lines: Sequence[str], prose: Sequence[str], first: int) -> Iterator[Problem]:
    """The faults of the page `path` from line `first` (from 1, after the front matter) on.

    `lines` and `prose` are the whole page, line for line, as written and with spaces for all that is no prose.
    """
    yield from _footnotes(path, prose, first)
    yield from _tables(path, prose, first)
    yield from _lists(path, lines, prose, first)
    yield from _leaks(path, lines, prose, first)


def indentation(line: str) -> int:
    """Width of the white space at the line's beginning, a tab counted to the next multiple of four."""
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))


def _footnotes(path: str, prose: Sequence[str], first: int) -> Iterator[Problem]:
    references: list[tuple[int, str]] = []
    texts: list[tuple[int, str]] = []
    for number, line in enumerate(prose[first - 1 :], first):
        text = NOTE_TEXT.match(line)
        if text:
            texts.append((number, text["name"]))
        references += [(number, found["name"]) for found in NOTE.finditer(line, text.end() if text else 0)]
    defined, referred = ({name for _, name in found} for found in (texts, references))
    for number, name in references:
        if name not in defined:
            cure = f"Write [^{name}]: and the note below, or \\[^{name}] to show it as it is."
            cure = suggestion(f"[^{name}]", [f"[^{other}]" for other in defined], cure)
            yield Problem(path, number, "footnote", f"The note [^{name}] has no definition", cure)
    for number, name in texts:
        if name not in referred:
            yield Problem(
                path,
                number,
                "footnote",
                f"Nothing refers to the note [^{name}]",
                f"Write [^{name}] where it belongs, or take the note out.",
            )


def _leaks(path: str, lines: Sequence[str], prose: Sequence[str], first: int) -> Iterator[Problem]:
    """Paragraphs indented too little for the fold, note or tab above, and too far to stand beside it on purpose."""
    for number in range(first - 1, len(lines)):
        own = indentation(lines[number])
        if not prose[number].strip() or own % 4 or not CONTAINER_LINE.match(lines[number]):
            continue
        below = [n for n in range(number + 1, len(lines)) if lines[n].strip()]
        outside = next((n for n in below if indentation(lines[n]) < own + 4), None)
        if outside is None or outside == below[0] or indentation(lines[outside]) <= own or not prose[outside].strip():
            continue
        kind, by = CONTAINERS[lines[number].lstrip()[0]], indentation(lines[outside])
        yield Problem(
            path,
            outside + 1,
            "indent",
            f"This paragraph stands outside the {kind} above: it is indented by {by} space{'s' if by > 1 else ''}",
            f"Indent it by {own + 4} to put it inside, by {own} to put it below.",
        )


def _lists(path: str, lines: Sequence[str], prose: Sequence[str], first: int) -> Iterator[Problem]:
    """Lists that begin in the middle of a paragraph: Python-Markdown does not let them interrupt it."""
    paragraph, begins = None, True  # how far the paragraph is indented that the line may go on with
    for number in range(first, len(prose) + 1):
        line = lines[number - 1] if prose[number - 1].strip() else ""
        if paragraph is not None and FIRST_ITEM.match(line) and indentation(line) >= paragraph:
            yield Problem(
                path,
                number,
                "list",
                "Markdown does not take this line for a list: it goes on with the paragraph above",
                "Leave a blank line above it; if it is no list, join the lines.",
            )
            paragraph = None
        elif not line or BLOCK_LINE.match(line):
            paragraph, begins = None, True
        elif begins:
            paragraph, begins = None if LIST_ITEM.match(line) else indentation(line), False


def _tables(path: str, prose: Sequence[str], first: int) -> Iterator[Problem]:
    """Heads whose second row has another number of columns: the condition of Python-Markdown's tables."""
    for number in range(first, len(prose)):
        row, head = prose[number].strip(), prose[number - 1].strip()
        above = prose[number - 2] if number - 2 >= first - 1 else ""
        if "-" not in row or "|" not in row or set(row) - set("|:- ") or not BAR.search(head) or BAR.search(above):
            continue
        columns, second = (len(BAR.split(re.sub(r"^\||(?<!\\)\|$", "", line))) for line in (head, row))
        if columns != second:
            yield Problem(
                path,
                number + 1,
                "table",
                "Markdown does not take these rows for a table: "
                f"{columns} column{'s' if columns > 1 else ''} in the head, {second} in the second row",
                "Write one --- for each column of the head.",
            )
