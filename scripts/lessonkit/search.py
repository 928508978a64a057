"""The site's search: Pagefind's index of all pages, in the folder `pagefind` of the site.

A build makes it once, after the pages are written, and only if a word of the text changed: otherwise it comes from the
store. Under `mkdocs serve` a thread makes it after the reload is announced, so that nobody waits for it; until then the
site has the index that there was before.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import io
import json
import logging
import os
import subprocess
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lessonkit.entries import EntryStore
from lessonkit.problems import Problem
from lessonkit.searchable import searchable_page
from lessonkit.versions import engine_digest

log = logging.getLogger("lessonkit")

FOLDER = "pagefind"
"""Of the index, below the site's root: Pagefind takes the site's address from this name."""
ENTRY = "pagefind-entry.json"
"""Names the languages' indexes; written last, so that it never names one that is not there."""
UNUSED = ("pagefind-component-ui", "pagefind-modular-ui", "pagefind-ui", "pagefind-highlight", "wasm.unknown")
"""Half a megabyte of Pagefind's own dialogs: the course has one of its own."""
PATIENCE = 120
"""Seconds after which Pagefind is taken to hang: it needs a fraction of one."""
SECONDS_TO_SETTLE = 0.25
"""Between a reload and the new index under `mkdocs serve`: the page that is looked at goes first."""

_INSTALL = 'Install it anew: pip install --force-reinstall "pagefind[extended]"'

Files = Mapping[str, bytes]
"""A finished index: names relative to its folder, and contents."""


@dataclass(frozen=True)
class SearchedPage:
    """A page of the site that search knows."""

    url: str
    """Relative to the site's root: `es/lessons/masks/`."""
    language: str


class IndexingError(Exception):
    """Pagefind gave no index. Its text says why, `cure` what to do."""

    def __init__(self, text: str, cure: str) -> None:
        super().__init__(text)
        self.cure = cure


def write_index(site: Path, pages: Iterable[SearchedPage], store: Path) -> list[Problem]:
    """Put the index of the pages into the folder `site`; the problem if there is none."""
    index = SearchIndex(site, tuple(pages), store)
    try:
        put_files(index.stored() or index.make(), site / FOLDER)
    except IndexingError as error:
        return [Problem("requirements.txt", 0, "search", f"The site has no search: {error}", error.cure)]
    EntryStore(store).sweep()
    return []


class SearchIndex:
    """The index of a site's pages as they are written now.

    Raises FileNotFoundError if the site is being written anew.
    """

    def __init__(self, site: Path, pages: Sequence[SearchedPage], store: Path) -> None:
        self._store = EntryStore(store)
        self._pages = {page.url: text for page in pages if (text := self._searchable(site, page))}
        texts = (part for page in sorted(self._pages.items()) for part in page)
        self._key = _digest("index", _pagefind_version(), *texts)

    def _searchable(self, site: Path, page: SearchedPage) -> str:
        html = (site / page.url / "index.html").read_bytes()
        key = _digest("page", page.language, engine_digest(), html)
        if (stored := self._store.load(key)) is not None:
            return stored.decode("utf-8")
        text = searchable_page(html.decode("utf-8"), page.language)
        self._store.save(key, text.encode("utf-8"))
        return text

    def stored(self) -> Files | None:
        """The index, if it was made before."""
        data = self._store.load(self._key)
        return None if data is None else _unpack(data)

    def make(self) -> Files:
        """The index, made by Pagefind and stored.

        Raises IndexingError if Pagefind is missing, fails or leaves out a page.
        """
        if not self._pages:
            return {}
        try:
            files = self._made()
        except (OSError, ValueError) as error:  # a file that was cut short is no JSON
            why = error.strerror if isinstance(error, OSError) else "its files were cut short"
            cure = f"Make room in the temporary folder {tempfile.gettempdir()}"
            raise IndexingError(f"it could not be written ({why})", cure) from None
        self._store.save(self._key, _pack(files))
        return files

    def _made(self) -> Files:
        with tempfile.TemporaryDirectory(prefix="search-") as name:
            folder = Path(name)
            for url, text in self._pages.items():
                file = folder / "pages" / url / "index.html"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            _run_pagefind(folder / "pages", folder / "index")
            files = _collect(folder / "index")
        indexed = sum(language["page_count"] for language in json.loads(files[ENTRY])["languages"].values())
        if indexed != len(self._pages):
            raise IndexingError(f"Pagefind read {indexed} of {len(self._pages)} pages", _INSTALL)
        return files


