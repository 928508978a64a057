"""A new lesson in every language: pages, first program and navigation, all of it right and meant to be overwritten."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lessonkit.navigation import NAV_ENTRY
from lessonkit.project import PageName, Project

TEMPLATES = Path(__file__).parent / "skeleton"
SLUG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*$")
CONFIGURATION = "mkdocs.yml"


class Refused(Exception):
    """Why there is no new lesson; nothing was written. Its text is for the contributor."""


def write_lesson(project: Project, slug: str, titles: Mapping[str, str]) -> list[str]:
    """Write the lesson's files and its lines in the navigation; their paths, in the order to look at them.

    `titles` has a title for each language of the course.
    """
    if not SLUG.match(slug):
        raise Refused(f"“{slug}” is no name for a lesson. Write small Latin letters, digits and -: soft-dictionary.")
    files: dict[str, str] = {}
    for language in project.languages:
        page = PageName(language.code, f"lessons/{slug}.md")
        title = titles[language.code].replace("\\", "\\\\").replace('"', '\\"')
        files[page.path] = _template(language.code, "page.md").replace("{title}", title)
        files[page.program("first").path] = _template(language.code, "first.py")
    present = [path for path in files if (project.root / path).exists()]
    if present:
        raise Refused(f"{' and '.join(present)} exist{'s' if len(present) == 1 else ''} already; nothing was written.")
    configuration = (project.root / CONFIGURATION).read_text(encoding="utf-8")
    files[CONFIGURATION] = with_navigation(configuration, [path for path in files if path.startswith("docs/")])
    for path, text in files.items():
        file = project.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    return list(files)


def _template(language: str, name: str) -> str:
    """The language's own skeleton; the first language's where it has none yet."""
    own = TEMPLATES / language / name
    file = own if own.exists() else min(TEMPLATES.glob(f"*/{name}"))
    return file.read_text(encoding="utf-8")


def with_navigation(configuration: str, pages: Iterable[str]) -> str:
    """The text of mkdocs.yml with a line for each page, below the last one of its folder and language."""
    lines = configuration.split("\n")
    for page in pages:
        entry = page.removeprefix("docs/")
        folder = entry.rpartition("/")[0] + "/"
        places = _entries(lines, folder) or _entries(lines, folder.partition("/")[0] + "/")
        if not places:
            raise Refused(f"{CONFIGURATION} has no page of {folder} under nav: write - {entry} where it should stand.")
        last = lines[places[-1]]
        indent = last[: len(last) - len(last.lstrip())]
        lines.insert(places[-1] + 1, f"{indent}- {entry}")
    return "\n".join(lines)


def _entries(lines: Sequence[str], folder: str) -> list[int]:
    found = ((number, NAV_ENTRY.match(line)) for number, line in enumerate(lines))
    return [number for number, entry in found if entry and entry["path"].startswith(folder)]
