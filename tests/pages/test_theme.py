"""The theme's colours can be read in both themes, and its fonts have the signs that the pages write."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT
from tests.snippets.test_palette import contrast, rgb
from vis.palette import PALETTE, ROLES

CSS = ROOT / "docs" / "assets" / "css"
THEME = (CSS / "theme.css").read_text(encoding="utf-8")
FACES = re.findall(r"@font-face\{(.*?)\}", (CSS / "fonts.css").read_text(encoding="utf-8"))
LIGHT = dict(re.findall(r"--([\w-]+): (#\w+)", THEME[: THEME.index("@media screen")]))
DARK = LIGHT | dict(re.findall(r"--([\w-]+): (#\w+)", THEME[THEME.index("@media screen") :].split("}")[0]))

# What no text face has; a browser takes it from the reader's machine.
ELSEWHERE = set("ₖᵀ⊤▁▢\u202f")


def long_form(color: str) -> str:
    return color if len(color) == 7 else "#" + "".join(2 * digit for digit in color[1:])


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_text_stands_out_from_page_and_code(colors):
    texts = {name: value for name, value in colors.items() if name not in ("ground", "ground-soft", "hairline", "focus")}
    assert {"ink", "ink-soft", "code-ink", "code-comment", "code-string", "code-number", "code-keyword", "error"} == set(texts)
    assert LIGHT["ink"] != DARK["ink"]
    for name, value in texts.items():
        for ground in ("ground", "ground-soft"):
            assert contrast(rgb(value), rgb(long_form(colors[ground]))) >= 4.5, (name, ground)
    assert min(contrast(rgb(colors["focus"]), rgb(long_form(colors[g]))) for g in ("ground", "ground-soft")) >= 3


@pytest.mark.parametrize(("colors", "theme"), [(LIGHT, "light"), (DARK, "dark")], ids=["light", "dark"])
def test_roles_can_be_read_in_folds_too(colors, theme):
    for color in PALETTE:
        if color.name in ROLES:
            ratio = contrast(rgb(getattr(color, theme)), rgb(colors["ground-soft"]))
            assert ratio >= 4, (color.name, ratio)


def characters_of(family: str, style: str = "normal", weight: str = "400") -> set[str]:
    found: set[str] = set()
    for face in FACES:
        if f'"{family}";font-style:{style};font-weight:{weight}' in face:
            for first, last in re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", face):
                found.update(map(chr, range(int(first, 16), int(last or first, 16) + 1)))
    return found


def test_the_text_face_has_every_sign_of_the_prose():
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*/**/*.md"))
    prose = re.sub(r"(?s)\$\$.*?\$\$|\$[^$\n]*\$|```.*?```", "", text)  # formulas are drawings
    missing = set(prose) - characters_of("Literata") - ELSEWHERE - {"\n"}
    assert not missing, f"{sorted(missing)}: add them to scripts/fonts/build.py and run it, or to ELSEWHERE"


def test_each_face_and_preloaded_file_is_there():
    files = {name for face in FACES for name in re.findall(r"\.\./fonts/([\w-]+\.woff2)", face)}
    assert files == {path.name for path in (ROOT / "docs" / "assets" / "fonts").glob("*.woff2")}
    template = (ROOT / "scripts" / "theme" / "partials" / "preloads.html").read_text(encoding="utf-8")
    fonts = re.search(r"for font in \[(.*?)\]", template)[1]
    assert {f"{font}-latin.woff2" for font in re.findall(r'"([\w-]+)"', fonts)} <= files


def test_a_page_whose_fonts_are_late_still_has_its_bold_and_italic():
    cuts = {re.search(r'font-family:"([^"]+)";(font-style:\w+;font-weight:[\d ]+)', face).groups() for face in FACES}
    late = {(family.removesuffix(" Fallback"), cut) for family, cut in cuts if family.endswith(" Fallback")}
    assert late == {(family, cut) for family, cut in cuts if not family.endswith(" Fallback")}
