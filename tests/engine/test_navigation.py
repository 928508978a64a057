"""Pages that nobody could reach, or that would be published raw, in the miniature course."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(("old", "new", "message"), [
    ("    - ru/lessons/other.md\n", "", "docs/ru/lessons/other.md stands nowhere under nav:"),
    ("    - es/lessons/mini.md\n    - es/lessons/other.md\n", "    - es/lessons/other.md\n    - es/lessons/mini.md\n",
     "ru/lessons/mini.md stands where the other language has lessons/other.md"),
])
def test_navigation(checkout, old, new, message):
    checkout.edit("mkdocs.yml", old, new)
    found = checkout.lessons("check")
    assert found.returncode == 1
    assert f"{message} [nav]" in found.stderr
    assert found.stderr.startswith("mkdocs.yml:")


@pytest.mark.parametrize("path", ["docs/es/otra.markdown", "docs/suelta.md", "docs/de/index.md"])
def test_a_page_outside_the_languages_folders(checkout, path):
    checkout.write(path, "[1]{= x}\n")
    assert checkout.lessons("check").stderr.startswith(f"{path}: This file would be published with its blocks")
