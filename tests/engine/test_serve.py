"""`mkdocs serve` in a miniature course: an edit reruns what it touches, an error shows and heals, nothing loops."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable

import pytest

from tests.conftest import Checkout, clean_environment

PATIENCE = 60
"""Seconds: the machine may be busy; what is tested is what happens, not how fast."""


class Server:
    def __init__(self, checkout: Checkout) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.checkout = checkout
        self.base = f"http://127.0.0.1:{port}/"
        self.log = checkout.root.parent / "serve.log"
        self._file = self.log.open("wb")
        self.process = subprocess.Popen([sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{port}"], cwd=checkout.root,
                                        env=clean_environment(), stdout=self._file, stderr=subprocess.STDOUT)
        self.wait_for("es/lessons/mini/", lambda page: "lesson-snippet" in page)

    def get(self, path: str) -> str:
        try:
            with urllib.request.urlopen(self.base + path, timeout=5) as answer:
                return answer.read().decode("utf-8")
        except (urllib.error.URLError, OSError):
            return ""

    def wait_for(self, path: str, right: Callable[[str], bool]) -> str:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            assert self.process.poll() is None, self.said()
            page = self.get(path)
            if right(page):
                return page
            time.sleep(0.05)
        raise AssertionError(f"{path} never became right:\n{page[-3000:]}\n{self.said()}")

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def ran(self) -> list[str]:
        """What each build said of its programs."""
        return re.findall(r"\d+ of \d+ programs ran.*", self.said())

    def builds(self, expected: int) -> int:
        """Wait for that many finished builds, and long enough to see one too many; how many there were."""
        until = time.monotonic() + PATIENCE
        while self.said().count("Documentation built") < expected and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(1.5)
        return self.said().count("Building documentation")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        self._file.close()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(20)
        self._file.close()


@pytest.fixture
def server(checkout):
    server = Server(checkout)
    yield server
    server.close()


@pytest.mark.case(number="C01")
@pytest.mark.case(number="C11")
@pytest.mark.case(number="C70")
def test_an_edit_reruns_only_what_it_touches_and_the_page_shows_it(server):
    course = server.checkout
    assert server.ran() == ["0 of 4 programs ran"]
    course.edit("snippets/es/other/count.py", "1 + 1", "1 + 2")
    page = server.wait_for("es/lessons/other/", lambda page: "<samp>Pesos 3</samp>" in page)
    assert server.ran()[1:] == ["1 of 4 programs ran: es/other/count"]
    assert "differs from the golden file" in page, "the page says that its output is new"
    course.edit("snippets/es/mini/mixing/__init__.py", "np.exp(scores - scores.max())", "np.exp(scores - scores.min())")
    server.builds(3)
    assert server.ran()[2:] == ["1 of 4 programs ran: es/mini/mix"], "a helper's change reruns the programs that import it"
    course.edit("docs/es/lessons/other.md", "/// snippet | count\n///", "/// snippet | count\n///\n\nUna frase nueva.")
    server.wait_for("es/lessons/other/", lambda page: "Una frase nueva." in page)
    assert server.ran()[3:] == ["0 of 4 programs ran"], "prose runs nothing"


@pytest.mark.case(number="C57")
def test_an_error_shows_in_its_place_and_the_next_save_heals_it(server):
    course = server.checkout
    for path, old, new, rule in (
        ("snippets/es/other/count.py", "1 + 1", "1 / 0", "program-error"),
        ("snippets/es/other/count.py", "1 + 1", "1 + )", "program-syntax"),
        ("docs/es/lessons/other.md", "| count", "| cont", "program-missing"),
        ("docs/es/lessons/other.md", "title: Inicio", "title: [", "front-matter"),
    ):
        whole = course.read(path)
        course.edit(path, old, new)
        server.wait_for("es/lessons/other/", lambda page, rule=rule: "lesson-problem" in page and f"[{rule}]" in page)
        course.write(path, whole)
        server.wait_for("es/lessons/other/", lambda page: page and "lesson-problem" not in page and "<samp>Pesos 2</samp>" in page)
    assert "<samp>Pesos: 0.665 0.245 0.09</samp>" in server.get("es/lessons/mini/")


@pytest.mark.case(number="C10")
@pytest.mark.case(number="C11")
def test_one_build_an_edit_none_while_idle_and_new_files_are_seen(server):
    course = server.checkout
    assert server.builds(1) == 1
    course.edit("docs/es/lessons/mini.md", "# Mezcla", "# Mezclas")
    assert server.builds(2) == 2
    assert "Mezclas<" in server.get("es/lessons/mini/")
    course.edit("snippets/ru/mini/mix.py", 'print("Веса:"', 'print("Вес:"')
    assert server.builds(3) == 3
    for code in ("es", "ru"):
        course.write(f"snippets/{code}/other/fresh.py", 'print("nuevo")\n')
        course.write(f"docs/{code}/lessons/other.md", course.read(f"docs/{code}/lessons/other.md") + "\n/// snippet | fresh\n///\n")
    server.wait_for("ru/lessons/other/", lambda page: "<samp>nuevo</samp>" in page)
    (course.root / "snippets/es/other/fresh.py").rename(course.root / "snippets/es/other/newer.py")
    server.wait_for("es/lessons/other/", lambda page: "There is no program snippets/es/other/fresh.py" in page)


def test_killing_the_server_leaves_no_process(checkout):
    server = Server(checkout)
    checkout.edit("snippets/es/other/count.py", "1 + 1", "1 + 2")  # the programs' parent process starts with the first run
    server.wait_for("es/lessons/other/", lambda page: "<samp>Pesos 3</samp>" in page)
    children = subprocess.run(["pgrep", "-P", str(server.process.pid)], capture_output=True, text=True, check=False).stdout.split()
    server.kill()
    until = time.monotonic() + 20
    alive = children
    while alive and time.monotonic() < until:
        alive = [pid for pid in children if subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True,
                                                           check=False).stdout.strip() not in ("", "Z")]
        time.sleep(0.1)
    assert children
    assert not alive
