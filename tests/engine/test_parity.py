"""Parity: what must be equal in all languages, each rule on a pair of tiny pages or programs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lessonkit import parity
from lessonkit.languages import LANGUAGES
from lessonkit.pages import parse_page
from lessonkit.parity import check_parity, formula_key
from lessonkit.project import PageName, ProgramName
from lessonkit.snippets import parse_snippet

FILE = "lessons/masks.md"


def page(language, text, file=FILE):
    return parse_page(PageName(language, file), text)


def program(language, text, name="causal"):
    return parse_snippet(ProgramName(language, "masks", name), text)


def check(*sources, goldens=None):
    """The problems of pages, programs and golden files, as text without cures."""
    pages = {source.name: source for source in sources if isinstance(source.name, PageName)}
    snippets = {source.name: source for source in sources if isinstance(source.name, ProgramName)}
    problems = check_parity(pages, snippets, goldens or {})
    assert all(problem.cure for problem in problems)
    return [str(problem).removesuffix("\n    " + problem.cure) for problem in problems]


def pages(spanish, russian):
    return check(page("es", spanish), page("ru", russian))


def programs(spanish, russian):
    return check(program("es", spanish), program("ru", russian))


def outputs(spanish, russian, *, options=""):
    text = f"# %% a{options}\nx = 1\n# %% b\nx = 2\n"
    goldens = {ProgramName("es", "masks", "causal"): spanish, ProgramName("ru", "masks", "causal"): russian}
    return check(program("es", text), program("ru", text), goldens=goldens)


ES, RU = "docs/es/lessons/masks.md", "docs/ru/lessons/masks.md"
PY_ES, PY_RU = "snippets/es/masks/causal.py", "snippets/ru/masks/causal.py"
OUT_ES, OUT_RU = "snippets/es/masks/causal.out", "snippets/ru/masks/causal.out"


# -- pages


def test_two_pages_that_teach_the_same():
    spanish = r"""---
title: Máscaras
description: Qué se oculta.
minutes: 20
needs: [softmax]
---

Un peso de [60 %]{a= w["banco"]} ([0.89]{=cited}) y $x=\val{0.60}{a= w[0]}\text{ si llueve}$.

## Máscaras {#masks}

/// snippet | a
    show: output
Mapa: [0.6]{= w[0]}.
///

