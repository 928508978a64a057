"""The index of the site's search: what is in it, when it is made, and what is said if it cannot be."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from lessonkit import search
from lessonkit.search import ENTRY, BackgroundSearch, SearchedPage, put_files, write_index
from lessonkit.searchable import searchable_page
from tests.engine.test_serve import Server

PAGE = '<html lang="{language}"><body><nav>menú</nav><article class="md-content__inner md-typeset">{text}</article></body></html>'
PAGES = [SearchedPage("es/lessons/masks/", "es"), SearchedPage("ru/lessons/masks/", "ru")]
TEXTS = {
    "es": '<h1 id="page-title">Máscaras</h1><p>La atención.</p><h2 id="causal">Máscara causal</h2><p>Nadie mira al futuro.</p>',
    "ru": '<h1 id="page-title">Маски</h1><p>Внимание.</p><h2 id="causal">Причинная маска</h2><p>Никто не смотрит вперёд.</p>',
}


def searched(html: str, language: str = "es") -> str:
    return re.search("<body[^>]*>(.*)</body>", searchable_page(PAGE.format(language=language, text=html), language))[1]


def write_page(site: Path, page: SearchedPage, text: str) -> None:
    file = site / page.url / "index.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(PAGE.format(language=page.language, text=text), encoding="utf-8")


def write_site(site: Path) -> Path:
    for page in PAGES:
        write_page(site, page, TEXTS[page.language])
    return site


def indexed(folder: Path) -> dict[str, dict]:
    """Pagefind's record of each page, by address."""
    records = [json.loads(gzip.decompress(file.read_bytes()).removeprefix(b"pagefind_dcd"))
               for file in (folder / "fragment").iterdir()]
    return {record["url"]: record for record in records}


