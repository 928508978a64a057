"""One check of a course that is broken in many ways at once names each fault, at its line, and nothing that is right."""

from __future__ import annotations

import re

from tests.conftest import LESSON_FRONT, Checkout

ES, RU = "docs/es/lessons", "docs/ru/lessons"
SPANISH = {
    # What stands on a line of the Spanish lesson → the rule that it breaks.
    "Aquí pesa 0,60 la primera.": "lint-decimal",
    "Es un 60% del peso.": "lint-percent",
    'Se llama "peso".': "lint-quotes",
    "Es un detalle - pequeño.": "lint-dash",
    "De 2014-2017 hay datos.": "lint-range",
    "Pesa [0.664]{mix= weights[0]} en total.": "bound-number",
    "La suma [de todo]{mix weights[0]} es uno.": "bound-number",
    r"Se escribe $\frak{1}\foo$ así.": "formula",
    "Más en [otro lugar](nowhere.md).": "link",
    'Una imagen: <img src="x.png">': "link",
    "!!! nota Título": "container",
    "/// snipet | mix": "directive",
    "/// snippet | mxi": "program-missing",
    "/// snippet | mix:picure": "cell-missing",
    "Lo dijo Hinton.[^hinton]": "footnote",
    "[^hinto]: Una nota perdida.": "footnote",
    "## Sin nombre": "heading-id",
}
RUSSIAN = {
    "Это еще не всё.": "lint-yo",
    "Здесь вес 0.60, а не больше.": "lint-decimal",
}
PROGRAMS = {
    # A program's text, whose last line breaks the rule.
    "snippets/es/other/wrong.py": ("print(1)\nprint(1 / 0)\n", "program-error"),
    "snippets/es/other/noisy.py": ("import sys\nprint('x', file=sys.stderr)\n", "program-stderr"),
    "snippets/es/other/asks.py": ("input()\n", "program-input"),
    "snippets/es/other/writes.py": (
        "from pathlib import Path\nPath(__file__).with_name('new.txt').write_text('x')\n", "program-write"),
    "snippets/es/other/unread.py": ("def f(:\n", "program-syntax"),
    "snippets/es/other/option.py": ("# %% one tolerence=1\nprint(1)\n", "cell-option"),
}


def line_of(checkout: Checkout, path: str, text: str) -> int:
    lines = checkout.read(path).split("\n")
    assert lines.count(text) == 1, (path, text)
    return lines.index(text) + 1


def break_everything(checkout: Checkout) -> list[tuple[str, int, str]]:
    """(file, line, rule) of each fault. Line 0: the file as a whole."""
    faults = []
    for path, sentences in ((f"{ES}/mini.md", SPANISH), (f"{RU}/mini.md", RUSSIAN)):
        blocks = [f"{text}\n///" if text.startswith("///") else text for text in sentences]
        checkout.write(path, checkout.read(path) + "\n" + "\n\n".join(blocks) + "\n")
        faults += [(path, line_of(checkout, path, text), rule) for text, rule in sentences.items()]
    shown = ""
    for path, (text, rule) in PROGRAMS.items():
        checkout.write(path, text)
        checkout.write(path.removesuffix("py") + "out", "")
        line = 1 if rule == "cell-option" else text.count("\n")
        faults.append((path, line, rule))
        shown += f"\n/// snippet | {path.rpartition('/')[2].removesuffix('.py')}\n///\n"
    checkout.write(f"{ES}/other.md", checkout.read(f"{ES}/other.md") + shown)
    checkout.edit("snippets/ru/mini/mix.out", "0.245", "0.254")
    faults.append(("snippets/ru/mini/mix.out", line_of(checkout, "snippets/ru/mini/mix.out", "Веса: 0.665 0.254 0.09"), "golden"))
    line = checkout.edit(f"{RU}/mini.md", "Три столбца; первый доходит до [0,665]{= weights[0]}.\n", "") - 1
    faults.append((f"{RU}/mini.md", line, "alt-text"))
    faults = [(path, at - (path == f"{RU}/mini.md" and at > line), rule) for path, at, rule in faults]
    checkout.write("snippets/es/mini/lonely.py", "print(2)\n")
    checkout.write("snippets/es/mini/lonely.out", "2\n")
    checkout.write("snippets/es/mini/gone.out", "2\n")
    checkout.write(f"{ES}/solo.md", LESSON_FRONT.format(title="Solo") + "\nNada.\n")
    (checkout.root / f"{RU}/solo2.md").write_bytes(LESSON_FRONT.format(title="Один").encode("cp1251"))
    line = checkout.edit(f"{RU}/other.md", "minutes: 5", "minutes: five")
    return [
        *faults, ("snippets/es/mini/lonely.py", 0, "program-unused"), ("snippets/es/mini/gone.out", 0, "golden-orphan"),
        (f"{RU}/solo.md", 0, "page-missing"), (f"{RU}/solo2.md", 2, "page-encoding"), (f"{RU}/other.md", line, "front-matter"),
        ("mkdocs.yml", line_of(checkout, "mkdocs.yml", "nav:"), "nav"),
    ]


def test_each_of_thirty_faults_is_named_at_its_line_in_one_check(checkout):
    faults = break_everything(checkout)
    assert len(faults) > 28
    assert len({rule for _, _, rule in faults}) >= 25
    done = checkout.lessons("check")
    assert done.returncode == 1
    told = re.findall(r"^(\S+?)(?::(\d+))?: .*\[([a-z-]+)\]$", done.stderr, re.M)
    found = {(path, int(line or 0), rule) for path, line, rule in told}
    assert [fault for fault in faults if fault not in found] == [], done.stderr
    # What else is told follows from these: the other language lacks what was added, and solo is not in the navigation.
    more = {rule for path, line, rule in found - set(faults)}
    assert {rule for rule in more if not rule.startswith("parity-")} == {"page-missing"}
    assert "Traceback (most" not in done.stderr.replace("    Traceback", "")
