"""Any page that an author could write: containers in containers, with programs, formulas and numbers anywhere in them.

Each paragraph has a word of its own. On the page each word stands once, in order, and each program, formula and number in
its place; a fault put anywhere is told at its line, and what is right elsewhere has none.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from lessonkit.results import CellResult, Value
from tests.engine.test_rendering import FRONT, course_of, render

Lines = list[str]
VALUE = (("x", Value(numbers=(0.25,))),)
CELLS = (CellResult(), CellResult(output="printed\n", values=VALUE), CellResult(values=VALUE))
FAULTS = {
    # What an author may get wrong → the rule that says so.
    "[0.26]{causal= x}": "bound-number",
    "[0.25]{causal x}": "bound-number",
    r"$\val{0.24}{causal= x}$": "bound-number",
    "[lejos](nowhere.md)": "link",
    "/// snippet | causla\n///": "program-missing",
    "/// snippet | causal:tow\n///": "cell-missing",
    "/// snipet | causal\n///": "directive",
}


def indented(lines: Lines) -> Lines:
    return [f"    {line}" if line else "" for line in lines]


def inside(head: str) -> Callable[[Lines], Lines]:
    return lambda lines: [head, "", *indented(lines), ""]


LEAVES = st.sampled_from([
    ["WORD", ""],
    ["WORD *con* énfasis, `código $5` y", "otra línea", ""],
    ["WORD [0.25]{causal= x}", ""],
    ["WORD $a_{i}$ y $b^*_{j}$", ""],
    ["WORD $\\val{0.25}{causal= x}$", ""],
    ["WORD", "", "$$", "\\frac{a}{b}", "$$", ""],
    ["WORD", "", "/// snippet | causal:two", "///", ""],
    ["WORD", "", "/// snippet | causal", "    show: code", "///", ""],
    ["WORD", "", "```python", "print('{= x} /// snippet')", "", "$5", "```", ""],
    ["WORD", "", "| a | b |", "|---|---|", "| [0.25]{causal= x} | $c$ |", ""],
])
CONTAINERS = st.sampled_from([
    inside('!!! note "Nota"'), inside('??? question "¿Y?"'), inside('=== "Uno"'), inside("- uno"), inside("1. uno"),
])
PAGES = st.recursive(
    LEAVES,
    lambda parts: st.builds(lambda wrap, items: wrap([line for item in items for line in item]),
                            CONTAINERS, st.lists(parts, min_size=1, max_size=3)),
    max_leaves=8,
)
BODIES = st.lists(PAGES, min_size=1, max_size=4).map(lambda parts: [line for part in parts for line in part])


def written(lines: Lines) -> tuple[str, list[str]]:
    """The page's text, which shows the program at its end, and its words in order."""
    numbers = itertools.count()
    text = re.sub("WORD", lambda _: f"palabra{next(numbers):03d}x", "\n".join([*lines, "/// snippet | causal", "///", ""]))
    return text, re.findall(r"palabra\d{3}x", text)


def shown(content: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", content))


@given(BODIES)
@settings(max_examples=120, deadline=None)
def test_nothing_is_lost_and_nothing_is_wrong(lines):
    text, words = written(lines)
    content, _, course = render(text, cells=CELLS)
    assert [problem for problem in course.problems if problem.rule != "page-missing"] == []
    assert re.findall(r"palabra\d{3}x", content) == words
    assert content.count('class="lesson-snippet"') == text.count("/// snippet | causal")
    formulas = re.findall(r"\$a_|\$b\^|\$\\val|\$\$\n *\\frac|\$c\$", text)
    assert content.count("<mjx-container") == len(formulas)
    assert shown(content).count("0.25") == len(re.findall(r"\[0\.25\]", text))
    assert shown(content).count("///") == text.count("print('{= x} /// snippet')")


@given(BODIES, st.sampled_from(sorted(FAULTS)), st.data())
@settings(max_examples=120, deadline=None)
def test_a_fault_anywhere_is_told_at_its_line_and_alone(lines, fault, data):
    places = [index for index, line in enumerate(lines) if line.strip().startswith("WORD")]
    at = data.draw(st.sampled_from(places))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    wrong = [indent + line for line in fault.split("\n")]
    text, _ = written([*lines[:at], *wrong, "", *lines[at:]])
    _, course = course_of(text, cells=CELLS)
    found = [(problem.line, problem.rule) for problem in course.problems if problem.rule != "page-missing"]
    assert found == [(FRONT.count("\n") + at + 1, FAULTS[fault])], text
