r"""Formulas: TeX in, SVG and MathML out, drawn by MathJax while the site is built; readers need no script.

MathJax runs inside Python, in QuickJS (scripts/mathjax). The eye gets the SVG, which screen readers pass
over; they read the MathML beside it, in the reader's own language. What a formula becomes depends on its TeX,
on MathJax and on this file alone, so drawings are kept between builds.

    drawings = Drawer(Path(".cache/formulas")).draw([Formula(r"\frac{1}{2}", display=False), …])
    page = share_glyphs(keep_punctuation(page))          # once a page, when all drawings stand in its HTML
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import json
import logging
import os
import queue
import re
import threading
import zlib
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lessonkit.entries import EntryStore
from lessonkit.plaintext import PlainText

BUNDLE = Path(__file__).resolve().parents[1] / "mathjax" / "bundle"

# What formulas may use besides LaTeX and amsmath: the text a command stands for, or that and its number of
# arguments. The four roles have the colours --vis-query, … of the figures (docs/assets/css/formulas.css).
MACROS: dict[str, str | list] = {
    "softmax": r"\operatorname{softmax}",
    "argmax": r"\operatorname*{arg\,max}",
    "R": r"\mathbb{R}",
    "T": r"^{\top}",
    "query": [r"\class{role-query}{#1}", 1],
    "key": [r"\class{role-key}{#1}", 1],
    "value": [r"\class{role-value}{#1}", 1],
    "weight": [r"\class{role-weight}{#1}", 1],
}

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Formula:
    r"""What a page asks for."""

    tex: str
    r"""Without dollars; `\val` is already replaced by its first argument."""
    display: bool
    """On lines of its own."""


@dataclass(frozen=True)
class Drawing:
    """What stands on the page."""

    html: str
    """`<mjx-container …>` with SVG and MathML; empty if there is a problem."""
    problem: str | None = None
    """What is wrong, where, and what to do, as a clause: "a { is never closed, near “{x+1”; add its }"."""


# ---- Drawing -----------------------------------------------------------------------------------------------


class Drawer:
    """Draws formulas and keeps the drawings, on disk between builds, in memory between those of one process.

    MathJax runs in threads of its own. QuickJS releases Python's lock meanwhile, so drawing goes on while the
    caller does something else: `start`, then `Drawings.collect`.
    """

    def __init__(self, cache: Path, *, jobs: int | None = None) -> None:
        self._store = _Store(cache)
        self._threads = _Threads(jobs or os.cpu_count() or 1)
        self._drawn: dict[Formula, Drawing] = {}

    def draw(self, formulas: Iterable[Formula]) -> dict[Formula, Drawing]:
        """A drawing for each formula; one whose TeX is wrong has a problem instead."""
        return self.start(formulas).collect()

    def start(self, formulas: Iterable[Formula]) -> Drawings:
        """Look up what is known and begin to draw the rest."""
        wanted = list(dict.fromkeys(formulas))
        self._drawn |= self._store.read([formula for formula in wanted if formula not in self._drawn])
        missing = [formula for formula in wanted if formula not in self._drawn]
        known = {formula: self._drawn[formula] for formula in wanted if formula in self._drawn}
        return Drawings(self, wanted, known, self._threads.draw(missing))

    def keep(self, drawings: dict[Formula, Drawing]) -> None:
        """Remember new drawings, and store them unless they have a problem."""
        self._drawn |= drawings
        self._store.write({formula: drawing for formula, drawing in drawings.items() if not drawing.problem})

    def close(self) -> None:
        """End the threads. The drawer can be used again: it starts new ones."""
        self._threads.close()


class Drawings:
    """Formulas that are being drawn."""

    def __init__(
        self, drawer: Drawer, wanted: list[Formula], known: dict[Formula, Drawing], batch: _Batch
    ) -> None:
        self._drawer, self._wanted, self._known, self._batch = drawer, wanted, known, batch

    def collect(self) -> dict[Formula, Drawing]:
        """Wait for the rest, store what is new, and give all that were asked for, in their order."""
        new = self._batch.wait()
        self._drawer.keep(new)
        found = self._known | new
        return {formula: found[formula] for formula in self._wanted}


@functools.cache
def _drawer(cache: Path, jobs: int) -> Drawer:
    return Drawer(cache, jobs=jobs)


def draw(formulas: Iterable[Formula], *, cache: Path, jobs: int) -> dict[Formula, Drawing]:
    """Draw with a drawer that this process keeps for `cache`."""
    return _drawer(cache, jobs).draw(formulas)


# ---- Stored drawings ---------------------------------------------------------------------------------------


class _Store:
    """Drawings in a folder of few files, each with a part of the formulas: TeX and HTML in turn, each ended by
    U+0000 (a third of the time that JSON takes). Of two builds that write the same file the second wins, and
    what the first had added is drawn again when it is needed.
    """

    FILES = 32
    LARGEST = 400  # entries in a file: the oldest go, so that formulas of long ago do not stay for ever

    def __init__(self, folder: Path) -> None:
        self._entries = EntryStore(folder)

    def read(self, formulas: Iterable[Formula]) -> dict[Formula, Drawing]:
        found = {}
        for number, members in self._by_file(formulas).items():
            entries = self._load(number)
            found |= {formula: Drawing(entries[key]) for key, formula in members.items() if key in entries}
        return found

    def write(self, drawings: dict[Formula, Drawing]) -> None:
        for number, members in self._by_file(drawings).items():
            entries = self._load(number) | {key: drawings[formula].html for key, formula in members.items()}
            newest = list(entries.items())[-self.LARGEST :]
            self._entries.save(_key(number), "".join(f"{tex}\0{html}\0" for tex, html in newest).encode())
        if drawings:
            self._entries.sweep()

    def _by_file(self, formulas: Iterable[Formula]) -> dict[int, dict[str, Formula]]:
        files: dict[int, dict[str, Formula]] = {}
        for formula in formulas:
            key = ("display " if formula.display else "inline ") + formula.tex
            files.setdefault(zlib.crc32(key.encode("utf-8", "replace")) % self.FILES, {})[key] = formula
        return files

    def _load(self, number: int) -> dict[str, str]:
        parts = (self._entries.load(_key(number)) or b"").decode("utf-8").split("\0")
        return dict(zip(parts[0::2], parts[1::2], strict=False))  # the last part is empty


def _key(number: int) -> str:
    return f"{_stamp()[:16]}-{number:02}"


@functools.cache
def _stamp() -> str:
    """Names what a drawing depends on besides its formula: MathJax (the manifest holds hashes), this file."""
    return _digest((BUNDLE / "manifest.json").read_bytes() + Path(__file__).read_bytes())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


# ---- MathJax in threads ------------------------------------------------------------------------------------


class _Batch:
    """Formulas to draw, taken piece by piece by as many threads as come."""

    PIECE = 8  # a call of MathJax draws that many: between two calls a thread waits for Python's lock

    def __init__(self, formulas: Sequence[Formula]) -> None:
        # Long ones first, so that no thread begins a long one when the others are done.
        ordered = sorted(formulas, key=lambda formula: len(formula.tex), reverse=True)
        self._pieces = deque(ordered[i:i + self.PIECE] for i in range(0, len(ordered), self.PIECE))
        self._left = len(self._pieces)
        self._drawings: dict[Formula, Drawing] = {}
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._done = threading.Event()
        if not self._pieces:
            self._done.set()

    def work(self, mathjax: _MathJax) -> None:
        """Draw pieces until none is left."""
        while not self._error:
            try:
                piece = self._pieces.popleft()
            except IndexError:
                return
            drawings = mathjax.draw(piece)
            with self._lock:
                self._drawings |= drawings
                self._left -= 1
                if not self._left:
                    self._done.set()

    def fail(self, error: BaseException) -> None:
        self._error = error
        self._done.set()

    def wait(self) -> dict[Formula, Drawing]:
        self._done.wait()
        if self._error:
            raise self._error
        return self._drawings


class _Threads:
    """At most `limit` threads, each with a MathJax of its own, started when there is work for them."""

    WORTH_A_THREAD = 40  # formulas: drawing them takes as long as loading another MathJax (0.1 s)
    STACK = 16 * 1024 * 1024  # more than MathJax may use, whatever a thread has by default (macOS: 512 kB)

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._started = 0
        self._batches: queue.SimpleQueue[_Batch | None] = queue.SimpleQueue()

    def draw(self, formulas: Sequence[Formula]) -> _Batch:
        batch = _Batch(formulas)
        if formulas:
            useful = min(self._limit, 1 + len(formulas) // self.WORTH_A_THREAD)
            for _ in range(self._started, useful):
                self._start()
            for _ in range(max(useful, self._started)):
                self._batches.put(batch)
        return batch

    def close(self) -> None:
        for _ in range(self._started):
            self._batches.put(None)
        self._started = 0

    def _start(self) -> None:
        before = threading.stack_size(self.STACK)
        try:
            # Daemons: a build that fails must not wait for drawings that nobody will see.
            threading.Thread(target=self._run, name=f"mathjax-{self._started}", daemon=True).start()
        finally:
            threading.stack_size(before)
        self._started += 1

    def _run(self) -> None:
        mathjax = None
        while batch := self._batches.get():
            try:
                mathjax = mathjax or _MathJax()  # in this thread: QuickJS stays in the thread that made it
                batch.work(mathjax)
            except BaseException as error:
                batch.fail(error)


class _MathJax:
    """One MathJax document. Only the thread that made it may use it."""

    STACK = 2 * 1024 * 1024  # MathJax needs 0.5 MB; beyond this a formula is refused

    def __init__(self) -> None:
        self._open()

    def _open(self) -> None:
        self._context = _quickjs().Context()
        self._context.set_max_stack_size(self.STACK)
        self._context.eval("globalThis.console = {log() {}, warn() {}, error() {}};")
        self._context.eval(_script("core.js"))
        self._context.get("openDocument")(json.dumps({"macros": MACROS}))
        self._draw = self._context.get("drawFormulas")

    def draw(self, formulas: Sequence[Formula]) -> dict[Formula, Drawing]:
        refused = {formula: _unsuitable(formula.tex) for formula in formulas}
        drawings = {formula: Drawing("", problem) for formula, problem in refused.items() if problem}
        left = [formula for formula in formulas if formula not in drawings]
        while left:
            wanted = [[formula.tex, formula.display, standard_tex(formula.tex)] for formula in left]
            answer = json.loads(self._draw(json.dumps(wanted)))
            for formula, drawn in zip(left, answer["drawn"], strict=False):
                drawings[formula] = self._drawing(drawn)
            left = left[len(answer["drawn"]):]
            if "font" in answer:
                self._load_font(answer["font"])
            elif "crashed" in answer:
                self._open()  # who knows in what state MathJax was left
        return drawings

    def _load_font(self, name: str) -> None:
        """A formula has a character of this font file. If the bundle lacks it, there is no glyph."""
        self._context.eval(_script(f"font/{name}.js"))
        self._context.get("fontLoaded")(name)

    def _drawing(self, drawn: dict) -> Drawing:
        if "html" in drawn:
            return Drawing(_fitting(drawn["html"]))
        names = []
        if drawn["error"] == "UndefinedControlSequence":
            names = [name.lstrip("\\") for name in json.loads(self._context.get("commandNames")())]
        return Drawing("", _explain(drawn, names))


def _quickjs():
    try:
        import quickjs
    except ImportError:
        quickjs = None
    if not hasattr(quickjs, "StackOverflow"):  # the older package `quickjs` has the same name and lacks this
        raise RuntimeError("Formulas need the package quickjs-ng: pip install -r requirements.txt (if the "
                           "package quickjs is there too, uninstall both first: each overwrites the other)")
    return quickjs


@functools.cache
def _script(name: str) -> str:
    """A file of the bundle, or "" if the bundle has none of that name."""
    expected = json.loads((BUNDLE / "manifest.json").read_text("utf-8"))["sha256"].get(name)
    if not expected:
        return ""
    data = (BUNDLE / name).read_bytes()
    if _digest(data) != expected:
        raise RuntimeError(f"scripts/mathjax/bundle/{name} is not the file that its manifest names: run "
                           "`npm ci && npm run build` in scripts/mathjax, or take the folder from git again")
    return data.decode("utf-8")


# ---- What is wrong with a formula --------------------------------------------------------------------------

# Commands that leave a trace in MathJax, so that formulas would depend on each other, or that need one.
_FORBIDDEN = {
    "newcommand renewcommand providecommand def let newenvironment renewenvironment DeclareMathOperator "
    "DeclarePairedDelimiter DeclarePairedDelimiters DeclarePairedDelimiterX DeclarePairedDelimitersX "
    "DeclarePairedDelimiterXPP definecolor newtagform renewtagform usetagform mathtoolsset newcolumntype":
        r"\{} defines something, and each formula stands alone; add a macro for all to MACROS in "
        "scripts/lessonkit/formulas.py",
    "label ref eqref cssId":
        r"\{} refers to another place, which no formula knows; use \tag{{1}} and write (1) in the text",
    "href": r"\{} makes a link that the keyboard cannot reach; put the link into the text",
}
_FORBIDDEN_WORDS = {word: reason for words, reason in _FORBIDDEN.items() for word in words.split()}
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)|.)|%", re.S)


def _unsuitable(tex: str) -> str | None:
    """Why MathJax is not asked at all."""
    if not tex.strip():
        return "there is nothing between the dollars; write the formula or take them out"
    try:
        tex.encode("utf-8")
    except UnicodeEncodeError:
        return "it contains half of a character (a lone surrogate); type the character again"
    if "\0" in tex:
        return "it contains the character U+0000; take it out"
    for match in _COMMAND.finditer(tex):
        if match[0] == "%":
            return r"a bare % hides all that follows it; write \%"
        if match[1] in _FORBIDDEN_WORDS:
            return _FORBIDDEN_WORDS[match[1]].format(match[1])
    return None


# MathJax's name of an error → what is wrong, {} its subject; what to do.
_CURES = {
    "UndefinedControlSequence": (
        "the command {} is unknown",
        "use one of LaTeX or amsmath, or add it to MACROS in scripts/lessonkit/formulas.py"),
    "UnknownEnv": ("the environment {} is unknown", "use one of amsmath, such as aligned, cases, pmatrix"),
    "MissingCloseBrace": ("a { is never closed", "add its }"),
    "ExtraOpenMissingClose": ("a { is never closed", "add its }"),
    "ExtraCloseMissingOpen": ("a } has no { before it", "take it out or add the {"),
    "ExtraCloseLooking": ("a } comes where a bracket must be closed first", "close the bracket"),
    "MissingCloseBracket": ("the [ after {} is never closed", "add its ]"),
    "DoubleSubscripts": ("one symbol has two subscripts", "write x_{ij}, or {x_i}_j"),
    "DoubleExponent": ("one symbol has two superscripts", "write x^{ij}, or {x^i}^j"),
    "DoubleExponentPrime": ("a prime follows a superscript", "write {x'}^2, or {x^2}'"),
    "MissingArgFor": ("{} lacks an argument", "add it in braces"),
    "MissingScript": ("nothing follows a _ or ^", "add what stands there, or take it out"),
    "MathModeOnly": ("{} stands in text", r"write \_ or \^{} for the sign, or end \text{} before it"),
    "EnvMissingEnd": ("{} is missing", "add it"),
    "EnvBadEnd": ("", "give both the same name"),
    "MissingBeginExtraEnd": ("", r"each \end needs its \begin"),
    "Misplaced": ("{} stands outside a matrix, aligned or cases", r"put it into one; the sign & is \&"),
    "MissingOrUnrecognizedDelim": ("no bracket follows {}", r"write ( ) [ ] \{ \} | or . for none"),
    "ExtraLeftMissingRight": (r"a \left has no \right", r"add it; \right. shows nothing"),
    "MissingLeftExtraRight": (r"a \right has no \left", r"add it; \left. shows nothing"),
    "CantUseHash1": ("a bare # means nothing here", r"write \#"),
    "MathNotTerminated": (r"a $ inside \text is never closed", r"write \$ for the sign"),
}


def _explain(drawn: dict, names: Sequence[str]) -> str:
    """MathJax's error in plain words: what, where, what to do."""
    error = drawn["error"]
    if error == "NoGlyph":
        characters = ", ".join(f"{c} (U+{ord(c):04X})" for c in dict.fromkeys(drawn["words"][0]))
        return f"the formulas' font has no glyph for {characters}; take another sign or write it in the text"
    if error == "Crash":
        too_deep = "stack" in drawn["message"]
        what = "it is nested too deeply" if too_deep else f"MathJax failed ({drawn['message']})"
        return f"{what}; write it in simpler parts"
    message = drawn["message"]
    what, cure = _CURES.get(error, ("", "write it as LaTeX wants it"))
    what = what or message[0].lower() + message[1:]
    subject = re.search(r"\\\w+(?:\{\w+\*?\})?", message) or re.search(r"(?<=')[^']+(?=')|[&#]", message)
    if subject:
        what = what.replace("{}", subject[0], 1)
        if similar := difflib.get_close_matches(subject[0].lstrip("\\"), names, n=1, cutoff=0.7):
            cure = f"did you mean \\{similar[0]}? Otherwise {cure}"
    near = " ".join(drawn["near"].split())
    near = near if len(near) <= 24 else "…" + near[-24:]
    return f"{what}, near “{near}”; {cure}" if near and near not in what else f"{what}; {cure}"


