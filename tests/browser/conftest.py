"""The course's own site, built once, served below a sub-path on this machine, and Chromium to read it."""

from __future__ import annotations

import contextlib
import functools
import http.server
import itertools
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pytest

from lessonkit.languages import LANGUAGES
from tests.conftest import ROOT, clean_environment

LESSON = "lessons/soft-dictionary/"
"""A long page with everything on it; home pages link to it."""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@dataclass(frozen=True)
class BuiltSite:
    """A site below the sub-path `course/` of a server, as GitHub Pages serves a project's."""

    folder: Path
    address: str

    def pages(self, language: str) -> list[str]:
        """Where the pages of a language are, below the site's root: home first."""
        found = (file.parent.relative_to(self.folder).as_posix() + "/" for file in (self.folder / language).rglob("index.html"))
        return sorted(found, key=lambda path: (path.count("/"), path))


SLOWLY = "slowly/"
"""Below this prefix the same site comes over a slow line."""


def pieces_between_words(html: str) -> Iterator[str]:
    """The page in pieces of at least 1500 characters, parted between two words of its text: half a word may well move."""
    start = 0
    for space in re.finditer(r"(?<=\w) (?=\w)", html):
        end = space.start()
        if end - start >= 1500 and html.rfind("<", start, end) < html.rfind(">", start, end):  # not inside a tag
            yield html[start:end]
            start = end
    yield html[start:]


class _Pages(http.server.SimpleHTTPRequestHandler):
    """Like GitHub Pages: an address that leads nowhere shows the site's 404.html. Below `/slowly/` pages come in pieces."""

    def log_message(self, format: str, *args: object) -> None:
        pass

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.replace("/" + SLOWLY, "/", 1))

    def copyfile(self, source: BinaryIO, outputfile: BinaryIO) -> None:
        if self.path.startswith("/" + SLOWLY) and self.path.endswith("/"):
            html = source.read().decode()
            for piece in itertools.islice(pieces_between_words(html), 40):  # the first screen is in here
                outputfile.write(piece.encode())
                html = html[len(piece):]
                time.sleep(.012)  # the browser lays out and paints what it has
            outputfile.write(html.encode())
        else:
            super().copyfile(source, outputfile)

    def handle(self) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the browser went on to another page
            super().handle()

    def send_error(self, code: int, *more: object) -> None:
        text = Path(self.directory, "course/404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@contextlib.contextmanager
def built_site(folder: Path, *, knows_its_address: bool) -> Iterator[BuiltSite]:
    """Build the course into a folder and serve it."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Pages, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = BuiltSite(folder / "course", f"http://127.0.0.1:{server.server_port}/course/")
    deployed = {"SITE_URL": site.address, "REPO_URL": "https://github.com/example/course", "EDIT_URI": "edit/main/docs/"}
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(site.folder)], cwd=ROOT, check=False,
                          env=clean_environment(**(deployed if knows_its_address else {})), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    yield site
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def deployed_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuiltSite]:
    """As the workflow builds it: with its address and that of its sources."""
    with built_site(tmp_path_factory.mktemp("site"), knows_its_address=True) as site:
        yield site


@pytest.fixture(scope="session")
def site(deployed_site: BuiltSite) -> str:
    """The address of the deployed site's root."""
    return deployed_site.address


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def open_page(chromium, site):
    """`open_page(path, **context options)` → a page, with the requests and errors it met in `page.seen`."""
    contexts = []

    def open_(path: str, **options):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.seen = {"requests": [], "errors": []}
        page.on("request", lambda request: page.seen["requests"].append(request.url))
        page.on("console", lambda message: message.type == "error" and page.seen["errors"].append(message.text))
        page.on("pageerror", lambda error: page.seen["errors"].append(str(error)))
        page.on("response", lambda answer: answer.status >= 400 and page.seen["errors"].append(f"{answer.status} {answer.url}"))
        page.goto(path if "://" in path else site + path, wait_until="load")
        return page

    yield open_
    for context in contexts:
        context.close()
