"""Addresses in a built site: each leads somewhere, in both languages, and none of another host is loaded."""

from __future__ import annotations

import html
import json
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from tests.cases.conftest import SITE_URL

LOADING = {("script", "src"), ("img", "src"), ("img", "srcset"), ("source", "src"), ("source", "srcset"), ("iframe", "src"), ("video", "src"),
           ("audio", "src"), ("embed", "src"), ("object", "data"), ("image", "href"), ("image", "xlink:href"), ("use", "href"), ("use", "xlink:href")}
"""What a browser asks for by itself. Of <link> the relation decides."""
LOADING_RELATIONS = {"stylesheet", "preload", "modulepreload", "icon", "manifest", "prefetch", "preconnect", "dns-prefetch"}
IN_SCRIPTS = {
    # The theme's bundle names hosts that it asks only if a page has a diagram, or a repository of these; the course has neither.
    "unpkg.com", "api.github.com", "gitlab.com",
}
"""Hosts that scripts and style sheets may name; nothing else may come in unseen. Names of formats (www.w3.org) are no hosts."""


class Addresses(HTMLParser):
    """Of a page: what is loaded, what is linked, and the ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.ids |= {found["id"] or "", found.get("name") or ""} if "id" in found else {found.get("name") or ""}
        for name, value in attributes:
            if (tag, name) in LOADING:
                self.loaded += [part.split()[0] for part in (value or "").split(",")] if name == "srcset" else [value or ""]
            elif name in ("href", "action"):
                relations = set((found.get("rel") or "").split())
                (self.loaded if tag == "link" and relations & LOADING_RELATIONS else self.linked).append(value or "")
        self.loaded += re.findall(r"url\(\s*[\"']?([^\"')]+)", found.get("style") or "")


def pages_of(site: Path) -> dict[str, Addresses]:
    return {file.relative_to(site).as_posix(): Addresses(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}


def dead_addresses(site: Path, base: str) -> list[str]:
    """Addresses within the site that lead to no file, or to no such place in it."""
    pages, dead = pages_of(site), []
    for path, page in pages.items():
        own = base + path
        for address in page.loaded + page.linked:
            url = urlsplit(urljoin(own, address))
            if url.scheme not in ("http", "https") or not url.geturl().startswith(base):
                continue
            file = unquote(url.path.removeprefix(urlsplit(base).path))
            file += "index.html" if file.endswith("/") or not file else ""
            if not (site / file).is_file() or (url.fragment and file in pages and unquote(url.fragment) not in pages[file].ids | {"__skip"}):
                dead.append(f"{path}: {address}")
    return dead


@pytest.mark.case(number="C60")
def test_every_address_of_both_languages_leads_somewhere(full_course):
    """Figures, an image, data to download, notebooks, links, contents: pages two levels below the root."""
    dead = dead_addresses(full_course.site, SITE_URL)
    # What the theme's first link skips to: the miniature's home has no heading, and one lesson writes its title itself.
    assert [one for one in dead if not one.endswith("/index.html: #page-title") and "/mini/notebook.html: #" not in one] == []
    for code in ("es", "ru"):
        lesson = pages_of(full_course.site)[f"{code}/lessons/full/index.html"]
        assert {"../../data/table.csv", "../mini/#mixing", "notebook.html", "full.ipynb", "full.py"} <= {*lesson.linked}
        assert "../../data/dot.png" in lesson.loaded
        assert (full_course.site / code / "data/table.csv").read_text() == "1,2\n"


@pytest.mark.case(number="C60")
def test_equal_figures_are_not_stored_beside_the_pages(full_course):
    """They stand in the page, in the reader's theme; no file of a figure is written, once or twice."""
    pictures = [file.relative_to(full_course.site).as_posix() for file in full_course.site.rglob("*") if file.suffix in (".svg", ".png", ".jpg")]
    assert [name for name in pictures if not name.startswith("assets/")] == ["es/data/dot.png", "ru/data/dot.png"]
    assert not [name for name in pictures if "full" in name and not name.startswith("assets/cards/")]


@pytest.mark.case(number="C44")
def test_no_page_loads_anything_from_another_host(full_course):
    foreign = {path: [address for address in page.loaded if urlsplit(urljoin(SITE_URL, address)).netloc not in ("example.org", "")]
               for path, page in pages_of(full_course.site).items()}
    assert {path: found for path, found in foreign.items() if found} == {}


@pytest.mark.case(number="C44")
def test_scripts_style_sheets_and_notebooks_name_no_unknown_host(full_course):
    hosts = set()
    for file in full_course.site.rglob("*"):
        if file.suffix in (".js", ".css"):
            text = file.read_text(encoding="utf-8", errors="replace")
            calls = r"(?:https?:)?//[\w.-]+\.[a-z]{2,}(?=[/\"'`)])"
            hosts |= {urlsplit(found if found.startswith("http") else "https:" + found).netloc
                      for found in re.findall(r"(?:[\"'`]|url\()(" + calls + ")", text)}
        assert b"polyfill.io" not in (file.read_bytes() if file.is_file() else b""), file
    assert hosts - {"www.w3.org", "example.org"} <= IN_SCRIPTS, hosts
    for file in full_course.site.rglob("*.ipynb"):
        notebook = json.loads(file.read_text(encoding="utf-8"))
        code = "".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
        assert {urlsplit(found).netloc for found in re.findall(r"https?://[^\s\"'\\]+", code)} <= {"example.org"}, file
        assert "<script" not in html.unescape(json.dumps(notebook))


@pytest.mark.case(number="C44")
def test_the_wheel_of_the_notebooks_asks_for_no_package(full_course):
    """`%pip install` of the course's own libraries brings nothing from elsewhere but numpy, which Jupyter's machine has."""
    [wheel] = full_course.site.rglob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        metadata = next(archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA"))
    assert {re.split(r"[ <>=~;(]", line)[1] for line in metadata.splitlines() if line.startswith("Requires-Dist:")} <= {"numpy", "matplotlib"}