_SMALLEST_SCALE = 0.8
"""Down to this a formula on a line of its own shrinks where there is less room; then its box scrolls."""
_WIDE = re.compile(r'(?<=<svg aria-hidden="true" style=")([^"]*)(?=" width="([\d.]+)ex")')


def _fitting(html: str) -> str:
    """A formula on a line of its own that is a little too wide for a phone becomes smaller: nothing is out of sight."""
    if not html.startswith('<mjx-container display="true"'):
        return html

    def fit(svg: re.Match) -> str:
        return f"{svg[1]}max-width:100%;height:auto;min-width:{_SMALLEST_SCALE * float(svg[2]):.1f}ex"

    return _WIDE.sub(fit, html, count=1)


# ---- A page ------------------------------------------------------------------------------------------------

_INLINE = re.compile(
    r"<mjx-container (?![^>]*\bdisplay=)[^>]*>.*?</mjx-container>"
    r"(?P<after>(?:[^\s<&]|&(?:amp|quot|nbsp|\#160|\#8239);|[\u00a0\u202f])*)",
    re.S,
)
_OPENING = "([«„“‘¿¡"
_OUTLINE = re.compile(r'<path d="([^"]{40,})"([^>]*?)\s*/>')


def keep_punctuation(page: str) -> str:
    """A page's HTML where inline formulas stay on a line with what touches them: brackets, `,` `%`, `-го`.

    Browsers may break the line before and after any drawing. Inside the formula they still may.
    """
    kept, done = [], 0
    for formula in _INLINE.finditer(page):
        text = page[done : formula.start()]
        before = text[len(text.rstrip(_OPENING)) :]
        kept.append(text.removesuffix(before))
        whole = before + formula[0]
        kept.append(f'<span class="mjx-keep">{whole}</span>' if before or formula["after"] else whole)
        done = formula.end()
    return "".join(kept) + page[done:]


