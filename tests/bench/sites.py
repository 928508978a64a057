"""What is measured: this course with generated lessons, and plain MkDocs sites that show the same."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.bench import corpus_format
from tests.bench.generated_lessons import GeneratedLesson, GeneratedProgram
from tests.conftest import ROOT, clean_environment

FIGURE = re.compile(r'<figure class="lesson-figure"|<svg[^>]*\bversion="1\.1"|<img[^>]*\bsrc="[^"]*\.svg"')
PLAIN_CONFIG = """site_name: Plain
site_url: http://127.0.0.1/
theme:
  name: material
  font: false
plugins:
  - search:
      lang: [es, ru]
{plugins}markdown_extensions:
  - attr_list
  - md_in_html
  - pymdownx.highlight
  - pymdownx.superfences
  - pymdownx.arithmatex:
      generic: true
"""
RUN = """
import contextlib, io, json, sys
import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt
results = []
for code in json.load(sys.stdin):
    printed, figure = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "program", "exec"), {"__name__": "__main__"})
    if plt.get_fignums():
        plt.savefig(figure, format="svg")
        plt.close("all")
    results.append([printed.getvalue(), figure.getvalue()])
json.dump(results, sys.stdout)
"""
EXEC_FIGURE = """
import io as _io
_file = _io.StringIO()
plt.savefig(_file, format="svg")
plt.close("all")
_svg = _file.getvalue()
print(_svg[_svg.index("<svg"):])
"""


class Site:
    """A site in a folder of its own, built by a command."""

    name = ""
    caches: tuple[str, ...] = ()
    """What a cold build may not have, besides the site itself."""

    def __init__(self, root: Path, lessons: list[GeneratedLesson]) -> None:
        self.root, self.lessons = root, lessons
        self.root.mkdir(parents=True)
        self.set_up()
        for lesson in lessons:
            self.write(lesson)

    def set_up(self) -> None:
        raise NotImplementedError

    def write(self, lesson: GeneratedLesson) -> None:
        raise NotImplementedError

    def page(self, lesson: GeneratedLesson) -> str:
        """Its address below the site."""
        return f"{lesson.lang}/{lesson.slug}/"

    def command(self) -> list[str]:
        return [sys.executable, "-m", "mkdocs", "build", "-q"]

    def clear(self, *also: str) -> None:
        """Leave nothing that a build made, but for MathJax's drawings; `also` names what else goes."""
        for name in ("site", *self.caches, *also):
            shutil.rmtree(self.root / name, ignore_errors=True)

    def faults(self) -> list[str]:
        """What the built pages lack."""
        found = []
        for lesson in self.lessons:
            file = self.root / "site" / self.page(lesson) / "index.html"
            html = file.read_text(encoding="utf-8") if file.exists() else ""
            missing = [program.marker for program in lesson.snippets if program.marker not in html]
            missing += [] if lesson.word in html else [lesson.word]
            figures = sum(program.figure for program in lesson.snippets)
            if len(FIGURE.findall(html)) < figures:
                missing.append(f"{figures} figures")
            found += [f"{self.name}: {self.page(lesson)} lacks {what}" for what in missing]
        return found


class Course(Site):
    """This checkout's engine and theme."""

    name = "this course"
    caches = tuple(f".cache/{name}" for name in ("results", "pages", "notebooks", "search", "templates", "matplotlib"))

    def set_up(self) -> None:
        skip = shutil.ignore_patterns(".*", "site", "tests", "node_modules", "__pycache__", "*.egg-info")
        shutil.copytree(ROOT, self.root, ignore=skip, dirs_exist_ok=True)
        corpus_format.clear_lessons(self.root)

    def write(self, lesson: GeneratedLesson) -> None:
        corpus_format.write_lesson(self.root, lesson)

    def formulas(self) -> set[str]:
        """What MathJax has to draw."""
        blocks = [block for lesson in self.lessons for block in lesson.blocks()]
        inline = {text for kind, value in blocks if kind == "p" for what, text in value if what == "m"}
        return inline | {value for kind, value in blocks if kind == "dm"}

    def page(self, lesson: GeneratedLesson) -> str:
        return corpus_format.page_path(lesson).removesuffix("index.html")


class _Plain(Site):
    plugins = ""

    def set_up(self) -> None:
        (self.root / "mkdocs.yml").write_text(PLAIN_CONFIG.format(plugins=self.plugins), encoding="utf-8")
        (self.root / "docs").mkdir()
        (self.root / "docs/index.md").write_text("# Plain\n", encoding="utf-8")

    def write(self, lesson: GeneratedLesson) -> None:
        file = self.root / f"docs/{lesson.lang}/{lesson.slug}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(plain_markdown(lesson, self.shown(lesson)), encoding="utf-8")

    def shown(self, lesson: GeneratedLesson) -> Callable[[GeneratedProgram], str]:
        """How the page shows a program."""
        raise NotImplementedError


class Static(_Plain):
    """The same pages, with outputs and figures put in before the clock starts: what a site costs that runs nothing."""

    name = "static"

    def shown(self, lesson: GeneratedLesson) -> Callable[[GeneratedProgram], str]:
        codes = json.dumps([program.code for program in lesson.snippets])
        done = subprocess.run([sys.executable, "-c", RUN], input=codes, capture_output=True, text=True, encoding="utf-8",
                              check=True, env=clean_environment(PYTHONUTF8="1"))
        results = json.loads(done.stdout)

        def show(program: GeneratedProgram) -> str:
            printed, svg = results[program.k]
            shown = f"```python\n{program.code}```\n\n```text\n{printed}```\n"
            if svg:
                file = self.root / f"docs/figures/{program.number}.svg"
                file.parent.mkdir(exist_ok=True)
                file.write_text(svg, encoding="utf-8")
                shown += f"\n![{program.number}](../figures/{program.number}.svg)\n"
            return shown

        return show


class MarkdownExec(_Plain):
    """markdown-exec, which runs all programs in the process that builds, without isolating them from each other."""

    name = "markdown-exec"
    plugins = "  - markdown-exec\n"

    @staticmethod
    def is_installed() -> bool:
        return importlib.util.find_spec("markdown_exec") is not None

    def shown(self, lesson: GeneratedLesson) -> Callable[[GeneratedProgram], str]:
        def show(program: GeneratedProgram) -> str:
            drawn = f'\n```python exec="on" html="on" session="{program.number}"\n{EXEC_FIGURE}```\n' if program.figure else ""
            return (f'```python exec="on" source="above" result="text" session="{program.number}"\n{program.code}```\n{drawn}')

        return show


def plain_markdown(lesson: GeneratedLesson, show: Callable[[GeneratedProgram], str]) -> str:
    parts = [f"# {lesson.title}\n"]
    for kind, value in lesson.blocks():
        if kind == "h2":
            parts.append(f"## {value}\n")
        elif kind == "p":
            parts.append("".join(text if what == "t" else f"${text}$" for what, text in value) + "\n")
        elif kind == "dm":
            parts.append(f"$$\n{value}\n$$\n")
        else:
            parts.append(show(value))
    return "\n".join(parts)
