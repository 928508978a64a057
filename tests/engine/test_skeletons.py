"""A new lesson: right from its first second, in its place, and never over something that is there."""

from __future__ import annotations

import pytest

from lessonkit.skeletons import Refused, with_navigation


def test_a_new_lesson_is_right_in_both_languages_and_in_the_site(checkout) -> None:
    done = checkout.lessons("new", "first-steps", "--es", "Los «primeros»: pasos", "--ru", "Первые шаги")
    assert done.returncode == 0, done.stderr
    for path in ("docs/es/lessons/first-steps.md", "snippets/ru/first-steps/first.py", "snippets/ru/first-steps/first.out"):
        assert path in done.stdout
        assert (checkout.root / path).exists()
    checked = checkout.lessons("check")
    assert checked.returncode == 0, checked.stderr
    assert checkout.build().returncode == 0
    assert "Los «primeros»: pasos" in checkout.page("es/lessons/first-steps")
    assert "Первые шаги" in checkout.page("ru/lessons/first-steps")


def test_after_the_first_change_the_other_language_is_behind(checkout) -> None:
    checkout.lessons("translations", "--confirm", "index", "mini", "other")
    checkout.lessons("new", "first-steps")
    line = checkout.edit("docs/ru/lessons/first-steps.md", "- Четыре–шесть пунктов, в каждом одна мысль.", "- Вес делится.")
    checked = checkout.lessons("check")
    assert f"{{#summary}} is behind: docs/ru/lessons/first-steps.md:{line - 2} changed" in checked.stderr
    assert "1 problem\n" in checked.stderr


def test_a_new_lesson_runs_its_own_programs_alone(checkout) -> None:
    """In a fresh clone all the others would take minutes."""
    checkout.write("snippets/es/other/count.py", "raise SystemExit(3)\n")
    stored = sorted((checkout.root / ".cache/results").iterdir())
    done = checkout.lessons("new", "first-steps")
    assert (done.returncode, done.stderr) == (0, "")
    assert "0.731" in checkout.read("snippets/es/first-steps/first.out")
    assert sorted((checkout.root / ".cache/results").iterdir()) == stored


@pytest.mark.parametrize("slug", ["Masks", "два", "a_b", "../x", ""])
def test_a_name_that_is_none_is_refused(checkout, slug) -> None:
    done = checkout.lessons("new", slug)
    assert done.returncode == 2
    assert "is no name for a lesson" in done.stderr


def test_what_is_there_is_never_overwritten(checkout) -> None:
    checkout.write("snippets/ru/first-steps/first.py", "print(1)\n")
    before = checkout.read("mkdocs.yml")
    done = checkout.lessons("new", "first-steps")
    assert done.returncode == 2
    assert "snippets/ru/first-steps/first.py exists already; nothing was written" in done.stderr
    assert checkout.read("snippets/ru/first-steps/first.py") == "print(1)\n"
    assert not (checkout.root / "docs/es/lessons/first-steps.md").exists()
    assert checkout.read("mkdocs.yml") == before


def test_its_line_stands_below_the_last_lesson_of_its_language() -> None:
    nav = "nav:\n  - es:\n    - Lecciones:\n      - es/lessons/a.md\n    - es/x.md\n  - ru:\n    - ru/index.md\n"
    text = with_navigation(nav, ["docs/es/lessons/b.md", "docs/ru/lessons/b.md"])
    assert text == nav.replace("a.md\n", "a.md\n      - es/lessons/b.md\n").replace("ru/index.md\n", "ru/index.md\n    - ru/lessons/b.md\n")
    with pytest.raises(Refused, match="no page of ru/lessons/"):
        with_navigation("nav:\n  - es/lessons/a.md\n", ["docs/ru/lessons/b.md"])