def share_glyphs(page: str) -> str:
    """A page's HTML where every outline that its formulas repeat is written once, at the end.

    An outline's id depends on the outline alone. `xlink:href`, not `href`: Material's instant navigation
    takes every element with `href` for a link and fails on SVG.
    """
    counts = Counter(outline for outline, _ in _OUTLINE.findall(page))
    ids = {outline: "mj" + _digest(outline.encode())[:8] for outline, times in counts.items() if times > 1}
    if not ids:
        return page
    page = _OUTLINE.sub(lambda m: f'<use xlink:href="#{ids[m[1]]}"{m[2]}/>' if m[1] in ids else m[0], page)
    paths = "".join(f'<path id="{name}" d="{outline}"/>' for outline, name in ids.items())
    return f'{page}<svg class="mjx-glyphs" aria-hidden="true" width="0" height="0"><defs>{paths}</defs></svg>'


# ---- Formulas elsewhere -----------------------------------------------------------------------------------

_MACRO = re.compile(rf"(?<!\\)(?P<before>(?:\\\\)*)\\(?P<name>{'|'.join(MACROS)})(?![A-Za-z])")


def standard_tex(tex: str) -> str:
    """The formula without the course's macros and colours, for other programs: notebooks, the clipboard."""
    while match := _MACRO.search(tex):
        macro = MACROS[match["name"]]
        body, count = (macro, 0) if isinstance(macro, str) else macro
        body = re.sub(r"\\class\{[^}]*\}", "", body)
        end = match.end()
        for number in range(1, count + 1):
            argument, end = _argument(tex, end)
            body = body.replace(f"#{number}", argument)
        tex = f"{tex[:match.start()]}{match['before']}{body}{tex[end:]}"
    return tex


_SINGLE = re.compile(r"\s*(\\[A-Za-z]+|\\.|[^{]|$)", re.S)
_BRACES = re.compile(r"\\.|[{}]", re.S)


def _argument(tex: str, position: int) -> tuple[str, int]:
    """A command's argument without the braces around it, and where it ends."""
    if single := _SINGLE.match(tex, position):
        return single[1], single.end()
    start = tex.index("{", position) + 1
    depth = 0
    for match in _BRACES.finditer(tex, start - 1):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return tex[start:match.start()], match.end()
    return tex[start:], len(tex)


@functools.lru_cache(maxsize=4096)
def plain_text(tex: str) -> str:
    r"""A formula as readable text for titles, contents lists and search.

    `\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V` → `softmax(QKᵀ/√d_k)V`. Never fails:
    what is wrong with the TeX, `Drawer` says.
    """
    return PlainText(tex, MACROS).read()