[La lección](softmax.md#shift), [otra](../concepts/query.md), [fuera](https://es.wikipedia.org).

### Aparte

$$[0.5;3]+20\,480$$
"""
    russian = r"""---
title: Маски
description: Что скрыто.
minutes: 25
needs: [softmax]
---

Вес [0,6004]{a= w['ключ']} ([0,89]{=cited}) и $x = \val{0{,}60}{a=w[0]}\text{, если дождь}$.

## Маски {#masks}

/// snippet | a
    show: output
Карта: [0,600]{= w[0]}.
///

[Урок](../lessons/softmax.md#shift), [ещё](../concepts/query.md), [вики](https://ru.wikipedia.org/wiki), [a](http://b.c).

### Отступление

$$
[0{,}5;\;3] + 20480.
$$
"""
    assert pages(spanish, russian) == []


def test_a_missing_page_is_one_problem():
    text = "## A {#a}\n\n/// snippet | causal\n///\n"
    found = check(
        page("es", text), page("ru", text, "index.md"), program("es", "x = 1\n"), page("es", text, "index.md")
    )
    assert found == [f"{RU}: This page is missing; its counterpart is {ES} [page-missing]"]
    found = check(page("ru", text), page("es", text, "index.md"), page("ru", text, "index.md"))
    assert found == [f"{ES}: This page is missing; its counterpart is {RU} [page-missing]"]


def test_pages_that_could_not_be_read_are_not_compared():
    unreadable = replace(page("ru", ""), text="")
    assert check(page("es", "## A {#a}\n"), unreadable) == []


def test_a_missing_section():
    assert pages("## A {#a}\n\n## B {#b}\n\n## C {#c}\n", "## A {#a}\n\n## C {#c}\n") == [
        f"{RU}:1: The section {{#b}} is missing; it stands at {ES}:3 [parity-section]"
    ]
    assert pages("## A {#a}\n\n## C {#c}\n", "## A {#a}\n\n## B {#b}\n\n## C {#c}\n") == [
        f"{ES}:1: The section {{#b}} is missing; it stands at {RU}:3 [parity-section]"
    ]
    assert pages("## A {#a}\n\n## B {#b}\n\n### C {#c}\n\n### D\n\n## E {#e}\n", "## A {#a}\n\n## E {#e}\n") == [
        f"{RU}:1: The section {{#b}} is missing, with 2 more after it; it stands at {ES}:3 [parity-section]"
    ]


def test_a_program_of_a_missing_page_is_not_told():
    found = check(page("ru", "$x$"), page("es", "", "index.md"), page("ru", "", "index.md"), program("es", "x = 1\n"))
    assert found == [f"{ES}: This page is missing; its counterpart is {RU} [page-missing]"]


def test_what_stands_in_a_missing_section_is_not_told_again():
    assert pages("## A {#a}\n\n$x$\n\n## B {#b}\n\n$y$, [1]{a= b}\n", "## A {#a}\n\n$x$\n") == [
        f"{RU}:1: The section {{#b}} is missing; it stands at {ES}:5 [parity-section]"
    ]


def test_a_renamed_section_is_compared():
    assert pages("## A {#a}\n\n$x$\n", "## A {#aa}\n\n$y$\n") == [
        f"{RU}:1: The section is {{#aa}} here and {{#a}} at {ES}:1 [parity-section]",
        f"{RU}:3: The formula is $y$ here and $x$ at {ES}:3 [parity-formula]",
    ]


def test_moved_sections_are_compared():
    assert pages("## A {#a}\n\n## B {#b}\n\n$x$\n", "## B {#b}\n\n$y$\n\n## A {#a}\n") in (
        [
            f"{RU}:1: The section {{#b}} stands in another order than at {ES}:3 [parity-section]",
            f"{RU}:3: The formula is $y$ here and $x$ at {ES}:5 [parity-formula]",
        ],
        [
            f"{RU}:3: The formula is $y$ here and $x$ at {ES}:5 [parity-formula]",
            f"{RU}:5: The section {{#a}} stands in another order than at {ES}:1 [parity-section]",
        ],
    )


def test_levels_of_sections():
    assert pages("## A {#a}\n\n### B {#b}\n", "## A {#a}\n\n## B {#b}\n") == [
        f"{RU}:3: The section {{#b}} has level 2 here and has level 3 at {ES}:3 [parity-section]"
    ]
    assert pages("## A {#a}\n\n### Aparte\n", "## A {#a}\n\n#### Отступление\n") == [
        f"{RU}:3: The section is “Отступление” here and “Aparte” at {ES}:3 [parity-section]",
        f"{RU}:3: The section “Отступление” has level 4 here and has level 3 at {ES}:3 [parity-section]",
    ]


def test_native_in_one_language_only():
    assert pages("## A {#a .native}\n\n$x$\n", "## A {#a}\n\n$y$\n") == [
        f"{RU}:1: The section {{#a}} is not marked .native here and is marked .native at {ES}:1 [parity-section]"
    ]

    assert pages("## A {#a}\n\n$x$\n", "## A {#a .native}\n\n$y$\n") == [
        f"{RU}:1: The section {{#a}} is marked .native here and is not marked .native at {ES}:1 [parity-section]"
    ]


def test_native_sections_keep_blocks_links_and_subsections():
    spanish = "## A {#a .native}\n\n$x$ [1]{a= b}\n\n/// snippet | a\nUno, [1]{= c}.\n///\n\n"
    spanish += "### B {#b}\n\n$y$\n\n## C {#c}\n\n$z$\n"
    russian = spanish.replace("$x$ [1]{a= b}", "$u$").replace("[1]{= c}", "[2]{= d}").replace("$y$", "")
    assert pages(spanish, russian) == []
    assert pages(spanish, russian.replace("$z$", "$u$")) == [
        f"{RU}:15: The formula is $u$ here and $z$ at {ES}:15 [parity-formula]"
    ]
    assert pages(spanish, russian.replace("snippet | a", "snippet | b").replace("{#b}", "{#bb}")) == [
        f"{RU}:5: The block is “snippet | b” here and “snippet | a” at {ES}:5 [parity-directive]",
        f"{RU}:9: The section is {{#bb}} here and {{#b}} at {ES}:9 [parity-section]",
    ]
    assert pages(spanish + "[a](a.md)\n", russian + "[a](b.md)\n")[0].endswith("[parity-link]")
    native_link = spanish.replace("$y$", "[a](a.md)")
    assert pages(native_link, russian) == [f"{RU}:9: The link a.md is missing; it stands at {ES}:11 [parity-link]"]


BLOCK = "/// snippet | {}\n{}///\n\n"


def blocks(*names, body=""):
    return "".join(BLOCK.format(name, body) for name in names)


@pytest.mark.case(number="C29")
def test_directives():
    assert pages(blocks("a", "b", "c"), blocks("a", "c")) == [
        f"{RU}:1: The block “snippet | b” is missing; it stands at {ES}:4 [parity-directive]"
    ]
    assert pages(blocks("a", "c"), blocks("a", "b", "x", "c")) == [
        f"{ES}:1: The block “snippet | b” is missing, with 1 more after it; it stands at {RU}:4 [parity-directive]"
    ]
    assert pages(blocks("a", "b:x", "c"), blocks("a", "b:y", "c")) == [
        f"{RU}:4: The block is “snippet | b:y” here and “snippet | b:x” at {ES}:4 [parity-directive]"
    ]
    assert pages(blocks("masks/a"), blocks("a")) == []
    assert pages(blocks("other/a"), blocks("a")) != []


def test_two_separate_gaps_are_two_problems():
    assert pages(blocks("a", "b", "c", "d"), blocks("a", "c")) == [
        f"{RU}:1: The block “snippet | b” is missing; it stands at {ES}:4 [parity-directive]",
        f"{RU}:4: The block “snippet | d” is missing; it stands at {ES}:10 [parity-directive]",
    ]


@pytest.mark.case(number="C29")
def test_a_moved_directive_is_one_problem():
    found = pages(blocks("a", "b", "c", "d"), blocks("b", "c", "d", "a"))
    assert found == [f"{RU}:10: The block “snippet | a” stands in another order than at {ES}:1 [parity-directive]"]


def test_a_moved_directive_in_whose_place_another_stands():
    assert pages(blocks("a", "b", "c"), blocks("x", "b", "c", "a")) == [
        f"{ES}:1: The block “snippet | x” is missing; it stands at {RU}:1 [parity-directive]",
        f"{RU}:10: The block “snippet | a” stands in another order than at {ES}:1 [parity-directive]",
    ]


def test_options_of_directives():
    assert pages(blocks("a", body="    show: code\n"), blocks("a")) == [
        f"{RU}:1: The block “snippet | a” shows both here and shows code at {ES}:1 [parity-directive]"
    ]
    assert pages(blocks("a", body="Uno.\n\nDos.\n"), blocks("a", body="Один.\n")) == [
        f"{RU}:1: The block “snippet | a” has 1 alt text here and has 2 alt texts at {ES}:1 [parity-directive]"
    ]
    assert pages(blocks("a", body="Uno.\n"), blocks("a")) == [
        f"{RU}:1: The block “snippet | a” has no alt texts here and has 1 alt text at {ES}:1 [parity-directive]"
    ]


def test_bound_numbers_of_alt_texts():
    assert pages(blocks("a", body="Uno [1]{= x}.\n"), blocks("a", body="Один [1]{= y}.\n")) == [
        f"{RU}:1: The block “snippet | a” binds “y” in its alt texts here and binds “x” in its alt texts "
        f"at {ES}:1 "
        "[parity-number]"
    ]


def test_links():
    assert pages("[a](a.md#x) [b](b.md)", "[a](a.md#y) [b](b.md)") == [
        f"{RU}:1: The link is a.md#y here and a.md#x at {ES}:1 [parity-link]"
    ]
    assert pages("[a](a.md)", "a") == [f"{RU}:1: The link a.md is missing; it stands at {ES}:1 [parity-link]"]
    assert pages("[a](#x)", "[a](masks.md#x)") == []
    assert pages("[a](mailto:a@b.c)", "[a](mailto:d@e.f) [b](//b.c)") == []
    assert pages("[ru](../../ru/lessons/masks.md) ![x](../../assets/x.svg)", "![x](../../assets/x.svg)") == []
    assert pages("![x](../../assets/x.svg)", "![x](../../assets/y.svg)") == [
        f"{RU}:1: The link is ../../assets/y.svg here and ../../assets/x.svg at {ES}:1 [parity-link]"
    ]


def test_bound_numbers():
    assert pages("[1]{a= x}, [2]{a= y}", "[1]{a= x}") == [
        f"{RU}:1: The bound number “y” of masks/a is missing; it stands at {ES}:1 [parity-number]"
    ]
    assert pages("[1]{a= x[0]}", "[1]{a= x[1]}") == [
        f"{RU}:1: The bound number is “x[1]” of masks/a here and “x[0]” of masks/a at {ES}:1 [parity-number]"
    ]
    assert pages("[1]{a= x}", "[1]{b= x}") != []
    assert pages('[1]{a= x["a"]}', '[1]{a= x[ "б" ]}') == []
    after = "/// snippet | a:{}\n///\n\n[1]{{= x}}"
    assert any("parity-number" in problem for problem in pages(after.format("b"), after.format("c")))


def test_quoted_numbers():
    assert pages("[0.89]{=cited}", "[0,89]{=cited}") == []
    assert pages("[0.89]{=cited}", "[0,88]{=cited}") == [
        f"{RU}:1: The bound number is “0,88” here and “0.89” at {ES}:1 [parity-number]"
    ]


def test_quoted_numbers_below_a_program_are_compared_and_shown_as_numbers():
    below = "/// snippet | a\n///\n\n"
    assert pages(below + "[0.89]{=cited}", below + "[0,88]{=cited}") == [
        f"{RU}:4: The bound number is “0,88” here and “0.89” at {ES}:4 [parity-number]"
    ]
    # 0.89 on a Russian page is a fault of its notation, told there, and the same number
    assert pages(below + "[0.89]{=cited}", below + "[0.89]{=cited}") == []
    assert pages("$\\val{0.89}{=cited}$", "$\\val{0.89}{=cited}$") == []
    assert pages("[60 por ciento]{=cited}", "[60 %]{=cited}") == []
    assert pages("[1/√2]{=cited}", "[1/√3]{=cited}") == [
        f"{RU}:1: The bound number is “1/√3” here and “1/√2” at {ES}:1 [parity-number]"
    ]


def test_formulas():
    assert pages("$a$\n\n$b_1$\n\n$c$", "$a$\n\n$b_2$\n\n$c$") == [
        f"{RU}:3: The formula is $b_2$ here and $b_1$ at {ES}:3 [parity-formula]"
    ]
    assert pages("$a$\n\n$c$", "$a$\n\n$x$\n\n$y$\n\n$c$") == [
        f"{ES}:1: The formula $x$ is missing, with 1 more after it; it stands at {RU}:3 [parity-formula]"
    ]
    assert pages("$a$ $b$", "$b$ $a$") == [
        f"{RU}:1: The formula $b$ stands in another order than at {ES}:1 [parity-formula]"
    ]
    # a changed one beside an added one is not taken for it
    assert pages("$x_1$\n", "$y$\n\n$x_2$\n") == [
        f"{ES}:1: The formula $y$ is missing; it stands at {RU}:1 [parity-formula]",
        f"{RU}:3: The formula is $x_2$ here and $x_1$ at {ES}:1 [parity-formula]",
    ]


def test_bound_numbers_of_formulas():
    assert pages(r"$\val{0.6}{a= x}$", r"$\val{0{,}6}{a= x}$") == []
    assert pages(r"$\val{0.6}{a= x}$", r"$\val{0{,}6}{a= y}$") == [
        rf"{RU}:1: The formula is $\val{{0{{,}}6}}{{a= y}}$ here and $\val{{0.6}}{{a= x}}$ at {ES}:1 "
        rf"[parity-formula]"
    ]
    assert pages(r"$\val{0.6}{a= x}$", r"$\val{0{,}60}{a= x}$") != []


def test_long_formulas_are_shown_whole_below():
    long = " + ".join(f"x_{{{i}}}" for i in range(20))
    [problem] = pages(f"${long}$", f"${long} - 1$")
    assert problem == (
        f"{RU}:1: The formula is ${long[:58]}… here and ${long[:58]}… at {ES}:1 [parity-formula]\n"
        f"    here  | ${long} - 1$\n    there | ${long}$"
    )


@pytest.mark.parametrize(
    ("spanish", "russian", "equal"),
    [
        ("0.25", "0{,}25", True),
        ("(1,0.8)", r"(1;\,0{,}8)", True),
        ("20480", r"20\,480", True),
        (r"60\%", r"60\,\%", True),
        (r"x\text{ si }y", r"x\text{, если }y", True),
        (r"x\cdot y.", r"x \cdot   y ,", True),
        (r"w_{\text{banco}}", r"w_{\text{ключ}}", True),
        ("0.25", "0{,}26", False),
        ("25", "2{,}5", False),
        (r"\text{a}x", r"\text{b}y", False),
        (r"\alpha b", r"\alphab", False),
        ("x^2", "x_2", False),
        ("(1,2)", "(12)", False),
    ],
)
def test_formulas_up_to_notation(spanish, russian, equal):
    assert (formula_key(spanish) == formula_key(russian)) is equal


def test_front_matter():
    def matter(**lines):
        lines = {"description": "…", **lines}
        return "---\n" + "".join(f"{key}: {value}\n" for key, value in lines.items()) + "---\n"

    spanish = matter(title="Máscaras", minutes="20", needs="[softmax]", snippet="a")
    assert pages(spanish, matter(title="Маски", minutes="25", snippet="a", needs="[softmax]")) == []
    assert pages(spanish, matter(title="Маски", minutes="20", needs="[a, b]", snippet="b")) == [
        f"{RU}:5: “needs” is [a, b] here and [softmax] at {ES}:5 [parity-front-matter]",
        f"{RU}:6: “snippet” is b here and a at {ES}:6 [parity-front-matter]",
    ]
    assert pages(spanish, matter(title="Маски", minutes="20", needs="[softmax]", tags="[x]")) == [
        f"{ES}:1: The front matter has no “tags”; it stands at {RU}:6 [parity-front-matter]",
        f"{RU}:1: The front matter has no “snippet”; it stands at {ES}:6 [parity-front-matter]",
    ]
    # what the reader refuses is not told twice
    assert pages(spanish, matter(title="Маски", needs="[softmax]", snippet="b")) == []


# -- programs


def test_programs_that_do_the_same():
    spanish = '''"""Máscaras."""
import numpy as np

# los pesos
names = ["banco",
           "mesa"]
# %% weights tolerance=0.02 stdin="sí"
def pesos(x):
    """Los pesos."""
    print(f"peso de {names[0]:{x}}: {x:6.2f}")
    return x  # todos
'''
    russian = '''"""Маски: без будущего."""
import numpy as np
names = ["ключ", 'ст' "ол"]

# %% weights tolerance=0.02 stdin="да"
def pesos(x):

    # комментарий
    print(f"{names[0]:>{x}} весит {x:8.2f}")
    return x
'''
    assert programs(spanish, russian) == []


def test_an_f_string_without_values_is_a_string():
    assert programs('x = f"banco"\n', 'x = "ключ"\n') == []


def test_a_missing_program():
    found = check(program("es", "x = 1\n"), program("es", "y = 1\n", "other"), program("ru", "y = 1\n", "other"))
    assert found == [f"{PY_RU}: This program is missing; its counterpart is {PY_ES} [parity-program]"]


def test_unreadable_programs_are_not_compared():
    assert programs("x = 1\n", "x = (\n") == []


def test_one_argument_more_is_what_is_shown():
    spanish = "f(\n    a,\n    title=t,\n)\n"
    assert programs(spanish, "f(\n    a,\n    title=t,\n    decimal=d,\n)\n") == [
        f"{PY_RU}:4: The code is `decimal=d` here and `f(` at {PY_ES}:1 [parity-program]"
    ]
    assert programs(spanish, "f(\n    a,\n)\n") == [
        f"{PY_RU}:1: The code is `f(` here and `title=t` at {PY_ES}:3 [parity-program]"
    ]


def test_cells():
    a, b, c = "# %% a\nx = 1\n", "# %% b\nx = 2\n", "# %% c\nx = 3\n"
    assert programs(a + b + c, a + c) == [
        f"{PY_RU}:2: The cell “b” is missing; it stands at {PY_ES}:4 [parity-program]"
    ]
    assert programs(a + b, a + b.replace("b", "d")) == [
        f"{PY_RU}:4: The cell is “d” here and “b” at {PY_ES}:4 [parity-program]"
    ]
    assert programs(a + b, b + a) in (
        [f"{PY_RU}:2: The cell “b” stands in another order than at {PY_ES}:4 [parity-program]"],
        [f"{PY_RU}:4: The cell “a” stands in another order than at {PY_ES}:2 [parity-program]"],
    )


def test_a_replaced_cell_is_one_problem():
    a, b, c = "# %% a\nx = 1\n", "# %% b\nx = 2\n", "# %% c\ny = f(z)\n"
    assert programs(a + b, a + c) == [f"{PY_RU}:4: The cell is “c” here and “b” at {PY_ES}:4 [parity-program]"]


@pytest.mark.parametrize(
    ("option", "words", "other"),
    [
        ("tolerance=0.02", "has tolerance=0.02", "has no tolerance="),
        ("raises=ValueError", "has raises=ValueError", "has no raises="),
        ("stderr=show", "has stderr=show", "has no stderr="),
        ("native=true", "has native=true", "has no native="),
        ("processes=true", "has processes=true", "has no processes="),
        ("hide=true", "has hide=true", "has no hide="),
        ("reads=a,b", "has reads=a,b", "has no reads="),
        ('browser=false reason="x"', "has browser=false", "has no browser="),
        ('stdin="1\\n2"', "has 2 answers in stdin=", "has no answers in stdin="),
    ],
)
def test_options_of_cells(option, words, other):
    assert programs(f"# %% a {option}\nx = 1\n", "# %% a\nx = 1\n") == [
        f"{PY_RU}:2: The cell “a” {other} here and {words} at {PY_ES}:2 [parity-program]"
    ]


def test_native_cells_may_differ():
    assert programs("# %% a native=true\nx = 1\n", "# %% a native=true\ny = 2\nz = 3\n") == []
    for spanish, russian in ((" native=true", ""), ("", " native=true")):
        [problem] = programs(f"# %% a{spanish}\nx = 1\n", f"# %% a{russian}\ny = 2\n")
        assert "native=" in problem


@pytest.mark.case(number="C29")
@pytest.mark.parametrize(
    ("spanish", "russian"),
    [
        ("x = 1", "x = 2"),
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("x = y + z", "x = y - z"),
        ("x = f(y)", "x = g(y)"),
        ("x = f(a=1)", "x = f(b=1)"),
        ("x = f(y)", "x = f(y, z)"),
        ("x = f(y)", "x = y + z"),
        ("x = y[0]", "x = y[0:]"),
        ("x = 'a'", "x = b'a'"),
        ("x = 'a'", "x = None"),
        ("x = f'{y}'", "x = 'y'"),
        ("x = f'{y}'", "x = f'{z}'"),
        ("x = f'{y!r}'", "x = f'{y}'"),
        ("x = f'{y:.2f}'", "x = f'{y:.3f}'"),
        ("x = f'{y:.2f}'", "x = f'{y:.2e}'"),
        ("x = f'{y:{z}}'", "x = f'{y:{w}}'"),
        ("x = f'{y} {z}'", "x = f'{z} {y}'"),
        ("import numpy as np", "import numpy"),
        ("x = [1, 2]", "x = (1, 2)"),
    ],
)
def test_code_that_differs(spanish, russian):
    assert programs(f"x = 0\n{spanish}\n", f"x = 0\n\n{russian}  # здесь\n") == [
        f"{PY_RU}:3: The code is `{russian}  # здесь` here and `{spanish}` at {PY_ES}:2 [parity-program]"
    ]


@pytest.mark.case(number="C29")
def test_added_statements_are_one_problem():
    assert programs("x = 1\ny = 2\nz = 3\n", "x = 1\nfor i in x:\n    y = 1\n    z = 2\ny = 2\nz = 3\n") == [
        f"{PY_ES}:1: The code `for i in x:` is missing, with 2 more after it; it stands at {PY_RU}:2 [parity-program]"
    ]


def test_differences_inside_of_blocks():
    spanish = "for i in x:\n    if i:\n        y = 1\n    else:\n        y = 2\n"
    assert programs(spanish, spanish.replace("y = 2", "y = 3")) == [
        f"{PY_RU}:5: The code is `y = 3` here and `y = 2` at {PY_ES}:5 [parity-program]"
    ]
    assert programs(spanish, spanish.replace("in x", "in z")) == [
        f"{PY_RU}:1: The code is `for i in z:` here and `for i in x:` at {PY_ES}:1 [parity-program]"
    ]
    assert programs(spanish, "for i in x:\n    if i:\n        y = 1\n    y = 2\n") != []


def test_differences_in_long_expressions_are_shown_at_their_line():
    spanish = 'x = np.array([\n    [1, 2],  # "banco"\n    [3, 4],\n])\n'
    assert programs(spanish, spanish.replace("4", "5").replace("banco", "ключ")) == [
        f"{PY_RU}:3: The code is `[3, 5],` here and `[3, 4],` at {PY_ES}:3 [parity-program]"
    ]


def test_other_blocks():
    text = "try:\n    x = 1\nexcept {}:\n    x = 2\nmatch x:\n    case {}:\n        y = {}\n"
    assert programs(text.format("ValueError", 1, 3), text.format("ValueError", 1, 3)) == []
    assert programs(text.format("ValueError", 1, 3), text.format("KeyError", 2, 4)) == [
        f"{PY_RU}:3: The code is `except KeyError:` here and `except ValueError:` at {PY_ES}:3 [parity-program]",
        f"{PY_RU}:6: The code is `case 2:` here and `case 1:` at {PY_ES}:6 [parity-program]",
        f"{PY_RU}:7: The code is `y = 4` here and `y = 3` at {PY_ES}:7 [parity-program]",
    ]


# -- golden files


def test_outputs_up_to_words():
    assert outputs("# %% a\nbanco 0.60 de 8\n\n# %% b\n-0.0 x2\n", "# %% a\nключ: 0.60 из 8\n\n# %% b\n0.0  y3\n") == []
    assert outputs("# %% a\n0.60\n# %% b\n", "# %% a\n0.61\n# %% b\n", options=" tolerance=0.02") == []


def test_outputs_with_other_numbers():
    assert outputs("# %% a\nuno\nbanco 0.60 de 8\n# %% b\n1\n", "# %% a\nодин\nключ 0.61 из 8\n# %% b\n2\n") == [
        f"{OUT_RU}:3: The output of the cell “a” has other numbers in this line than at {OUT_ES}:3 "
        f"[parity-output]\n"
        "    here  | ключ 0.61 из 8\n    there | banco 0.60 de 8",
        f"{OUT_RU}:5: The output of the cell “b” has other numbers in this line than at {OUT_ES}:5 "
        f"[parity-output]\n"
        "    here  | 2\n    there | 1",
    ]
    assert outputs("# %% a\n3 de 8\n# %% b\n", "# %% a\n8, 3\n# %% b\n") != []
    assert outputs("# %% a\n3 de 8\n# %% b\n", "# %% a\n3\n# %% b\n") != []


def test_the_output_of_a_cell_without_name():
    goldens = {ProgramName("es", "masks", "causal"): "1\n", ProgramName("ru", "masks", "causal"): "2\n"}
    [problem] = check(program("es", "x = 1\n"), program("ru", "x = 1\n"), goldens=goldens)
    assert problem.startswith(f"{OUT_RU}:1: The output has other numbers in this line than at {OUT_ES}:1 [")


def test_outputs_with_other_lines():
    assert outputs("# %% a\n1\n2\n# %% b\n", "# %% a\n1\n# %% b\n") == [
        f"{OUT_RU}:1: The output of the cell “a” has 1 line here and 2 lines at {OUT_ES}:1 [parity-output]"
    ]


def test_outputs_of_native_cells_may_differ():
    assert outputs("# %% a\n1\n2\n# %% b\n", "# %% a\n3\n# %% b\n", options=" native=true") == []


def test_outputs_of_programs_that_differ_are_not_compared():
    goldens = {ProgramName("es", "masks", "causal"): "1\n", ProgramName("ru", "masks", "causal"): "2\n"}
    found = check(program("es", "x = 1\n"), program("ru", "x = 2\n"), goldens=goldens)
    assert [problem.split("[")[-1] for problem in found] == ["parity-program]"]


@pytest.mark.parametrize("language", ["es", "ru"])
def test_missing_golden_files_are_another_rule(language):
    goldens = {ProgramName(language, "masks", "causal"): "1\n"}
    assert check(program("es", "x = 1\n"), program("ru", "x = 1\n"), goldens=goldens) == []


# -- more languages


def test_a_third_language_is_held_against_the_first(monkeypatch):
    languages = {**LANGUAGES, "uk": replace(LANGUAGES["ru"], code="uk")}
    monkeypatch.setattr(parity, "LANGUAGES", languages)
    found = check(page("es", "$a$"), page("ru", "$a$"), page("uk", "$b$"))
    assert found == [f"docs/uk/lessons/masks.md:1: The formula is $b$ here and $a$ at {ES}:1 [parity-formula]"]
    found = check(page("ru", "$a$"), page("uk", "$a$"), page("es", "", "index.md"), page("ru", "", "index.md"))
    assert found == [
        f"{ES}: This page is missing; its counterpart is {RU} [page-missing]",
        "docs/uk/index.md: This page is missing; its counterpart is docs/es/index.md [page-missing]",
    ]
