"""What was made for a terminal: colours, progress, questions to whoever sits before it.

On Windows and macOS programs run in fresh interpreters: `test_fresh_interpreters_give_the_same` of the runner's tests.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading

import pytest

from lessonkit.terminal import plain_text
from tests.cases.conftest import SITE_URL, add_full_lesson, article, without_drawings
from tests.conftest import ROOT, Checkout, clean_environment
from tests.engine.test_mkdocs_build import digests
from tests.engine.test_search import indexed

languages = pytest.mark.parametrize("language", ["es", "ru"])
ANSWERS = {"es": "¿Cuántos? 21\n42\n", "ru": "Сколько? 21\n42\n"}


def in_terminal(course: Checkout, *command: str, timeout: float = 120, **environment: str) -> tuple[int, str]:
    """Exit status and what stood on the screen of a command that has a terminal for all its streams; nobody types."""
    screen, keyboard = os.openpty()
    process = subprocess.Popen(command, cwd=course.root, env=clean_environment(TERM="xterm-256color", **environment),
                               stdin=keyboard, stdout=keyboard, stderr=keyboard, start_new_session=True)
    os.close(keyboard)
    seen = bytearray()

    def read() -> None:
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(screen, 4096):
                seen.extend(part)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        status = process.wait(timeout)
    finally:
        process.kill()
        process.wait()
        reader.join(5)
        os.close(screen)
    return status, seen.decode()


needs_pty = pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals here")


# --- Questions ---------------------------------------------------------------------------------------------------------


def ask(course: Checkout, answers: str) -> None:
    for code, prompt in (("es", "¿Cuántos? "), ("ru", "Сколько? ")):
        course.write(f"snippets/{code}/other/count.py", f'# %% ask{answers}\nn = int(input("{prompt}"))\nprint(n * 2)\n')


@pytest.mark.case(number="C38")
@needs_pty
@pytest.mark.parametrize("command", [("-m", "mkdocs", "build", "-q"), ("scripts/lessons.py", "check"), ("scripts/lessons.py", "run", "es/other/count"),
                                     ("scripts/lessons.py", "accept", "other")])
def test_a_question_without_answers_fails_at_once_in_a_real_terminal(checkout, command):
    ask(checkout, "")
    status, said = in_terminal(checkout, sys.executable, *command, timeout=60)
    assert status == 1, said
    assert re.search(r"snippets/es/other/count\.py:2: The program asks for input, and nobody answers during a build",
                     " ".join(plain_text(said).split()))
    assert "stdin=" in said, "the cure names the option"


@pytest.mark.case(number="C38")
@needs_pty
def test_declared_answers_are_fed_and_shown_after_the_prompt(checkout):
    ask(checkout, ' stdin="21"')
    status, said = in_terminal(checkout, sys.executable, "scripts/lessons.py", "accept", "other")
    assert status == 0, said
    assert [checkout.read(f"snippets/{code}/other/count.out") for code in ANSWERS] == [f"# %% ask\n{shown}" for shown in ANSWERS.values()]
    done = checkout.build()
    assert done.returncode == 0, done.stderr
    for code, shown in ANSWERS.items():
        assert f"<samp>{shown.rstrip()}</samp>" in checkout.page(f"{code}/lessons/other")


# --- Colours -----------------------------------------------------------------------------------------------------------


@pytest.mark.case(number="C81")
@languages
def test_colours_and_links_become_plain_text(full_course, language):
    """Plain text can be read in every theme."""
    red, link = ("rojo", "enlace") if language == "es" else ("красный", "ссылка")
    for file in ("index.html", "notebook.html"):
        assert f"<samp>{red} b 256\n{link} AB</samp>" in without_drawings(article(full_course, f"{language}/lessons/full/{file}"))
    assert f"# %% colours\n{red} b 256\n{link} AB\n" in full_course.read(f"snippets/{language}/full/prints.out")


@pytest.mark.case(number="C81")
def test_no_escape_byte_is_anywhere_in_the_site(full_course):
    texts = [file for file in full_course.site.rglob("*") if file.suffix in (".html", ".ipynb", ".py", ".json", ".xml", ".txt")]
    assert len(texts) > 20
    goldens = list((full_course.root / "snippets").rglob("*.out"))
    assert [file for file in [*texts, *goldens] if b"\x1b" in file.read_bytes() or b"\\u001b" in file.read_bytes()] == []
    records = indexed(full_course.site / "pagefind")
    assert "/es/lessons/full/" in records
    assert not [url for url, record in records.items() if "\x1b" in str(record) or "\\x1b" in str(record)]


@pytest.mark.case(number="C81")
@needs_pty
def test_a_build_in_a_colour_terminal_equals_one_in_a_pipe(full_course, engine_copy, tmp_path):
    shutil.copytree(engine_copy, tmp_path / "course")
    course = Checkout(tmp_path / "course")
    add_full_lesson(course)
    for store in ("results", "pages", "notebooks"):
        shutil.rmtree(course.root / ".cache" / store)
    status, said = in_terminal(course, sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(course.site),
                               SITE_URL=SITE_URL, FORCE_COLOR="1", CLICOLOR_FORCE="1", PY_COLORS="1", COLUMNS="20")
    assert status == 0, said
    assert digests(course.site) == digests(full_course.site)


# --- Progress ----------------------------------------------------------------------------------------------------------


@pytest.mark.case(number="C82")
@languages
def test_of_each_line_of_progress_its_last_state_is_shown(full_course, language):
    """A thousand steps on stderr, ended with a new line; three hundred on stdout, ended with none."""
    for file in ("index.html", "notebook.html"):
        assert "<samp> 99.9%|#########\n299</samp>" in without_drawings(article(full_course, f"{language}/lessons/full/{file}"))
    assert "# %% progress\n 99.9%|#########\n299\n# %%" in full_course.read(f"snippets/{language}/full/prints.out")


@pytest.mark.case(number="C82")
def test_no_tested_output_tells_a_speed_or_a_time():
    goldens = sorted((ROOT / "snippets").rglob("*.out"))
    assert len(goldens) > 50
    timed = re.compile(r"\d\s?(?:it|s|steps?)/(?:it|s|step)\b|\d\d:\d\d<|\d\d:\d\d:\d\d|\b\d+(?:[.,]\d+)? ?(?:ms|µs|seconds|segundos|секунд)")
    assert [file for file in goldens if timed.search(file.read_text(encoding="utf-8"))] == []
