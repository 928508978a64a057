"""Where everything lies. One object owns the paths of a program, one those of a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lessonkit.languages import LANGUAGES, Language

LIBRARIES = ("nanotorch", "vis")
"""The course's own packages in snippets/, beside the language folders and data/."""


@dataclass(frozen=True, order=True)
class ProgramName:
    """A lesson program: `es/soft-dictionary/lookup`."""

    language: str
    slug: str
    """The page's path below its language, without `lessons/`: `masks`, `concepts/scaled-dot-product`."""
    name: str

    def __str__(self) -> str:
        return f"{self.language}/{self.slug}/{self.name}"

    @property
    def path(self) -> str:
        """The program's file, relative to the root."""
        return f"snippets/{self}.py"

    @property
    def golden_path(self) -> str:
        """The golden file, relative to the root."""
        return f"snippets/{self}.out"


@dataclass(frozen=True, order=True)
class PageName:
    """A page: language and path below the language's folder."""

    language: str
    file: str
    """Path below docs/<language>/, with forward slashes: `lessons/masks.md`."""

    def __str__(self) -> str:
        return self.path

    @property
    def path(self) -> str:
        """The page's file, relative to the root."""
        return f"docs/{self.language}/{self.file}"

    @property
    def slug(self) -> str:
        return self.file.removesuffix(".md").removeprefix("lessons/")

    @property
    def site_path(self) -> str:
        """The folder of the site in which the page becomes `index.html`: `es/lessons/masks`, `es`."""
        path = f"{self.language}/{self.file}".removesuffix(".md")
        return path.removesuffix("/index")

    @classmethod
    def of(cls, path: str) -> PageName | None:
        """The page at `path` below docs/; None if that is not in a language's folder."""
        language, _, file = path.partition("/")
        return cls(language, file) if language in LANGUAGES and file.endswith(".md") else None

    def program(self, target: str) -> ProgramName:
        """The program that `target` means on this page: `causal`, or `masks/causal` of another page."""
        slug, _, name = target.rpartition("/")
        return ProgramName(self.language, slug or self.slug, name)


@dataclass(frozen=True)
class Project:
    """A checkout of the course."""

    root: Path

    @property
    def docs(self) -> Path:
        return self.root / "docs"

    @property
    def snippets(self) -> Path:
        return self.root / "snippets"

    @property
    def scripts(self) -> Path:
        return self.root / "scripts"

    @property
    def cache(self) -> Path:
        return self.root / ".cache"

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages that have pages, in the order of `LANGUAGES`."""
        return tuple(language for code, language in LANGUAGES.items() if (self.docs / code).is_dir())

    def pages(self) -> list[PageName]:
        """All Markdown pages of all languages, sorted."""
        return sorted(
            PageName(language.code, file.relative_to(folder).as_posix())
            for language in self.languages
            for folder in [self.docs / language.code]
            for file in folder.rglob("*.md")
        )

    def programs(self) -> list[ProgramName]:
        """All lesson programs of all languages, sorted. A file `_name.py` is a module of theirs, not a program."""
        found = []
        for language in self.languages:
            folder = self.snippets / language.code
            for file in folder.rglob("*.py"):
                slug = file.parent.relative_to(folder).as_posix()
                if slug != "." and not file.name.startswith("_"):
                    found.append(ProgramName(language.code, slug, file.stem))
        return sorted(found)

    def relative(self, path: Path | str) -> str:
        """`path` relative to the root with forward slashes; unchanged if it lies elsewhere."""
        try:
            return Path(path).relative_to(self.root).as_posix()
        except ValueError:
            return str(path)
