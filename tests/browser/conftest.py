"""The course's own site, built once, served below a sub-path on this machine, and Chromium to read it."""

from __future__ import annotations

import contextlib
import functools
import http.server
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import ROOT, clean_environment

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass

    def handle(self) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the browser went on to another page
            super().handle()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site's root."""
    folder = tmp_path_factory.mktemp("site")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/course/"
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(Path(folder, "course"))], cwd=ROOT,
                          env=clean_environment(SITE_URL=address), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    yield address
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def chromium():
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine (Debian's package of that name; CI installs it)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


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
        page.goto(site + path, wait_until="load")
        return page

    yield open_
    for context in contexts:
        context.close()
