"""How the benchmark's neutral lessons are written in this course's formats (the harness and its peers live elsewhere)."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

FRONT = '---\ntitle: "{title}"\ndescription: "{title}"\nminutes: 20\nneeds: []\n---\n\n# {title}\n\n'
HOME = {"es": "Inicio", "ru": "Начало"}


def clear_lessons(root: Path) -> None:
    """Drop the course's own pages and programs, so that only the corpus is built."""
    for language, home in HOME.items():
        shutil.rmtree(root / "docs" / language)
        shutil.rmtree(root / "snippets" / language)
        _put(root / f"docs/{language}/index.md", f"---\ntitle: {home}\ndescription: {home}\n---\n\n{home}.\n")
    config = root / "mkdocs.yml"
    text = config.read_text(encoding="utf-8")
    nav = "nav:\n  - index.md\n" + "".join(f"  - {language}:\n    - {language}/index.md\n" for language in HOME)
    config.write_text(re.sub(r"^nav:\n(?:[ ].*\n|\n)*", nav + "\n", text, flags=re.M), encoding="utf-8")


def write_lesson(root: Path, lesson) -> None:
    """Write one neutral lesson: page, programs, golden files, and its place in the navigation."""
    parts = [FRONT.format(title=lesson.title)]
    sections = 0
    for kind, value in lesson.blocks():
        if kind == "h2":
            sections += 1
            parts.append(f"## {value} {{#section-{sections}}}\n")
        elif kind == "p":
            parts.append("".join(text if what == "t" else f"${text}$" for what, text in value) + "\n")
        elif kind == "dm":
            parts.append(f"$$\n{value}\n$$\n")
        else:
            parts.append(_snippet(root, lesson, value))
    _put(root / f"docs/{lesson.lang}/lessons/{lesson.slug}.md", "\n".join(parts))
    config = root / "mkdocs.yml"
    text = config.read_text(encoding="utf-8")
    entry, home = f"    - {lesson.lang}/lessons/{lesson.slug}.md\n", f"    - {lesson.lang}/index.md\n"
    if entry not in text:
        config.write_text(text.replace(home, home + entry), encoding="utf-8")


def page_path(lesson) -> str:
    """Where the built page lies below site/."""
    return f"{lesson.lang}/lessons/{lesson.slug}/index.html"


def _snippet(root: Path, lesson, snippet) -> str:
    name = f"snippet-{snippet.k}"
    _put(root / f"snippets/{lesson.lang}/{lesson.slug}/{name}.py", snippet.code)
    alt = f"{lesson.title}, {snippet.k}.\n" if snippet.figure else ""
    return f"/// snippet | {name}\n{alt}///\n"


def _put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
