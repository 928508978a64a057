"""Sees which project files a program uses, and keeps its modules away from bytecode.

Works inside the process of one program: nothing here can be undone.
"""

from __future__ import annotations

import functools
import importlib.machinery
import os
import posixpath
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from types import CodeType

from lessonkit.dependencies import ENGINE, Dependencies, ProjectFiles, Snapshot

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
Handler = Callable[..., None]

_compiled: dict[str, tuple[bytes, CodeType]] = {}
"""Code of library modules by path, with the source that it was made from (see `compile_ahead`)."""


def compile_ahead(folders: Iterable[str]) -> None:
    """Compile the modules below `folders` once for all programs that will be forked from this process.

    Nothing is executed. A program takes the code only if the file it reads has exactly the same bytes; a
    time stamp would not do (two edits within a second, of equal size, look alike: that is how bytecode
    files go stale).
    """
    for folder in folders:
        for path in sorted(_modules_below(folder)):
            try:
                with open(path, "rb") as file:
                    source = file.read()
                if path not in _compiled or _compiled[path][0] != source:
                    _compiled[path] = source, compile(source, path, "exec", dont_inherit=True)
            except (OSError, SyntaxError, ValueError):  # the program that imports it will say so
                _compiled.pop(path, None)


def _modules_below(folder: str) -> Iterable[str]:
    for place, _, names in os.walk(folder):
        yield from (os.path.join(place, name) for name in names if name.endswith(".py"))


def install_hook(handlers: Iterable[tuple[str, Handler]]) -> None:
    """Call `handlers` for the audit events they name, in order, from now to the end of this process."""
    by_event: dict[str, list[Handler]] = {}
    for event, handler in handlers:
        by_event.setdefault(event, []).append(handler)
    find = by_event.get

    def hook(event: str, arguments: tuple) -> None:
        for handler in find(event, ()):
            handler(*arguments)

    sys.addaudithook(hook)


