"""The contributors' page names every rule that a message can carry, in every language, and no other."""

from __future__ import annotations

import ast
import re

import pytest

from lessonkit.languages import LANGUAGES
from tests.conftest import ROOT

RULE = re.compile(r"^\| `([a-z-]+)` \|", re.M)
MAKERS = {"Problem": 2, "Failure": 0, "_rule": 0, "Trait": 0, "Finding": 0}
"""Who makes a message, and which of its arguments is the rule."""


NO_MESSAGE = {"snippet"}
"""Kinds of directives and other words that stand where a rule could."""


def rules_of_the_engine() -> set[str]:
    """Rules that stand in the engine's source: as the argument of who makes a message, or in a message `[rule]`."""
    found = set()
    for file in (ROOT / "scripts" / "lessonkit").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                found |= set(_rules(node))
    return found - NO_MESSAGE


def _rules(call: ast.Call):
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    at = MAKERS.get(name)
    arguments = [*call.args[at : at + 1], *(k.value for k in call.keywords if k.arg == "rule")] if at is not None else [
        k.value for k in call.keywords if k.arg == "rule"
    ]
    if name == "_problem":
        arguments += call.args[1:2]
    for argument in arguments:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str) and re.fullmatch(r"[a-z]+(-[a-z]+)*", argument.value):
            yield argument.value


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_stands_on_the_page_with_an_example(language: str) -> None:
    page = (ROOT / "docs" / language / "contribute.md").read_text(encoding="utf-8")
    named = set(RULE.findall(page))
    missing = rules_of_the_engine() - named
    assert not missing, f"docs/{language}/contribute.md does not explain: {', '.join(sorted(missing))}"
    source = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "scripts" / "lessonkit").glob("*.py"))
    unknown = sorted(rule for rule in named if f'"{rule}"' not in source)
    assert not unknown, f"docs/{language}/contribute.md explains rules that no message carries: {', '.join(unknown)}"


def test_both_languages_explain_the_same_rules_in_the_same_order() -> None:
    lists = [RULE.findall((ROOT / "docs" / code / "contribute.md").read_text(encoding="utf-8")) for code in LANGUAGES]
    assert all(rules == lists[0] for rules in lists)
    assert len(lists[0]) > 60


def test_rules_are_found_in_the_source() -> None:
    assert {"bound-number", "lint-dash", "freshness", "program-time", "golden-missing"} <= rules_of_the_engine()
