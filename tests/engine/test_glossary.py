"""The glossary: its file, how terms are found in both languages, what becomes of a page."""

from __future__ import annotations

import re

import markdown
import pytest

from lessonkit.builder import Builder
from lessonkit.course import Course, read_sources
from lessonkit.glossary import parse_glossary, read_glossary
from lessonkit.glossary_markup import introductions, sort_key
from lessonkit.markup import LessonExtension
from lessonkit.page_store import PageStore
from lessonkit.pages import TOKEN_START, parse_page
from lessonkit.parity import check_parity
from lessonkit.project import PageName, Project
from lessonkit.terms import Finder
from tests.conftest import ROOT

HEADER = ["id", "en", "es", "es_alt", "ru", "ru_alt", "def_es", "def_ru", "find_es", "find_ru", "usage", "avoid_es", "avoid_ru"]
ROWS = {
    "key": {"en": "key", "es": "clave", "ru": "ключ", "find_es": "clave $; consulta y [clave]", "find_ru": "ключ k; запрос и [ключ]"},
    "weight": {"en": "attention weight", "es": "peso de atención", "ru": "вес внимания", "find_es": "*", "find_ru": "*"},
    "matrix": {"en": "matrix", "es": "matriz", "ru": "матрица", "find_es": "*", "find_ru": "*"},
    "attention-matrix": {"en": "attention matrix", "es": "matriz de atención", "ru": "матрица внимания", "find_es": "*", "find_ru": "*"},
    "mask": {"en": "mask", "es": "máscara", "ru": "маска", "find_es": "*; -máscara de gas", "find_ru": "*; -маска льва"},
    "transformer": {"en": "transformer", "es": "transformer", "ru": "трансформер", "find_es": "*", "find_ru": "*"},
    "rope": {"en": "RoPE", "es": "RoPE", "ru": "RoPE", "find_es": "*", "find_ru": "*"},
    "nu": {"en": "nu", "es": "ñandú", "ru": "ёлка", "find_es": "", "find_ru": ""},
}


def tsv(**changes) -> str:
    """The file with these rows; `changes`: cells of a row by its id, with hyphens for underscores."""
    lines = ["\t".join(HEADER)]
    for term_id, cells in ROWS.items():
        cells = {"id": term_id, "def_es": f"Qué es {term_id}.", "def_ru": f"Что такое {term_id}.", **cells}
        cells |= changes.get(term_id.replace("-", "_"), {})
        lines.append("\t".join(cells.get(column, "") for column in HEADER))
    return "\n".join(lines) + "\n"


# -- the file ------------------------------------------------------------------------------------------------------


def test_a_good_file_has_all_terms_and_no_problem():
    glossary = parse_glossary(tsv())
    assert glossary.problems == ()
    assert [term.id for term in glossary.terms] == list(ROWS)
    assert glossary.terms[1].entries["ru"].phrases == ("вес внимания",)


@pytest.mark.parametrize(("text", "said"), [
    (tsv(mask={"def_ru": ""}), "docs/glossary.tsv:6: “def_ru” is empty"),
    (tsv(mask={"def_ru": "без точки"}), "docs/glossary.tsv:6: “def_ru” is no sentence"),
    (tsv(mask={"def_es": 'Dice "no".'}), "docs/glossary.tsv:6: There is a straight quote in “def_es”"),
    (tsv(mask={"es": "clave"}), "docs/glossary.tsv:6: “clave” in “es” is taken by line 2"),
    (tsv(mask={"find_es": "consulta y [clave]"}), "docs/glossary.tsv:6: “consulta y [clave]” in “find_es” is taken by line 2"),
    (tsv(mask={"id": "key"}), "docs/glossary.tsv:6: “key” in “id” is taken by line 2"),
    (tsv(mask={"id": "La máscara"}), "docs/glossary.tsv:6: “La máscara” is no id"),
    (tsv(mask={"find_es": "[máscara"}), "docs/glossary.tsv:6: “[máscara” in “find_es” cannot be read"),
    (tsv(mask={"es": " máscara"}), "docs/glossary.tsv:6: “es” begins or ends with a space"),
    (tsv().replace("\tmáscara", "\t\tmáscara"), "docs/glossary.tsv:6: This row has 14 cells, the header 13"),
    (tsv().replace("def_ru", "defru", 1), "docs/glossary.tsv:1: There is no column “def_ru”"),
    (tsv().replace("def_ru", "defru", 1), "There is no use for a column “defru” [glossary]\n    Did you mean def_ru?"),
])  # fmt: skip
def test_what_is_wrong_with_the_file_is_told_with_its_line(text, said):
    problems = [str(problem) for problem in parse_glossary(text).problems]
    assert any(said in problem for problem in problems), problems