class Tracer:
    """Records what the program depends on. Each file is described at the moment it is first used."""

    def __init__(self, files: ProjectFiles, program: str, patterns: Iterable[str] = ()) -> None:
        """`program` is the program's own place.

        Its text is in the key. `patterns` are its declared `reads`.
        """
        self._files = files
        self._program = program
        self._seen = Snapshot(files.root)
        self._busy: set[int] = set()
        self._loaded_before = set(sys.modules)  # third-party and the engine's own
        self._found = Dependencies()
        for pattern in patterns:
            place = posixpath.normpath(posixpath.join(posixpath.dirname(program), pattern))
            self._found.patterns[place] = self._seen.pattern(place)

    def handlers(self) -> list[tuple[str, Handler]]:
        return [("open", self._opened), ("os.listdir", self._listed), ("os.scandir", self._scanned)]

    def watch_imports(self, folders: Iterable[str]) -> None:
        """See where modules are looked for, and compile those of the project from their source, always.

        Python does not look into `folders` of `sys.path` that are not there; they may come to be.
        """
        for folder in folders:
            if not os.path.isdir(folder):
                self._asked(folder)
        find_spec = importlib.machinery.FileFinder.find_spec
        get_code = importlib.machinery.SourceFileLoader.get_code

        @functools.wraps(find_spec)
        def traced_find_spec(finder, fullname, target=None):
            place = self._files.place(finder.path)
            if place is None:
                return find_spec(finder, fullname, target)
            self._looked_for(place, fullname.rpartition(".")[2])
            return self._unseen(
                find_spec, finder, fullname, target
            )  # it lists the folder: that is not the program's doing

        @functools.wraps(get_code)
        def get_fresh_code(loader, fullname):
            path = loader.path
            if self._files.place(path) is None and not path.startswith(ENGINE + os.sep):
                return get_code(loader, fullname)
            source = loader.get_data(path)
            known = _compiled.get(path)
            return known[1] if known and known[0] == source else loader.source_to_code(source, path)

        importlib.machinery.FileFinder.find_spec = traced_find_spec
        importlib.machinery.SourceFileLoader.get_code = get_fresh_code
        for folder in list(sys.path_importer_cache):  # listings made before the fork
            if self._files.place(folder) is not None:
                del sys.path_importer_cache[folder]

    def watch_stat(self) -> None:
        """See which files the program asks for without opening them (`Path.exists`): no audit event tells."""
        for name in ("stat", "lstat", "access", "readlink"):
            if hasattr(os, name):
                self._watch(name)

    def _watch(self, name: str) -> None:
        function = getattr(os, name)

        @functools.wraps(function)
        def traced(path, *arguments, **options):
            self._asked(path)
            return function(path, *arguments, **options)

        setattr(os, name, traced)
        for functions in (
            os.supports_dir_fd,
            os.supports_fd,
            os.supports_follow_symlinks,
            os.supports_effective_ids,
        ):
            if function in functions:
                functions.add(traced)

    def _looked_for(self, place: str, module: str) -> None:
        candidates = self._unseen(self._seen.importable, place).get(module, [])
        self._found.imports.setdefault(place, {})[module] = candidates

    def hiding(self, place: str, modules: Iterable[str]) -> list[str]:
        """Files in a folder that hide Python's own modules or `modules`; record that there are none."""
        self._found.unhidden[place] = sorted(modules)
        return self._unseen(self._seen.hiding, place, modules)

    def dependencies(self) -> Dependencies | None:
        """All that the run depended on.

        None if some of it changed meanwhile, so that nobody can say what it saw.
        """
        return self._unseen(self._conclude)

    def packages(self) -> set[str]:
        """Names of the project's modules and packages that the program has imported."""
        return {name.partition(".")[0] for name, _ in self._modules()}

    def used(self) -> dict:
        """All that was used so far, for `take_over` in the process that this one is a copy of."""
        self._unseen(self._see_modules)
        return self._found.to_json()

    def take_over(self, used: dict) -> None:
        self._found = Dependencies.from_json(used)

    def _conclude(self) -> Dependencies | None:
        self._see_modules()
        return self._found if self._found.hold(Snapshot(self._files.root)) else None

    def _see_modules(self) -> None:
        for _, place in self._modules():
            if place != self._program and place not in self._found.files:
                self._found.files[place] = self._seen.file(place)

    def _modules(self) -> Iterator[tuple[str, str]]:
        """(name, place) of the project's modules that were loaded after the tracer began."""
        for name, module in list(sys.modules.items()):
            if name not in self._loaded_before:
                path = getattr(module, "__dict__", {}).get("__file__")
                place = self._files.place(path) if isinstance(path, str) else None
                if place is not None:
                    yield name, place

    def _opened(self, path: object, mode: str | None, flags: int) -> None:
        place = self._place(path)
        if place is not None and not flags & WRITING and place not in self._found.files:
            self._found.files[place] = self._unseen(self._seen.file, place)

    def _listed(self, path: object = None) -> None:
        place = self._place("." if path is None else path)
        if place is not None and place not in self._found.folders:
            self._found.folders[place] = self._unseen(self._seen.folder, place)

    def _scanned(self, path: object = None) -> None:
        """`os.scandir` gives sizes together with names, and no later event tells who looks at them."""
        self._listed(path)
        place = self._place("." if path is None else path)
        if place is not None:
            for name in self._unseen(self._seen.names, place) or ():
                self._asked(os.path.join(self._files.root, place, name))

    def _asked(self, path: object) -> None:
        place = self._place(path)
        if place is not None and place not in self._found.files and place not in self._found.presence:
            self._found.presence[place] = self._seen.presence(place)

    def _place(self, path: object) -> str | None:
        """The place of a file the program uses.

        None for files of others, and for what the tracer itself does.
        """
        if threading.get_ident() in self._busy:
            return None
        place = self._files.place(path)
        return None if place == self._program else place

    def _unseen(self, function: Callable, *arguments):
        """Call `function` without recording what it does."""
        me = threading.get_ident()
        if me in self._busy:
            return function(*arguments)
        self._busy.add(me)
        try:
            return function(*arguments)
        finally:
            self._busy.discard(me)
