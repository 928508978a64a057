"""Which sections are behind in a language: by text, by command, on the page, and against git's history."""

from __future__ import annotations

import subprocess

import pytest

from lessonkit.freshness import (
    RECORD,
    check_freshness,
    confirmed,
    read_record,
    section_states,
    section_texts,
    write_record,
)
from lessonkit.pages import parse_page
from lessonkit.project import PageName, Project

ES = PageName("es", "lessons/masks.md")
RU = PageName("ru", "lessons/masks.md")
SPANISH = """---
title: Máscaras
description: Qué se tapa.
---

# Máscaras

Una frase.

## Causal {#causal}

Pesa [0.60]{w= a[0]}.

### Detalle

Más.

## Relleno {#padding}

Fin.
"""
RUSSIAN = SPANISH.replace("0.60", "0,60")


def states(es: str, ru: str, record: dict | None = None) -> list:
    return section_states({ES: parse_page(ES, es), RU: parse_page(RU, ru)}, record or {})


def agreed() -> dict:
    """The record of both pages as they stand above."""
    found = states(SPANISH, RUSSIAN)
    return confirmed(found, found)


def test_a_section_reaches_to_the_next_one_with_an_id_and_the_head_holds_title_and_description() -> None:
    head, causal, padding = section_texts(parse_page(ES, SPANISH))
    assert [head.id, causal.id, padding.id] == ["", "causal", "padding"]
    assert (causal.line, padding.line) == (10, 18)
    assert "Qué se tapa." in head.said
    assert "Detalle" in causal.said


def test_what_was_confirmed_is_fresh() -> None:
    assert list(check_freshness(states(SPANISH, RUSSIAN, agreed()))) == []


def test_white_space_and_the_digits_of_bound_numbers_do_not_count() -> None:
    moved = SPANISH.replace("Pesa [0.60]", "Pesa\n[0.61]").replace("Fin.", "Fin.\n\n")
    assert list(check_freshness(states(moved, RUSSIAN, agreed()))) == []


def test_a_change_in_one_language_leaves_the_other_behind_at_its_own_line() -> None:
    (problem,) = check_freshness(states(SPANISH.replace("Más.", "Menos.").replace("Una", "\nUna"), RUSSIAN, agreed()))
    assert problem.place == "docs/ru/lessons/masks.md:10"
    assert problem.rule == "freshness"
    assert "{#causal} is behind: docs/es/lessons/masks.md:11 changed" in problem.text
    assert "--diff masks#causal" in problem.cure
    assert "--confirm masks#causal" in problem.cure


def test_a_changed_description_makes_the_head_behind() -> None:
    (problem,) = check_freshness(states(SPANISH, RUSSIAN.replace("Qué se tapa", "Что закрыто"), agreed()))
    assert problem.place == "docs/es/lessons/masks.md:5"
    assert "The head is behind" in problem.text


def test_a_page_that_was_rewritten_in_one_language_is_told_in_one_line() -> None:
    long = SPANISH + "".join(f"\n## Más {number} {{#more-{number}}}\n\nTexto.\n" for number in range(4))
    found = states(long, long.replace("0.60", "0,60"))
    record = confirmed(found, found)
    (problem,) = check_freshness(states(long, long.replace("0.60", "0,60").replace("Texto", "Текст"), record))
    assert problem.place == f"docs/es/lessons/masks.md:{long[: long.index('## Más 0')].count(chr(10)) + 1}"
    assert problem.text == ("4 sections are behind: {#more-0}, {#more-1}, {#more-2}, {#more-3}. They changed in "
                            "docs/ru/lessons/masks.md since all were confirmed to say the same")
    assert problem.cure.endswith("--confirm masks`.")


def test_sections_changed_in_both_wait_for_a_word_and_are_told_once_a_page() -> None:
    es, ru = (text.replace("Más.", "Otra.").replace("Fin.", "Final.") for text in (SPANISH, RUSSIAN))
    (problem,) = check_freshness(states(es, ru, agreed()))
    assert problem.place == "docs/es/lessons/masks.md:10"
    assert "{#causal}, {#padding} were written or changed in all languages" in problem.text
    assert problem.cure.endswith("--confirm masks`.")


