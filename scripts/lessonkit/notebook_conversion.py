"""Notebooks to HTML, by mkdocs-jupyter's converter, in processes of their own.

Loading the converter costs more than a second, and it changes settings of the process that loads it; so the build asks
other processes, and only for text that was never converted: code, outputs and formulas are no part of it.
A converter's page brings hundreds of kilobytes of scripts and styles each time: all notebooks are converted as one,
parted by cells that nothing else can hold, and of the result only the cells are kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lessonkit.entries import EntryStore
from lessonkit.runner import available_cores
from lessonkit.versions import engine_changed, engine_digest, python_digest

BORDER_ID = "lesson-border"
_BORDER = re.compile(
    rf'<div class="jp-Cell jp-MarkdownCell jp-Notebook-cell" id="cell-id={BORDER_ID}-\d+">.*?'
    rf"<p>{BORDER_ID}</p>\s*(?:</div>\s*){{4}}",
    re.S,
)


class ConversionError(Exception):
    """The converter failed, or gave what this module does not know."""


class Conversion:
    """Notebooks that are being converted, by as many processes as leave a core to whoever asks."""

    def __init__(self, notebooks: Sequence[dict]) -> None:
        self._count = len(notebooks)
        self._step = min(max(1, available_cores() - 1), len(notebooks))
        self._processes = [_start(notebooks[first :: self._step]) for first in range(self._step)]

    def finish(self) -> list[str]:
        """The cells of each notebook as HTML. Raises ConversionError."""
        found: list[str] = [""] * self._count
        failed = []
        for first, process in enumerate(self._processes):
            answer, complaint = process.communicate()
            if process.returncode:
                failed.append(complaint.decode("utf-8", "replace").strip().rpartition("\n")[2])
            else:
                found[first :: self._step] = json.loads(answer)
        if failed:
            raise ConversionError(f"mkdocs-jupyter could not convert the notebooks: {failed[0]}")
        return found


def start_conversion(notebooks: Sequence[dict]) -> Conversion:
    """Begin to convert; whoever asks can do something else meanwhile."""
    return Conversion(notebooks)


class Converter:
    """Converts notebooks, and keeps what came of each: the same notebook is not converted again."""

    def __init__(self, store: EntryStore) -> None:
        self._store = store
        self._versions = (engine_digest(), python_digest())
        self._known: dict[str, str] = {}
        """What this converter made, by key: the store may be full or read-only."""

    def start(self, notebooks: Sequence[dict]) -> KeptConversion:
        """Begin to convert those that are not known."""
        keys = [self._key(notebook) for notebook in notebooks]
        missing = {key: notebook for key, notebook in zip(keys, notebooks, strict=True) if self._load(key) is None}
        return KeptConversion(self, keys, list(missing), start_conversion(list(missing.values())))

    def _key(self, notebook: dict) -> str:
        parts = json.dumps([*self._versions, notebook], sort_keys=True)
        return hashlib.blake2b(parts.encode(), digest_size=20).hexdigest()

    def _load(self, key: str) -> str | None:
        if key not in self._known and (data := self._store.load(key)) is not None:
            self._known[key] = data.decode()
        return self._known.get(key)

    def _keep(self, made: Mapping[str, str]) -> None:
        self._known.update(made)
        if made and not engine_changed():
            for key, cells in made.items():
                self._store.save(key, cells.encode())


@dataclass(frozen=True)
class KeptConversion:
    """Notebooks of which some are known and the others are being converted."""

    converter: Converter
    keys: Sequence[str]
    missing: Sequence[str]
    conversion: Conversion

    def finish(self) -> list[str]:
        """The cells of each notebook as HTML; the new ones are kept. Raises ConversionError."""
        self.converter._keep(dict(zip(self.missing, self.conversion.finish(), strict=True)))
        return [self.converter._known[key] for key in self.keys]


def _start(notebooks: Sequence[dict]) -> subprocess.Popen:
    scripts = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, [scripts, os.environ.get("PYTHONPATH")]))
    with tempfile.TemporaryFile() as orders:  # not a pipe: whoever writes into one waits for its reader
        orders.write(json.dumps(notebooks).encode())
        orders.seek(0)
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "lessonkit.notebook_conversion"],
            # What a contributor has set for Jupyter must not reach the site.
            env={**os.environ, "PYTHONPATH": path, "JUPYTER_NO_CONFIG": "1"},
            stdin=orders,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


# -- in the other process ----------------------------------------------------------------------------------------


def convert_here(notebooks: Sequence[dict]) -> list[str]:
    """The cells of each notebook as HTML, by mkdocs-jupyter in this process."""
    from mkdocs_jupyter.nbconvert2 import nb2html

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "all.ipynb")
        file.write_text(json.dumps(_joined(notebooks)), encoding="utf-8")
        page = nb2html(str(file))
    pieces = _BORDER.split(page)
    if len(pieces) != len(notebooks) + 2:
        raise ConversionError(f"{len(notebooks) + 1} borders between notebooks became {len(pieces) - 1}")
    cells = pieces[1:-1]
    for piece in cells:
        if len(re.findall(r"<div\b", piece)) != piece.count("</div>"):
            raise ConversionError("a notebook's elements are not closed")
    return cells


def _joined(notebooks: Sequence[dict]) -> dict:
    """One notebook of all: a border, the first one's cells, a border, …, a border."""
    cells = []
    for number, notebook in enumerate([*notebooks, {"cells": []}]):
        border = {"cell_type": "markdown", "id": f"{BORDER_ID}-{number}", "metadata": {}, "source": BORDER_ID}
        inner = [{**cell, "id": f"n{number}-{index}"} for index, cell in enumerate(notebook["cells"])]
        cells += [border, *inner]
    return {**notebooks[0], "cells": cells}


if __name__ == "__main__":
    # What libraries print must not stand among the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    json.dump(convert_here(json.load(sys.stdin)), answers)
