"""The prose lints: each rule in its language, what they must not see, and comments that allow something."""

from __future__ import annotations

import pytest

from lessonkit.lints import CODES, YO_WORDS, check_prose, yo_form
from lessonkit.pages import parse_page
from lessonkit.project import PageName

AVOIDED = {
    "es": {"llave": "clave", "incrustación": "embedding", "ficha": "token"},
    "ru": {"трансформатор": "трансформер", "точечное произведение": "скалярное произведение", "головка": "голова"},
}


def found(language: str, body: str, title: str = "Título") -> list[tuple[int, str]]:
    page = parse_page(PageName(language, "x.md"), f"---\ntitle: {title}\ndescription: D\n---\n\n{body}\n")
    assert not page.problems, page.problems
    return [(problem.line, problem.rule) for problem in check_prose(page, AVOIDED[language])]


@pytest.mark.parametrize(
    ("language", "text", "rule"),
    [
        ("es", "Un 60% del peso.", "lint-percent"),
        ("ru", "Это 60 % веса.", "lint-percent"),
        ("es", "Pesa 0,60 en total.", "lint-decimal"),
        ("ru", "Весит 0.60 всего.", "lint-decimal"),
        ("es", 'La palabra "banco" pesa.', "lint-quotes"),
        ("ru", "Слово “ключ” весит.", "lint-quotes"),
        ("es", "El peso - casi todo - cae ahí.", "lint-dash"),
        ("es", "El peso — casi todo — cae ahí.", "lint-dash"),
        ("ru", "Ключ - это вектор.", "lint-dash"),
        ("ru", "Ключ — это вектор.", "lint-dash"),
        ("ru", "Ключ—это вектор.", "lint-dash"),
        ("ru", "В 2014-2017 годах.", "lint-range"),
        ("es", "Varias llaves y una consulta.", "lint-term"),
        ("es", "Las incrustaciones se suman.", "lint-term"),
        ("ru", "Работу трансформаторов объясняют.", "lint-term"),
        ("ru", "Считаем точечные произведения.", "lint-term"),
        ("ru", "Еще один вес.", "lint-yo"),
        ("ru", "Остается трех ключей.", "lint-yo"),
    ],
)
def test_each_rule_is_told_at_its_line(language, text, rule) -> None:
    problems = found(language, f"## A {{#a}}\n\n{text}")
    assert (8, rule) in problems
    assert {code for _, code in problems} == {rule}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Un 60\u00a0% y un 7\u202f% — no: —así—, «dicho “así”», de 2014 a 2017, 0.83–0.90; §3.2.1, PyTorch 2.13."),
        ("ru", "Ключ\u00a0— это 0,60 и 60\u00a0%; «слово „ключ“», 2014–2017; §3.2.1, PyTorch 2.13, версия 4.1.3."),
        ("es", "Código: `a - b`, `\"x\"`, `60%`, `llave`; fórmula $a - b = 0{,}5$ y [enlace](https://x.org/a-b?c=\"1,5\")."),
        ("ru", "Код: `a - b`, `еще 0.5`; формула $0.5 - 1$."),
        ("es", "```python\nprint(\"60%\", 0,5)  # llave - clave\n```"),
        ("es", '??? question "¿Cuánto pesa?"\n    Nada.'),
        ("es", '!!! note "Llamada"\n    Texto.'),
        ("es", "| a | b |\n|---|:-:|\n| GPT-2 | x-y |"),
        ("ru", "По-прежнему что-нибудь из-за GPT-2; более, далее, примет, все, чернила, тензор."),
        ("es", "- uno\n- dos\n\n1. tres"),
    ],
)
def test_what_is_right_or_is_no_prose_is_left_alone(language, text) -> None:
    assert found(language, text.replace(" — no", ".")) == []


def test_title_alt_texts_and_bound_numbers_are_prose_too() -> None:
    body = "## A {#a}\n\n[60 %]{w= a[0]}\n\n/// snippet | w\nUna llave.\n///"
    assert found("es", body, title='"Un \\"peso\\""') == [(2, "lint-quotes"), (8, "lint-percent"), (11, "lint-term")]


def test_words_in_figures_are_read_like_prose_at_the_block_that_shows_them() -> None:
    page = parse_page(PageName("ru", "x.md"), "---\ntitle: T\ndescription: D\n---\n\n/// snippet | w\nА.\n///\n\n"
                      "<!-- allow lint-decimal: так печатает библиотека -->\n\n/// snippet | v\nБ.\n///\n")
    assert not page.problems
    texts = ["ключ 1: 0.47", "ключ 2: 0.12", "Еще", "40 % — мало"]
    problems = check_prose(page, AVOIDED["ru"], {6: texts, 12: texts})
    assert [(problem.line, problem.rule, problem.text) for problem in problems] == [
        (6, "lint-decimal", "In a figure: “0.47” has a point"),
        (6, "lint-yo", "In a figure: “Еще” is written with ё"),
        (12, "lint-yo", "In a figure: “Еще” is written with ё"),
    ]


def test_a_comment_with_a_reason_allows_in_its_paragraph_or_the_next_one() -> None:
    inline = "La «llave» rusa. <!-- allow lint-term: glosa el ruso «ключ» -->"
    assert found("es", inline) == []
    above = "<!-- allow lint-term: glosa el ruso «ключ» -->\n\nLa «llave»\nrusa, otra llave.\n\nY una llave."
    assert found("es", above) == [(11, "lint-term")]
    block = "<!-- allow lint-term: glosa el ruso «ключ» -->\n\n/// snippet | w\nUna llave.\n///"
    assert found("es", block) == []


def test_a_comment_without_reason_with_a_wrong_name_or_without_need_is_a_problem() -> None:
    assert found("es", "Una llave. <!-- allow lint-term -->") == [(6, "lint-allow"), (6, "lint-term")]
    assert found("es", "Nada. <!-- allow lint-foo: porque sí -->") == [(6, "lint-allow")]
    assert found("es", "Nada. <!-- allow lint-term: porque sí señor -->") == [(6, "lint-allow")]


def test_a_comment_in_a_code_block_is_an_example() -> None:
    assert found("es", "```html\n<!-- allow lint-term -->\n```\n\nUna llave.") == [(10, "lint-term")]


def test_front_matter_allows_in_a_yaml_comment() -> None:
    page = parse_page(PageName("es", "x.md"), "---\n# allow lint-term: es una ficha de papel\ntitle: Ficha\ndescription: D\n---\n\nHola.\n")
    assert check_prose(page, AVOIDED["es"]) == []


def test_words_with_yo_keep_their_capital() -> None:
    assert yo_form("Еще") == "Ещё"
    assert yo_form("ещё") is None
    assert yo_form("все") is None
    assert all("ё" in line for line in YO_WORDS.read_text(encoding="utf-8").split("\n") if line and not line.startswith("#"))


def test_every_code_is_a_lint() -> None:
    assert all(code.startswith("lint-") for code in CODES)