def test_confirming_one_section_leaves_the_others_as_they_were() -> None:
    found = states(SPANISH.replace("Más.", "Menos.").replace("Fin.", "Final."), RUSSIAN, agreed())
    record = confirmed(found, [state for state in found if state.id == "causal"])
    again = states(SPANISH.replace("Más.", "Menos.").replace("Fin.", "Final."), RUSSIAN, record)
    assert [state.id for state in again if state.behind] == ["padding"]


def test_the_record_is_read_as_it_was_written_and_a_damaged_one_is_told(tmp_path) -> None:
    project = Project(tmp_path)
    assert read_record(project) == (None, None)
    (tmp_path / "docs").mkdir()
    write_record(project, agreed())
    assert read_record(project) == (agreed(), None)
    text = (tmp_path / RECORD).read_text()
    assert text.count("\n") == 2 + 2 + 3  # one line a section
    (tmp_path / RECORD).write_text(text.replace("  }", "<<<<<<< ours\n  }"))
    record, problem = read_record(project)
    assert record is None
    assert problem.place == f"{RECORD}:6"
    (tmp_path / RECORD).write_text('{"lessons/masks.md": {"causal": ["es"]}}')
    assert "cannot be read" in read_record(project)[1].text


# -- in a checkout -------------------------------------------------------------------------------------------


@pytest.fixture
def recorded(checkout):
    """A miniature course under git, all of it confirmed."""
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=checkout.root, check=True)
    done = checkout.lessons("translations", "--confirm", "index", "mini", "other")
    assert done.returncode == 0, done.stderr
    return checkout


def test_the_command_tells_shows_and_confirms(recorded) -> None:
    assert recorded.lessons("translations").stdout.endswith("0 behind, 0 not confirmed\n")
    line = recorded.edit("docs/es/lessons/mini.md", "[Inicio]", "Una frase más. [Inicio]")
    section = next(n for n, text in enumerate(recorded.read("docs/ru/lessons/mini.md").split("\n"), 1) if "{#mixing}" in text)

    told = recorded.lessons("check")
    assert told.returncode == 1
    assert f"docs/ru/lessons/mini.md:{section}: {{#mixing}} is behind: docs/es/lessons/mini.md:{section} changed" in told.stderr
    assert "1 problem" in told.stderr

    shown = recorded.lessons("translations", "--diff", "mini#mixing")
    assert shown.returncode == 1
    assert "+Una frase más. [Inicio](../index.md)" in shown.stdout
    assert "-[Inicio](../index.md)" in shown.stdout
    assert line > section

    assert "1 section says the same" in recorded.lessons("translations", "--confirm", "mini#mixing").stdout
    assert recorded.lessons("check").returncode == 0


def test_a_name_that_means_nothing_gets_the_one_that_was_meant(recorded) -> None:
    done = recorded.lessons("translations", "mini#mixin")
    assert done.returncode == 2
    assert "Did you mean mini#mixing?" in done.stderr
    assert recorded.lessons("translations", "--confirm").returncode == 2


def test_readers_of_the_section_that_is_behind_are_led_to_the_newer_one_until_it_is_confirmed(recorded) -> None:
    assert recorded.build().returncode == 0
    page = recorded.site / "ru/lessons/mini/index.html"
    assert "lesson-newer" not in page.read_text()
    recorded.edit("docs/es/lessons/mini.md", "[Inicio]", "Una frase más. [Inicio]")
    assert recorded.build().returncode == 0  # readers get the page; `check` says what is missing
    text = page.read_text()
    assert 'class="lesson-newer">У этого раздела есть более новая версия: <a href="../../../es/lessons/mini/#mixing"' in text
    assert "lesson-newer" not in (recorded.site / "es/lessons/mini/index.html").read_text()
    recorded.lessons("translations", "--confirm", "mini#mixing")
    assert recorded.build().returncode == 0
    assert "lesson-newer" not in page.read_text()