def contents(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def runs(monkeypatch):
    """A list that grows with each run of Pagefind."""
    found, run = [], search._run_pagefind

    def counted(pages, index):
        found.append(sorted(file.relative_to(pages).as_posix() for file in pages.rglob("*.html")))
        run(pages, index)

    monkeypatch.setattr(search, "_run_pagefind", counted)
    return found


# --- What is searched --------------------------------------------------------------------------------------------------


def test_prose_is_searched_with_its_sections():
    html = ('<h2 id="causal">La <em>máscara</em> causal<a class="headerlink" href="#causal">¶</a></h2>\n<p>Nadie mira &lt;allá&gt;'
            '.<sup id="fnref:a"><a class="footnote-ref" href="#fn:a">1</a></sup></p><details><summary>¿Y si?</summary><p>Nada.</p>'
            "</details>")
    assert searched(html) == ('<h2 id="causal">La máscara causal</h2> <p>Nadie mira &lt;allá&gt;.</p>'
                              "<details><summary>¿Y si?</summary><p>Nada.</p></details>")


@pytest.mark.parametrize("noise", [
    '<div class="highlight lesson-code"><pre><code>oculto</code></pre></div>',
    '<div class="lesson-snippet"><div class="lesson-output"><pre><samp>oculto</samp></pre></div><figure>oculto</figure></div>',
    '<p class="lesson-facts">oculto</p>',
    '<svg><svg><text>oculto</text></svg><text>oculto</text><svg></svg><text>oculto</text></svg>',
    '<a class="md-content__button" href="/">oculto</a>',
    '<div hidden data-pagefind-ignore="all"><p>oculto<br>oculto<img alt="oculto"></p>oculto</div>',
    '<span lang="ru">oculto</span>',
    '<mjx-container display="true" data-tex="oculto"><svg><g/></svg><math>oculto</math></mjx-container>',
    "<script>oculto()</script><style>oculto</style><button>oculto</button>",
])
def test_what_is_no_prose_of_the_page_is_not(noise):
    text = searched(f"<p>antes</p>{noise}<p>después</p>")
    assert "oculto" not in text
    assert re.sub(r"\s+", "", text) == "<p>antes</p><p>después</p>"


@pytest.mark.case(number="C73")
def test_a_formula_in_a_sentence_is_plain_text():
    formula = ('<span class="mjx-keep"><mjx-container class="mjx-whole" data-tex="\\frac{{q}}{\\sqrt{d_k}}&lt;1"><svg><path/></svg>'
               "<mjx-assistive-mml><math><mi>d</mi></math></mjx-assistive-mml></mjx-container>,</span>")
    assert searched(f"<p>entre {formula} y</p>") == "<p>entre q/√d_k &lt; 1, y</p>"


def test_english_terms_are_searched_and_the_other_language_is_not():
    assert searched('<p><span lang="en">mask</span><span lang="ru">маска</span></p>') == "<p>mask </p>"
    row = "<tr><td>máscara</td><td>маска</td><td>mask</td></tr>"
    table = f"<table>{row}</table>"
    assert "маска" not in searched(f'<h2 id="terms">Términos</h2>{table}')
    assert "<td>máscara</td><td>mask</td>" in searched(f'<h2 id="terms">Términos</h2>{table}')
    assert "маска" in searched(f'<h2 id="terms">Términos</h2>{table}<h2 id="more">Más</h2>{table}')


def test_notes_are_a_section_of_their_own():
    notes = ('<h2 id="end">Fin</h2><div class="footnote"><hr><ol><li id="fn:a"><p>Vaswani et al. (2017).'
             '<a class="footnote-backref" href="#fnref:a">↩</a></p></li><li id="fn:b"><p>D2L.</p></li></ol></div>')
    assert searched(notes) == ('<h2 id="end">Fin</h2><div data-pagefind-weight="0.3"> <ol><h2 id="fn:a">Notas</h2><li>'
                               "<p>Vaswani et al. (2017).</p></li><li><p>D2L.</p></li></ol></div>")


@pytest.mark.case(number="C20")
@pytest.mark.case(number="C32")
def test_each_page_is_in_the_index_of_its_language_with_its_sections(tmp_path):
    site = write_site(tmp_path / "site")
    assert write_index(site, PAGES, tmp_path / "store") == []
    entry = json.loads((site / "pagefind" / ENTRY).read_text("utf-8"))
    assert {code: language["page_count"] for code, language in entry["languages"].items()} == {"es": 1, "ru": 1}
    pages = indexed(site / "pagefind")
    assert set(pages) == {"/es/lessons/masks/", "/ru/lessons/masks/"}
    assert pages["/ru/lessons/masks/"]["meta"]["title"] == "Маски"
    assert [anchor["id"] for anchor in pages["/es/lessons/masks/"]["anchors"]] == ["page-title", "causal"]
    assert "menú" not in pages["/es/lessons/masks/"]["content"]
    names = contents(site / "pagefind")
    assert {"pagefind.js", "pagefind-worker.js", "wasm.es.pagefind", "wasm.ru.pagefind"} <= set(names)
    assert not [name for name in names if "ui" in name or "highlight" in name], "only what the course uses"


# --- When the index is made --------------------------------------------------------------------------------------------


def test_made_once_and_again_only_for_another_word(tmp_path, runs):
    site, store = write_site(tmp_path / "site"), tmp_path / "store"
    write_index(site, PAGES, store)
    first = contents(site / "pagefind")
    write_index(site, PAGES, store)
    assert len(runs) == 1

    write_page(site, PAGES[0], TEXTS["es"] + '<div class="lesson-output"><pre>0.665</pre></div>')
    write_index(site, PAGES, store)
    assert len(runs) == 1, "an output is not searched"

    write_page(site, PAGES[0], TEXTS["es"] + "<p>Otra frase.</p>")
    write_index(site, PAGES, store)
    assert len(runs) == 2
    assert "Otra frase." in indexed(site / "pagefind")["/es/lessons/masks/"]["content"]

    write_site(site)
    write_index(site, PAGES, store)
    assert len(runs) == 2, "stored under the words"
    assert contents(site / "pagefind") == first, "and nothing of the other index is left"


def test_equal_pages_give_equal_bytes(tmp_path):
    found = []
    for place in ("a", "b/ñ c"):
        site = write_site(tmp_path / place / "site")
        for _ in range(3):  # Pagefind itself writes the languages in any order
            write_index(site, PAGES if place == "a" else PAGES[::-1], tmp_path / place / "store" / str(len(found)))
            found.append(contents(site / "pagefind"))
    assert all(one == found[0] for one in found)


def test_another_pagefind_makes_another_index(tmp_path, runs, monkeypatch):
    site = write_site(tmp_path / "site")
    write_index(site, PAGES, tmp_path / "store")
    monkeypatch.setattr(search, "_pagefind_version", lambda: "9.9.9")
    write_index(site, PAGES, tmp_path / "store")
    assert len(runs) == 2


def test_the_file_that_names_the_others_is_replaced_last(tmp_path, monkeypatch):
    order, replace = [], os.replace
    monkeypatch.setattr(os, "replace", lambda old, new: (order.append(Path(new).name), replace(old, new)))
    put_files({ENTRY: b"{}", "index/a": b"1", "wasm": b"2"}, tmp_path / "pagefind")
    assert order[-1] == ENTRY
    assert len(order) == 3


# --- If it cannot be made ----------------------------------------------------------------------------------------------


def fake_pagefind(tmp_path: Path, monkeypatch, script: str) -> None:
    program = tmp_path / "pagefind-fake"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PAGEFIND_BINARY_PATH", str(program))


@pytest.mark.parametrize(("script", "said"), [
    ("echo broken >&2; exit 3", r"Pagefind failed \(3\): broken"),
    ("exit 0", r"Pagefind failed \(0\): it said nothing"),
    ("exec sleep 30", r"did not finish in 1 s"),
])
def test_a_failing_pagefind_is_a_problem_with_a_cure(tmp_path, monkeypatch, script, said):
    fake_pagefind(tmp_path, monkeypatch, script)
    monkeypatch.setattr(search, "PATIENCE", 1)
    [problem] = write_index(write_site(tmp_path / "site"), PAGES, tmp_path / "store")
    assert re.search(said, problem.text)
    assert 'pip install --force-reinstall "pagefind[extended]"' in problem.cure


def test_a_missing_pagefind_is_a_problem_with_a_cure(tmp_path, monkeypatch):
    site = write_site(tmp_path / "site")
    monkeypatch.setenv("PAGEFIND_BINARY_PATH", str(tmp_path / "nowhere"))
    [problem] = write_index(site, PAGES, tmp_path / "store")
    assert "cannot be started (No such file or directory)" in problem.text
    monkeypatch.setattr("pagefind.service.get_executable", lambda: None)
    [problem] = write_index(site, PAGES, tmp_path / "store")
    assert problem.text == "The site has no search: Pagefind is not installed"
    assert problem.cure == "Run `pip install -r requirements.txt`"


def test_a_page_that_is_left_out_is_a_problem(tmp_path, monkeypatch):
    fake_pagefind(tmp_path, monkeypatch, f"""while [ "$1" != --output-path ]; do shift; done
mkdir "$2"; echo '{{"languages":{{"es":{{"page_count":1}}}}}}' > "$2/{ENTRY}" """)
    [problem] = write_index(write_site(tmp_path / "site"), PAGES, tmp_path / "store")
    assert "Pagefind read 1 of 2 pages" in problem.text
    assert not contents(tmp_path / "site/pagefind"), "half an index is none"


def test_a_page_without_text_is_no_problem(tmp_path):
    site = write_site(tmp_path / "site")
    (site / PAGES[0].url / "index.html").write_text("<html><body>nada</body></html>", encoding="utf-8")
    assert write_index(site, PAGES, tmp_path / "store") == []
    assert set(indexed(site / "pagefind")) == {"/ru/lessons/masks/"}
    assert write_index(site, PAGES[:1], tmp_path / "store") == []
    assert not contents(site / "pagefind")


def test_the_build_fails_without_search(checkout, tmp_path):
    shutil.rmtree(checkout.root / ".cache/search")  # a stored index would do
    done = checkout.build(PAGEFIND_BINARY_PATH=str(tmp_path / "nowhere"))
    assert done.returncode == 1
    assert "requirements.txt: The site has no search: Pagefind cannot be started" in done.stderr
    assert "[search]" in done.stderr
    done = checkout.build()
    assert done.returncode == 0, done.stderr
    found = indexed(checkout.site / "pagefind")
    assert set(found) == {f"/{code}/lessons/{page}/" for code in ("es", "ru") for page in ("mini", "other")}, "homes are left out"
    assert "import numpy" not in found["/es/lessons/mini/"]["content"]


# --- mkdocs serve ------------------------------------------------------------------------------------------------------


def wait_for_thread(background: BackgroundSearch) -> None:
    thread = background._thread
    if thread:
        thread.join(30)
    assert background._thread is None


def test_in_the_background_one_index_for_many_saves(tmp_path, runs, monkeypatch):
    monkeypatch.setattr(search, "SECONDS_TO_SETTLE", 0.2)
    site, background = write_site(tmp_path / "site"), BackgroundSearch(tmp_path / "store")
    for _ in range(5):
        background.refresh(site, PAGES)
    assert not (site / "pagefind").exists(), "nobody waits for it"
    wait_for_thread(background)
    assert len(runs) == 1
    assert "/es/lessons/masks/" in indexed(site / "pagefind")

    for file in (site / "pagefind").rglob("*.*"):  # as MkDocs empties the folder
        file.unlink()
    write_page(site, PAGES[0], TEXTS["es"] + "<p>Otra frase.</p>")
    background.refresh(site, PAGES)
    assert "Otra frase." not in indexed(site / "pagefind")["/es/lessons/masks/"]["content"], "the last index, at once"
    wait_for_thread(background)
    assert "Otra frase." in indexed(site / "pagefind")["/es/lessons/masks/"]["content"]
    background.refresh(site, PAGES)
    wait_for_thread(background)
    assert len(runs) == 2, "nothing changed"


def test_in_the_background_a_fault_is_told_once_and_heals(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(search, "SECONDS_TO_SETTLE", 0.01)
    site, background = write_site(tmp_path / "site"), BackgroundSearch(tmp_path / "store")
    with monkeypatch.context() as broken:
        broken.setenv("PAGEFIND_BINARY_PATH", str(tmp_path / "nowhere"))
        for _ in range(3):
            background.refresh(site, PAGES)
            wait_for_thread(background)
    assert len(caplog.records) == 1
    assert "Pagefind cannot be started" in caplog.text
    background.refresh(site, PAGES)
    wait_for_thread(background)
    assert "/ru/lessons/masks/" in indexed(site / "pagefind")


def test_in_the_background_a_site_being_written_is_left_alone(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(search, "SECONDS_TO_SETTLE", 0.01)
    background = BackgroundSearch(tmp_path / "store")
    background.refresh(tmp_path / "not-yet", PAGES)
    wait_for_thread(background)
    assert not caplog.records


def test_a_saved_word_is_found_in_the_preview(checkout):
    server = Server(checkout)
    try:
        first = server.wait_for(f"pagefind/{ENTRY}", lambda text: text.startswith("{"))
        checkout.edit("docs/es/lessons/other.md", "/// snippet | count\n///", "/// snippet | count\n///\n\nUna frase nueva.")
        server.wait_for("es/lessons/other/", lambda page: "Una frase nueva." in page)
        entry = server.wait_for(f"pagefind/{ENTRY}", lambda text: text.startswith("{") and text != first)
        before, after = json.loads(first)["languages"], json.loads(entry)["languages"]
        assert before["es"]["hash"] != after["es"]["hash"]
        assert before["ru"]["hash"] == after["ru"]["hash"]
        assert server.builds(2) == 2, "writing the index is no edit"
    finally:
        server.close()


def test_the_preview_goes_on_without_search(checkout, monkeypatch, tmp_path):
    monkeypatch.setenv("PAGEFIND_BINARY_PATH", str(tmp_path / "nowhere"))
    shutil.rmtree(checkout.root / ".cache/search")  # a stored index would do
    server = Server(checkout)
    try:
        server.wait_for("es/lessons/other/", lambda page: page and "Search in this preview is not up to date" in server.said())
        checkout.edit("docs/es/lessons/other.md", "/// snippet | count\n///", "/// snippet | count\n///\n\nUna frase nueva.")
        server.wait_for("es/lessons/other/", lambda page: "Una frase nueva." in page)
    finally:
        server.close()
