"""Make the site's fonts and their style sheet again: docs/assets/fonts/*.woff2 and docs/assets/css/fonts.css.

Each face is cut to the characters that the course writes and split in two, Latin with signs and Cyrillic. Not part of a
site's build: the results are in the repository. In an environment of its own:

    pip install fonttools==4.68.0 brotli==1.2.1 fontpkg-literata==3.103 fontpkg-jetbrains-mono==2.211
    npm pack @fontsource-variable/golos-text@5.3.0 && tar xf fontsource-variable-golos-text-5.3.0.tgz
    python scripts/fonts/build.py package/

The argument is the unpacked npm package (Golos Text is in no Python package). All three families are under the SIL
Open Font License; its texts lie beside the fonts.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

ASSETS = Path(__file__).resolve().parents[2] / "docs" / "assets"

LETTERS = "¡§«°±·»¿×ÁÉÍÓÚÑÜáéíóúñüàèçäößøåëïêîôâœ"  # besides ASCII: Spanish, and names in sources
POINTS = "\u00a0–—‘’“”„…‰′″€\u2009\u202f"
SIGNS = "²³¹⁰⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉←↑→↓−√∞≈≠≤≥∂∇∑∅∈⟨⟩αβγδεθλμπσφχω"
BASE = {*range(0x20, 0x7F), *map(ord, LETTERS + POINTS + "−")}
FULL = BASE | {*map(ord, SIGNS)}
CYRILLIC = {*range(0x410, 0x450), *map(ord, "Ёё№")}

HEAD = "/* Written by scripts/fonts/build.py. */\n"


@dataclass(frozen=True)
class Family:
    """What browsers know by one name, and the local fonts that are brought to its measures until it is there."""

    name: str
    local: tuple[str, ...]
    display: str
    """`optional`: text never jumps from one font to another. `swap` where widths are equal: nothing can jump."""


LITERATA = Family("Literata", ("Times New Roman", "Liberation Serif", "Tinos"), "optional")
GOLOS = Family("Golos Text", ("Arial", "Liberation Sans", "Arimo"), "optional")
MONO = Family("JetBrains Mono", ("Courier New", "Liberation Mono", "Cousine"), "swap")


@dataclass(frozen=True)
class Face:
    """One cut of a family: where it comes from, which point of its design space and which characters it keeps."""

    family: Family
    file: str
    source: Path
    axes: dict[str, float]
    latin: set[int]
    size_adjust: str
    """Its mean width of running text, both languages, by the local fonts' (Liberation's; the rest are as wide)."""
    features: tuple[str, ...] = ("kern",)
    weight: str = "400"
    style: str = "normal"
    local: str = ""
    """What the local fonts' names end in: without their bold and italic a page whose fonts are late has neither, since
    the theme forbids the browser to thicken and to slant letters."""


def faces(golos: Path) -> list[Face]:
    """All faces; `{script}` in a source's name stands for the script."""
    literata, mono = _package("fontpkg_literata"), _package("fontpkg_jetbrains_mono")
    roman, italic = literata / "Literata[opsz,wght].ttf", literata / "Literata-Italic[opsz,wght].ttf"
    opsz = {"opsz": 14}  # text of 17 to 19 CSS pixels
    return [
        Face(LITERATA, "literata", roman, opsz | {"wght": 400}, FULL, "114.5%", ("kern", "liga", "locl", "tnum")),
        Face(LITERATA, "literata-bold", roman, opsz | {"wght": 650}, BASE | {ord("√")}, "115.4%", weight="600 700",
             local=" Bold"),
        Face(LITERATA, "literata-italic", italic, opsz | {"wght": 400}, BASE, "109.6%", style="italic",
             local=" Italic"),
        Face(GOLOS, "golos-text", golos / "files" / "golos-text-{script}-wght-normal.woff2", {"wght": 400}, BASE,
             "104.8%", ("kern", "tnum"), weight="400 700"),
        # Without `calt`: its ligatures draw `->` and `!=` as signs that nobody can type.
        Face(MONO, "jetbrains-mono", mono / "JetBrainsMono[wght].ttf", {"wght": 400}, FULL, "100%", (),
             weight="400 700"),
    ]


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{name} is not installed: see the head of {Path(__file__).name}")
    return Path(spec.origin).parent / "files"


def cut(face: Face, script: str, characters: Iterable[int]) -> TTFont:
    """The face with these characters and nothing that a browser does not read."""
    font = TTFont(str(face.source).replace("{script}", script), recalcTimestamp=False)
    options = Options(layout_features=list(face.features), hinting=False, notdef_outline=True,
                      name_IDs=[0, 1, 2, 13, 14])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    instantiateVariableFont(font, face.axes, inplace=True)
    font.flavor = "woff2"
    return font


def unicode_range(characters: Iterable[int]) -> str:
    """CSS's notation: `U+20-7E,U+A0`."""
    ordered = sorted(characters)
    starts = [ordered[0], *(after for before, after in pairwise(ordered) if after > before + 1)]
    ends = [*(before for before, after in pairwise(ordered) if after > before + 1), ordered[-1]]
    return ",".join(f"U+{a:X}" if a == b else f"U+{a:X}-{b:X}" for a, b in zip(starts, ends, strict=True))


def font_face(face: Face, file: str, font: TTFont) -> str:
    """The rule by which a browser finds the file."""
    return (f'@font-face{{font-family:"{face.family.name}";font-style:{face.style};font-weight:{face.weight};'
            f'font-display:{face.family.display};src:url("../fonts/{file}") format("woff2");'
            f"unicode-range:{unicode_range(font.getBestCmap())}}}\n")


def fallback_face(face: Face, font: TTFont) -> str:
    """Local fonts with the face's width and height of line: a page has the same lines before and after."""
    measures, adjust = font["hhea"], float(face.size_adjust.rstrip("%")) / 100

    def override(value: int) -> str:
        return f"{100 * value / font['head'].unitsPerEm / adjust:.1f}%"

    sources = ",".join(f'local("{name}{face.local}")' for name in face.family.local)
    return (f'@font-face{{font-family:"{face.family.name} Fallback";font-style:{face.style};font-weight:{face.weight};'
            f"src:{sources};size-adjust:{face.size_adjust};"
            f"ascent-override:{override(measures.ascent)};descent-override:{override(-measures.descent)};"
            "line-gap-override:0%}\n")


def main(golos: Path) -> None:
    rules, fallbacks = [], []
    for face in faces(golos):
        for script, characters in (("latin", face.latin), ("cyrillic", CYRILLIC)):
            font, file = cut(face, script, characters), f"{face.file}-{script}.woff2"
            font.save(ASSETS / "fonts" / file)
            rules.append(font_face(face, file, font))
            print(f"{file}: {(ASSETS / 'fonts' / file).stat().st_size} bytes, {len(font.getBestCmap())} characters")
        fallbacks.append(fallback_face(face, font))
    (ASSETS / "css" / "fonts.css").write_text(HEAD + "".join(rules + fallbacks), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