def put_files(files: Files, folder: Path) -> None:
    """Make the folder hold these files and no others. Who searches meanwhile sees the old index or the new one."""
    for name in sorted(files, key=lambda name: name == ENTRY):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(target.name + ".tmp")
        draft.write_bytes(files[name])
        os.replace(draft, target)
    for file in folder.rglob("*"):
        if file.is_file() and file.relative_to(folder).as_posix() not in files:
            file.unlink(missing_ok=True)


def _run_pagefind(pages: Path, index: Path) -> None:
    command = [*_pagefind(), "--site", str(pages), "--output-path", str(index), "--silent"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False,
                              text=True, encoding="utf-8", errors="replace")
    except subprocess.TimeoutExpired:
        raise IndexingError(f"Pagefind did not finish in {PATIENCE} s", _INSTALL) from None
    except OSError as error:
        raise IndexingError(f"Pagefind cannot be started ({error.strerror})", _INSTALL) from None
    if done.returncode or not (index / ENTRY).exists():
        said = " ".join((done.stderr or done.stdout).split()) or "it said nothing"
        raise IndexingError(f"Pagefind failed ({done.returncode}): {said[-500:]}", _INSTALL)


def _pagefind() -> list[str]:
    try:
        from pagefind.service import get_executable

        found = get_executable()
    except (ImportError, OSError):
        found = None
    if found is None:
        raise IndexingError("Pagefind is not installed", "Run `pip install -r requirements.txt`")
    return [str(found)]


def _pagefind_version() -> str:
    try:
        return importlib.metadata.version("pagefind-bin-extended")
    except importlib.metadata.PackageNotFoundError:
        return "another"


def _collect(folder: Path) -> Files:
    """What Pagefind wrote, without what the course does not use, and the same bytes whenever the pages are the same."""
    written = {file.relative_to(folder).as_posix(): file for file in sorted(folder.rglob("*")) if file.is_file()}
    files = {name: file.read_bytes() for name, file in written.items() if not name.startswith(UNUSED)}
    entry = json.loads(files[ENTRY])
    files[ENTRY] = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    return files


def _pack(files: Files) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:  # Pagefind has compressed them
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return packed.getvalue()


def _unpack(data: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _digest(*parts: str | bytes) -> str:
    found = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8") if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()


class BackgroundSearch:
    """Keeps the index of a served site up to date. One thread at most, and only while there is something to do."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._wanted: tuple[Path, tuple[SearchedPage, ...]] | None = None
        self._thread: threading.Thread | None = None
        self._last: Files | None = None
        self._complaint = ""

    def refresh(self, site: Path, pages: Iterable[SearchedPage]) -> None:
        """Called when the pages are written. Gives the site the last index at once, and the new one soon."""
        with self._lock:
            if self._last:
                put_files(self._last, site / FOLDER)
            self._wanted = (site, tuple(pages))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="search", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            time.sleep(SECONDS_TO_SETTLE)
            with self._lock:
                wanted, self._wanted = self._wanted, None
                if wanted is None:
                    self._thread = None
                    return
            try:
                self._index(*wanted)
                self._complaint = ""
            except FileNotFoundError:  # the site is being written anew, and then this is called again
                continue
            except IndexingError as error:
                self._complain(f"{error}. {error.cure}.")
            except OSError as error:
                self._complain(f"{error}.")

    def _index(self, site: Path, pages: tuple[SearchedPage, ...]) -> None:
        index = SearchIndex(site, pages, self._store)
        files = index.stored() or index.make()
        EntryStore(self._store).sweep()
        with self._lock:
            self._last = files
            if self._wanted is None:
                put_files(files, site / FOLDER)

    def _complain(self, text: str) -> None:
        """Once, not after each save."""
        if text != self._complaint:
            log.warning("Search in this preview is not up to date: %s", text)
        self._complaint = text


@functools.cache
def background_search(store: Path) -> BackgroundSearch:
    """The one of this process."""
    return BackgroundSearch(store)