def test_the_courses_own_glossary():
    glossary = read_glossary(Project(ROOT))
    assert glossary.problems == ()
    for term in glossary.terms:
        for entry in term.entries.values():
            finder = Finder(next(code for code, e in term.entries.items() if e is entry), [(term.id, term.english, entry)])
            assert finder.named(entry.name) == term.id
            for phrase in entry.phrases:  # each phrase finds its own term
                bare = re.sub(r"^-|[\[\]]", "", phrase).replace("$", f"{TOKEN_START}f1")
                assert (not finder.uses(bare)) == phrase.startswith("-"), phrase


# -- finding -------------------------------------------------------------------------------------------------------


def found(language: str, text: str) -> list[str]:
    """Each use in `text` as `id:what is marked`."""
    uses = Finder(language, parse_glossary(tsv()).shown(language)).uses(text)
    return [f"{use.id}:{text[use.start : use.end]}" for use in uses]


@pytest.mark.parametrize(("language", "text", "uses"), [
    ("es", "los pesos de atención y las matrices", ["weight:pesos de atención", "matrix:matrices"]),
    ("es", "la matriz de\natención", ["attention-matrix:matriz de\natención"]),  # the longest phrase, over a line's end
    ("es", "el peso de la fruta, la clave del enigma, en clave de sol", []),  # everyday senses
    ("es", "comparar consultas y claves", ["key:claves"]),
    ("es", f"la clave {TOKEN_START}f3\ue001", ["key:clave"]),
    ("es", "se transforma, transformó, un transformador", []),  # a stemmer would see a transformer
    ("es", "los transformers", ["transformer:transformers"]),
    ("es", "la biblioteca Transformers de la casa", []),  # a name
    ("es", "Ayer. Transformers hay muchos", ["transformer:Transformers"]),
    ("es", "RoPE", ["rope:RoPE"]),
    ("es", "una máscara de gas y una máscara", ["mask:máscara"]),
    ("es", "la super-máscara, enmascarado", []),
    ("ru", "строка весов внимания, масок нет", ["weight:весов внимания", "mask:масок"]),
    ("ru", "матрицами внимания и матрицей", ["attention-matrix:матрицами внимания", "matrix:матрицей"]),
    ("ru", "открыл дверь ключом, бил холодный ключ", []),
    ("ru", "у запросов и ключей, у ключа k", ["key:ключей", "key:ключа k"]),
    ("ru", "вес груза, обратите внимание, маскарад, весь", []),
    ("ru", "маска льва; маске", ["mask:маске"]),
    ("ru", "трансформером и трансформация", ["transformer:трансформером"]),
])  # fmt: skip
def test_terms_are_found_in_every_form_and_nothing_else(language, text, uses):
    assert found(language, text) == uses


@pytest.mark.parametrize(("language", "text", "named"), [
    ("es", "claves", "key"), ("es", "clave de sol", None), ("ru", "ключом", "key"), ("ru", "Ёлки", "nu"), ("ru", "", None),
])  # fmt: skip
def test_what_is_bold_as_a_whole_is_named(language, text, named):
    assert Finder(language, parse_glossary(tsv()).shown(language)).named(text) == named


# -- pages ---------------------------------------------------------------------------------------------------------

META = "---\ntitle: Una\ndescription: Dos.\nminutes: 3\nneeds: []\n---\n"
GLOSSARY = "---\ntitle: G\ndescription: D.\n---\n\n/// glossary\n///\n"


@pytest.fixture
def course(project):
    """`course(es lesson, …)` → the course with these pages below docs/."""
    project.write("docs/glossary.tsv", tsv())
    for code in ("es", "ru"):
        project.write(f"docs/{code}/glossary.md", GLOSSARY)

    def make(es: str = "", ru: str = "", **pages) -> Course:
        for path, body in {"es/lessons/a.md": es, "ru/lessons/a.md": ru, **pages}.items():
            project.write(f"docs/{path}", META + body)
        with Builder(project.project) as builder:
            return builder.build()

    make.project = project
    return make


