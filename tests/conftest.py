"""What the tests of the whole tool share: a miniature course that they may break, and the commands contributors run in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                  "--disable-component-update", "--disable-sync"]

FRONT = "---\ntitle: {title}\ndescription: {title}.\n---\n"
LESSON_FRONT = "---\ntitle: {title}\ndescription: {title}.\nminutes: 5\nneeds: []\n---\n"
PROGRAM = '''"""{doc}"""
# %% weights
import numpy as np

from mixing import softmax

scores = np.array([2.0, 1.0, 0.0])
weights = softmax(scores)
print("{word}:", *weights.round(3))

# %% picture
import matplotlib.pyplot as plt
import vis

plt.bar(range(3), weights)
vis.ticks(plt.gca(), decimal="{mark}")
'''
MIXING = '''"""Shared by the lesson's programs."""
import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max())
    return exps / exps.sum()
'''
LESSON = """{front}
# {title}

$$
\\weight{{\\alpha_1}}=\\frac{{e^2}}{{e^2+e+1}}\\approx\\val{{{number}}}{{mix= weights[0]}}
$$

## {section} {{#mixing}}

{word} [{percent}]{{mix= weights[0]}}, $e^2\\approx\\val{{{e2}}}{{mix= np.exp(2)}}$.[^source]

/// snippet | mix
{alt}
///

[{back}](../index.md)

[^source]: Vaswani et al. (2017), §3.2.1.
"""
OTHER = '"""{doc}"""\nprint("{word}", 1 + 1)\n'
WORDS = {
    "es": {
        "title": "Mezcla", "section": "La mezcla", "word": "Pesos", "percent": "66.5\u00a0%", "number": "0.665", "e2": "7.39",
        "alt": "Tres barras; la primera llega a [0.665]{= weights[0]}.", "doc": "Pesos de tres puntuaciones.",
        "back": "Inicio", "home": "Curso", "mark": ".",
    },
    "ru": {
        "title": "Смесь", "section": "Как смешать", "word": "Веса", "percent": "66,5\u00a0%", "number": "0{,}665", "e2": "7{,}39",
        "alt": "Три столбца; первый доходит до [0,665]{= weights[0]}.", "doc": "Веса трёх оценок.",
        "back": "Начало", "home": "Курс", "mark": ",",
    },
}


def miniature_files() -> dict[str, str]:
    files = {"docs/index.md": (ROOT / "docs/index.md").read_text(encoding="utf-8")}
    for code, words in WORDS.items():
        lessons = f"snippets/{code}/mini"
        files |= {
            f"docs/{code}/index.md": FRONT.format(title=words["home"]) + f"\n[{words['title']}](lessons/mini.md#mixing)\n",
            f"docs/{code}/lessons/mini.md": LESSON.format(front=LESSON_FRONT.format(**words), **words),
            f"docs/{code}/lessons/other.md": LESSON_FRONT.format(title=words["back"]) + "\n/// snippet | count\n///\n",
            f"{lessons}/mix.py": PROGRAM.format(**words),
            f"{lessons}/mixing/__init__.py": MIXING,
            f"{lessons}/mix.out": f"# %% weights\n{words['word']}: 0.665 0.245 0.09\n# %% picture\n",
            f"snippets/{code}/other/count.py": OTHER.format(**words),
            f"snippets/{code}/other/count.out": f"{words['word']} 2\n",
        }
    return files


def miniature_config() -> str:
    """The course's own mkdocs.yml with another navigation."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    nav = "nav:\n  - index.md\n" + "".join(
        f"  - {code}:\n    - {code}/index.md\n    - {code}/lessons/mini.md\n    - {code}/lessons/other.md\n" for code in WORDS)
    return re.sub(r"^nav:\n(?: .*\n|\n)*", nav + "\n", text, flags=re.M)


class Checkout:
    """A course in a folder of its own, and the commands that contributors run in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.site = root / "site"

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def edit(self, path: str, old: str, new: str) -> int:
        """Replace the only occurrence of `old` in a file; the line, from 1, on which it began."""
        text = self.read(path)
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
        self.write(path, text.replace(old, new))
        return text[: text.index(old)].count("\n") + 1

    def lessons(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return self.run(sys.executable, "scripts/lessons.py", *arguments, **environment)

    def build(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return self.run(sys.executable, "-m", "mkdocs", "build", "-q", "--site-dir", str(self.site), *arguments, **environment)

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(command, cwd=self.root, env=clean_environment(**environment), capture_output=True,
                              text=True, encoding="utf-8", timeout=300, check=False)

    def page(self, path: str) -> str:
        return (self.site / path / "index.html").read_text(encoding="utf-8")


def clean_environment(**more: str) -> dict[str, str]:
    """This process's environment as a contributor's: bytecode is written, and MkDocs's notice about its future is off."""
    dropped = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "SITE_URL", "REPO_URL")
    return {**{key: value for key, value in os.environ.items() if key not in dropped}, "NO_MKDOCS_2_WARNING": "1", **more}


@pytest.fixture(scope="session")
def engine_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Engine, libraries and configuration, once a session, with the drawings and results of the miniature course."""
    root = tmp_path_factory.mktemp("engine") / "course"
    skip = shutil.ignore_patterns("__pycache__", "node_modules", "*.egg-info")
    shutil.copytree(ROOT / "scripts", root / "scripts", ignore=skip)
    shutil.copytree(ROOT / "docs/assets", root / "docs/assets")
    for library in ("nanotorch", "vis"):
        shutil.copytree(ROOT / "snippets" / library, root / "snippets" / library, ignore=skip)
    (root / "snippets/data").mkdir()
    course = Checkout(root)
    course.write("mkdocs.yml", miniature_config())
    for path, text in miniature_files().items():
        course.write(path, text)
    for done in (course.lessons("check"), course.build()):  # the build stores pages and notebooks too
        assert done.returncode == 0, done.stderr
    shutil.rmtree(course.site)
    return root


@pytest.fixture
def checkout(engine_copy: Path, tmp_path: Path) -> Checkout:
    """The miniature course, whole and warm, for one test to break."""
    shutil.copytree(engine_copy, tmp_path / "course")
    return Checkout(tmp_path / "course")


@pytest.fixture(scope="session")
def chromium():
    """The browser; one for a whole run, since a process takes Playwright once."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path  # there only after `playwright install chromium`
        found = shutil.which("chromium") or shutil.which("chromium-browser") or (own if Path(own).exists() else None)
        if found is None:
            missing = "there is no chromium on this machine (Debian's package, or `playwright install chromium`; CI has it)"
            (pytest.fail if os.environ.get("BROWSER_TESTS") == "required" else pytest.skip)(missing)
        browser = playwright.chromium.launch(executable_path=found, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()
