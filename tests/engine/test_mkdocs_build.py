"""`mkdocs build` in a miniature course: the right bytes, cold and warm; the right exit status; nothing hidden."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

import pytest

ES = "docs/es/lessons/mini.md"


def digests(site: Path) -> dict[str, str]:
    return {file.relative_to(site).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in sorted(site.rglob("*")) if file.is_file()}


def tree(root: Path) -> dict[str, int]:
    return {str(file.relative_to(root)): file.stat().st_mtime_ns for name in ("docs", "snippets") for file in (root / name).rglob("*")}


@pytest.mark.case(number="C46")
def test_cold_and_warm_builds_give_the_same_bytes_and_write_nothing_into_the_sources(checkout):
    shutil.rmtree(checkout.root / ".cache")
    before = tree(checkout.root)
    cold = checkout.build(SITE_URL="https://example.org/course/")
    assert (cold.returncode, cold.stderr) == (0, "")
    first = digests(checkout.site)
    assert len([name for name in first if name.endswith("index.html")]) == 7
    stored = sorted((checkout.root / ".cache/pages").iterdir())
    assert len(stored) == 6
    warm = checkout.build(SITE_URL="https://example.org/course/")
    assert (warm.returncode, warm.stderr) == (0, "")
    assert sorted((checkout.root / ".cache/pages").iterdir()) == stored, "no page is rendered anew"
    assert digests(checkout.site) == first
    assert tree(checkout.root) == before


def test_pages_show_code_output_figure_formulas_and_both_languages(checkout):
    assert checkout.build().returncode == 0
    for code, output, label in (("es", "Pesos: 0.665 0.245 0.09", "Salida"), ("ru", "Веса: 0.665 0.245 0.09", "Вывод")):
        page = checkout.page(f"{code}/lessons/mini")
        assert f'<html lang="{code}"' in page
        assert f"<samp>{output}</samp>" in page
        assert f">{label}</span>" in page
        assert len(re.findall(r'class="[^"]*\blesson-figure\b', page)) == 1
        assert page.count("<mjx-container") == 2
        assert "$" not in re.sub(r"(?s)<script.*?</script>|data-tex=\"[^\"]*\"", "", page)
        other = "ru" if code == "es" else "es"
        assert not [link for link in re.findall(r'<a href="([^"]+)" class="md-nav__link', page) if f"{other}/" in link]
    chooser = (checkout.site / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<a href="(.*?)" hreflang="(.*?)"', chooser) == [("es/", "es"), ("ru/", "ru")]


BAD_PAGES = {
    "missing-program": ("| mini/mix", "| mini/mox", "program-missing"),
    "missing-cell": ("| mini/mix", "| mini/mix:nothing", "cell-missing"),
    "unknown-directive": ("/// snippet", "/// snipet", "directive"),
    "unclosed-block": ("\n///\n\n[Inicio]", "\n\n[Inicio]", "directive"),
    "wrong-number": ("66.5", "66.4", "bound-number"),
    "unreadable-number": ("[66.5\u00a0%]{mini/mix= weights[0]}", "[66.5\u00a0%]{mini/mix= weights[0}", "bound-number"),
    "russian-number": ("[66.5", "[66,5", "bound-number"),
    "bad-formula": ("{e^2+e+1}", "{e^2+e+1", "formula"),
    "missing-alt-text": ("Tres barras; la primera llega a [0.665]{= weights[0]}.\n", "", "alt-text"),
    "dead-link": ("../index.md", "../nothing.md", "link"),
    "no-id": (" {#mixing}", "", "heading-id"),
}


@pytest.mark.case(number="C06")
def test_bad_pages_fail_the_build_each_at_its_line_and_the_rest_is_built(checkout):
    """One build tells of all of them."""
    good = {code: checkout.read(f"docs/{code}/lessons/mini.md").replace("{mix=", "{mini/mix=").replace("| mix", "| mini/mix")
            for code in ("es", "ru")}
    for what, (old, new, _) in BAD_PAGES.items():
        for code, text in good.items():
            checkout.write(f"docs/{code}/lessons/{what}.md", text)
        checkout.edit(f"docs/es/lessons/{what}.md", old, new)
    done = checkout.build()
    assert done.returncode == 1
    for what, (_, _, rule) in BAD_PAGES.items():
        assert re.search(rf"^docs/es/lessons/{what}.md:\d+: .* \[{rule}\]$", done.stderr, re.M), (what, done.stderr)
        assert "lesson-problem" in checkout.page(f"es/lessons/{what}")
        assert "lesson-problem" not in checkout.page(f"ru/lessons/{what}")
    assert "lesson-problem" not in checkout.page("es/lessons/mini")


BAD_PROGRAMS = {
    "raises": ("scores = ", "scores = 1 / 0 + ", "program-error", 7),
    "ends": ("scores = ", "raise SystemExit(3)\nscores = ", "program-exit", 7),
    "kills-itself": ("scores = ", "import os; os.kill(os.getpid(), 9)\nscores = ", "program-crash", None),
    "warns": ("scores = ", "import warnings; warnings.warn('cuidado')\nscores = ", "program-stderr", 7),
    "syntax": ("scores = ", "scores = = ", "program-syntax", 7),
    "asks": ("scores = ", "input('¿?')\nscores = ", "program-input", 7),
    "starts-processes": ("scores = ", "import os; os.fork()\nscores = ", "program-process", 7),
    "floods": ("scores = ", "while True: print('x' * 1000)\nscores = ", "program-output", None),
    "eats-memory": ("scores = ", "blocks = []\nwhile True: blocks.append(bytearray(10**8))\nscores = ", "program-memory", None),
}


@pytest.mark.case(number="C02")
@pytest.mark.case(number="C26")
@pytest.mark.case(number="C57")
def test_bad_programs_fail_the_build_and_hurt_no_other(checkout):
    good = checkout.read("snippets/es/mini/mix.py")
    for what, (old, new, _, _) in BAD_PROGRAMS.items():
        checkout.write(f"snippets/es/mini/{what}.py", good.replace(old, new))
        page = checkout.read("docs/es/lessons/other.md")
        checkout.write("docs/es/lessons/other.md", f"{page}\n/// snippet | mini/{what}\nAlt.\n///\n\n[0.665]{{= weights[0]}}\n")
    done = checkout.build()
    assert done.returncode == 1
    for what, (_, _, rule, line) in BAD_PROGRAMS.items():
        place = f"snippets/es/mini/{what}.py" + (f":{line}" if line else "")
        assert re.search(rf"^{place}.*\[{rule}\]$", done.stderr, re.M), (what, done.stderr)
    assert "bound-number" not in done.stderr, "one cause, one problem"
    assert checkout.page("es/lessons/other").count('<div class="lesson-problem"') == len(BAD_PROGRAMS)
    assert "<samp>Pesos 2</samp>" in checkout.page("es/lessons/other")
    assert "<samp>Pesos: 0.665 0.245 0.09</samp>" in checkout.page("es/lessons/mini")


@pytest.mark.case(number="C47")
def test_a_page_that_is_not_utf8_names_its_line(checkout):
    file = checkout.root / ES
    file.write_bytes(checkout.read(ES).replace("# Mezcla", "# Añadir").encode("latin-1"))
    done = checkout.build()
    assert done.returncode == 1
    assert done.stderr.splitlines()[1:] == [f"{ES}:8: This line is not UTF-8 (byte 0xf1) [page-encoding]",
                                              "    Save the file as UTF-8.", "1 problem"]
    assert "lesson-problem" in checkout.page("es/lessons/mini")


def test_addresses_that_the_course_cannot_have_are_refused_in_words(checkout):
    config = checkout.root / "mkdocs.yml"
    config.write_text(config.read_text(encoding="utf-8") + "\nuse_directory_urls: false\n", encoding="utf-8")
    refused = checkout.build()
    assert refused.returncode == 1
    assert "Take out “use_directory_urls: false”." in refused.stdout  # where MkDocs writes why it stops
    assert refused.stderr == ""


@pytest.mark.case(number="C13")
def test_a_missing_counterpart_is_an_error(checkout):
    (checkout.root / "docs/ru/lessons/other.md").unlink()
    checkout.edit("mkdocs.yml", "    - ru/lessons/other.md\n", "")
    done = checkout.build()
    assert done.returncode == 1
    assert "docs/ru/lessons/other.md: This page is missing; its counterpart is docs/es/lessons/other.md [page-missing]" in done.stderr


def test_a_stored_page_does_not_hide_a_link_that_died(checkout):
    """Reusing only HTML was seen to hide dead links: the page with the link did not change, its target did."""
    assert checkout.build().returncode == 0
    checkout.edit(ES, " {#mixing}", " {#blending}")
    checkout.edit("docs/ru/lessons/mini.md", " {#mixing}", " {#blending}")
    done = checkout.build()
    assert done.returncode == 1
    assert "docs/es/index.md:6: The link lessons/mini.md#mixing leads to #mixing" in done.stderr
    checkout.edit("docs/es/index.md", "#mixing", "#blending")
    checkout.edit("docs/ru/index.md", "#mixing", "#blending")
    assert checkout.build().returncode == 0


@pytest.mark.case(number="C53")
def test_a_byte_order_mark_and_crlf_change_nothing(checkout):
    assert checkout.build().returncode == 0
    before = checkout.page("es/lessons/mini")
    for path in (ES, "snippets/es/mini/mix.py"):
        file = checkout.root / path
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    done = checkout.build()
    assert done.returncode == 0, done.stderr
    assert checkout.page("es/lessons/mini") == before


@pytest.mark.case(number="C04")
@pytest.mark.case(number="C46")
@pytest.mark.parametrize("locale", [{"PYTHONIOENCODING": "cp1252"}, {"PYTHONIOENCODING": "cp1251"},
                                    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"FORCE_COLOR": "1", "TZ": "Asia/Tokyo"}])
def test_the_callers_locale_does_not_matter(checkout, locale):
    shutil.rmtree(checkout.root / ".cache/results")
    assert checkout.build().returncode == 0
    first = digests(checkout.site)
    shutil.rmtree(checkout.root / ".cache/results")
    shutil.rmtree(checkout.root / ".cache/pages")
    done = checkout.build(**locale)
    assert done.returncode == 0, done.stderr
    assert digests(checkout.site) == first