def render(course: Course, name: str = "es/lessons/a.md") -> str:
    page = course.sources.pages[PageName.of(name)]
    extension = LessonExtension()
    converter = markdown.Markdown(extensions=[
        "admonition", "attr_list", "footnotes", "tables", "toc", "pymdownx.details", "pymdownx.superfences", extension,
    ])
    with extension.converting(page, course):
        return converter.convert(page.markdown)


def marks(content: str) -> list[str]:
    """What is marked on a page, in order: `id:text`."""
    return [
        f"{match[1]}:{match[2]}"
        for match in re.finditer(r'<a [^>]*aria-describedby="term-([\w-]+)"[^>]*>([^<]*)</a>', content)
    ]


def test_the_first_use_of_a_term_is_a_link_with_its_definition(course):
    html = render(course("Una máscara y otra máscara; la matriz.\n"))
    assert marks(html) == ["mask:máscara", "matrix:matriz"]
    assert '<a aria-describedby="term-mask" class="term" href="../glossary.md#mask">máscara</a> y otra máscara' in html
    assert re.search(r'<p [^>]*id="term-mask"[^>]*>Qué es mask\.</p>', html)
    assert re.search(r'<div class="term-definitions" [^>]*hidden=""', html)


@pytest.mark.parametrize("text", [
    "## La máscara {#x}", "`máscara`", "```\nmáscara\n```", "    máscara", "[una máscara](a.md)", "> una máscara", "$máscara$",
    "![máscara](../glossary.md)", "| máscara |\n|---|\n| máscara |", '??? question "máscara"\n    máscara', '!!! note "máscara"\n    nada',
    "nota[^1]\n\n[^1]: máscara", "<!-- máscara -->", "**La máscara no borra nada.**",
])  # fmt: skip
def test_no_term_is_marked_outside_running_text(course, text):
    assert marks(render(course(f"{text}\n\nAquí, *máscara*.\n"))) == ["mask:máscara"]
    html = render(course(f"{text}\n\nAquí, *máscara*.\n"))
    assert re.search(r'<em><a [^>]*term-mask', html)


def test_an_ambiguous_term_is_marked_where_it_is_introduced(course):
    html = render(course("La clave del enigma: su **clave** y otra **clave**, **clave de sol**.\n"))
    assert marks(html) == ["key:clave"]
    assert "su <strong><a" in html


def test_text_around_terms_stays_in_order(course):
    html = render(course("Ante *la* matriz **gran** matriz, peso de atención y *de* máscara, RoPE.\n"))
    plain = re.sub("<[^>]*>", "", html.split("<div")[0]).strip()
    assert plain == "Ante la matriz gran matriz, peso de atención y de máscara, RoPE."


def test_a_link_to_the_glossary_is_a_term_and_the_only_one(course):
    html = render(course("Una clave, la [clave](../glossary.md#key) y **clave**; [ver](../glossary.md).\n"))
    assert marks(html) == ["key:clave"]
    assert "Una clave, la <a" in html


def test_opting_out(course):
    made = course()
    course.project.write("docs/es/lessons/a.md", META.replace("needs: []", "needs: []\nnot_terms: [mask]") + "máscara y matriz\n")
    assert marks(render(Builder(course.project.project).build())) == ["matrix:matriz"]
    pages = read_sources(course.project.project).pages
    assert not [p for p in check_parity(pages, {}, {}) if "not_terms" in p.text], "each language has its own"
    assert made.problems == []


def test_unknown_terms_are_told(course):
    made = course("[x](../glossary.md#mazk)\n", ru="Текст.\n")
    assert [str(problem) for problem in made.problems] == [
        "docs/es/lessons/a.md:7: The link ../glossary.md#mazk leads to #mazk, but docs/es/glossary.md has no such id [link]\n"
        "    Did you mean mask?"
    ]
    course.project.write("docs/es/lessons/a.md", META.replace("needs: []", "needs: []\nnot_terms: [maks]"))
    said = [str(problem) for problem in Builder(course.project.project).build().problems]
    assert said == ["docs/es/lessons/a.md:6: The glossary has no term “maks” [front-matter]\n    Did you mean mask?"]


def test_links_to_terms_may_differ_between_the_languages(course):
    pages = course("[clave](../glossary.md#key)\n", ru="Текст.\n").sources.pages
    assert check_parity(pages, {}, {}) == []


@pytest.mark.parametrize(("path", "text", "said"), [
    ("lessons/a.md", "/// glossary\n///\n", "The block /// glossary stands on the page glossary.md only"),
    ("glossary.md", "/// glossary | a\n///\n", "The block /// glossary has no name, no options and no text"),
    ("glossary.md", "/// glossary\ntexto\n///\n", "The block /// glossary has no name, no options and no text"),
    ("glossary.md", "/// glossary\n///\n\n/// glossary\n///\n", "The block /// glossary stands at line 7 already"),
    ("glossary.md", "/// glosary\n///\n", "There is no directive “glosary”"),
    ("glossary.md", "/// glossary\n", "This glossary block is not closed"),
])  # fmt: skip
def test_the_readers_messages(path, text, said):
    page = parse_page(PageName("es", path), META + text)
    assert [problem.text for problem in page.problems] == [said]


def test_no_file_no_page(course):
    course()
    course.project.write("docs/es/glossary.md", META)
    said = [str(problem) for problem in Builder(course.project.project).build().problems]
    assert any("docs/es/glossary.md:7: This page does not show the terms [glossary]" in one for one in said)
    (course.project.root / "docs/glossary.tsv").unlink()
    made = Builder(course.project.project).build()
    assert any("There is no docs/glossary.tsv with the terms to show" in str(problem) for problem in made.problems)
    assert marks(render(made)) == []


def test_the_page_lists_every_term_in_its_languages_order(course):
    made = course("Una máscara.\n", ru="Маска.\n")
    es, ru = render(made, "es/glossary.md"), render(made, "ru/glossary.md")
    assert re.findall(r'<h3 class="glossary-term" id="([\w-]+)"', es) == [
        "key", "mask", "matrix", "attention-matrix", "nu", "weight", "rope", "transformer",
    ]  # fmt: skip
    assert re.findall(r'<h2 [^>]*id="letter-([^"]+)"', es) == ["c", "m", "ñ", "p", "r", "t"]
    assert re.findall(r'<h3 class="glossary-term" id="([\w-]+)"', ru) == [
        "weight", "nu", "key", "mask", "matrix", "attention-matrix", "transformer", "rope",
    ]  # fmt: skip
    assert re.findall(r'<h2 [^>]*id="letter-([^"]+)"', ru) == ["в", "е", "к", "м", "т", "a–z"]
    assert '<span lang="ru">маска</span><span lang="en">mask</span>' in es
    assert '<a href="lessons/a.md">Una</a>' in es
    assert marks(es) == []


@pytest.mark.parametrize("names", [
    ["árbol", "bana", "banz", "baño", "bar", "nz", "ñandú", "Oso"], ["ёлка", "ель", "ёрш", "ива", "ия", "йод", "кеш", "RoPE", "softmax"],
])  # fmt: skip
def test_names_stand_as_in_a_dictionary(names):
    assert sorted(set(names), key=sort_key) == names


def test_a_term_leads_to_the_lesson_that_lists_it(course):
    listed = "Una máscara.\n\n## Aquí {#here}\n\nOtra **clave**, máscara.\n\n## Términos {#terms}\n\n| español |\n|---|\n| máscara |\n"
    made = course("La máscara.\n", **{"es/lessons/b.md": listed})
    course.project.write("mkdocs.yml", "nav:\n  - es/lessons/a.md\n  - es/lessons/b.md\n")
    assert introductions(made, "es") == {"mask": ("lessons/b.md", "Una"), "key": ("lessons/b.md#here", "Una")}


def test_stored_pages_follow_the_glossary(course, tmp_path):
    store, names = PageStore(tmp_path / "store"), ["es/lessons/a.md", "ru/lessons/a.md", "es/glossary.md", "ru/glossary.md"]

    def keys(**changes):
        course.project.write("docs/glossary.tsv", tsv(**changes))
        made = course("Una máscara.\n", ru="Маска.\n")
        return [store.key(made.sources.pages[PageName.of(name)], made, ["config"]) for name in names]

    first = keys()
    assert None not in first
    assert [a == b for a, b in zip(first, keys(mask={"def_es": "Otra cosa."}), strict=True)] == [False, True, False, False]
    assert keys(mask={"usage": "nada", "avoid_es": "careta"}) == first
    course.project.write("docs/es/lessons/z.md", META + "La matriz.\n")
    course.project.write("docs/ru/lessons/z.md", META + "Матрица.\n")
    later = keys()
    assert [a == b for a, b in zip(first, later, strict=True)] == [True, True, False, False], "a lesson may introduce a term"
