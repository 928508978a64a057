"""Numbers in the notation of each language: reading, judging, writing, and those bound to nothing."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lessonkit.languages import LANGUAGES
from lessonkit.numbers import check_bound, corrected, fix_page, read_numbers, unbound_numbers
from lessonkit.pages import Bound, parse_page
from lessonkit.project import PageName, ProgramName
from lessonkit.results import Value

quick = settings(max_examples=100, deadline=None, derandomize=True, database=None)

ES, RU = LANGUAGES["es"], LANGUAGES["ru"]


def values(text, language=ES, *, tex=False):
    found = read_numbers(text, language, tex=tex)
    assert not [number.fault for number in found if number.fault]
    return [number.value for number in found]


def faults(text, language=ES, *, tex=False):
    return [(number.text, number.fault) for number in read_numbers(text, language, tex=tex) if number.fault]


def bound(text, language="es", *, place="text", expression="w[0, 7]"):
    return Bound(42, 0, text, ProgramName(language, "masks", "causal"), None, expression, place)


def check(text, *numbers, language=ES, place="text", value=None):
    value = value or Value(numbers=numbers)
    problem = check_bound(bound(text, language.code, place=place), value, language, "docs/es/lessons/masks.md")
    return problem and str(problem)


# -- reading


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("60 %", [Fraction(3, 5)]),
        ("60\u00a0%", [Fraction(3, 5)]),
        ("60\u202f%", [Fraction(3, 5)]),
        ("60%", [Fraction(3, 5)]),
        ("≈ 6.05", [Fraction(605, 100)]),
        ("−0.5", [Fraction(-1, 2)]),
        ("-0.5", [Fraction(-1, 2)]),
        ("+0.5", [Fraction(1, 2)]),
        ("(−0.5)", [Fraction(-1, 2)]),
        ("1024", [1024]),
        ("20\u202f480", [20480]),
        ("1\u00a0048\u00a0576", [1048576]),
        ("3·10⁻⁸", [Fraction(3, 10**8)]),
        ("2.5 · 10⁶", [2_500_000]),
        ("10⁻⁸", [Fraction(1, 10**8)]),
        ("−10⁹", [-(10**9)]),
        ("1/8", [Fraction(1, 8)]),
        ("−3/4", [Fraction(-3, 4)]),
        ("3, 5", [3, 5]),
        ("(0.75, 0.05)", [Fraction(3, 4), Fraction(1, 20)]),
        ("[0.5; 3]", [Fraction(1, 2), 3]),
        ("pasa de 0.3 a 4.", [Fraction(3, 10), 4]),
        ("4 de 144", [4, 144]),
        ("0.83–0.90", [Fraction(83, 100), Fraction(9, 10)]),  # a range: the dash is no minus
        ("3-5", [3, 5]),
        ("5−3", [5, 3]),
        ("5 − 3", [5, 3]),
        ("5 %−3", [Fraction(1, 20), 3]),
        ("0.36±0.11", [Fraction(36, 100), Fraction(11, 100)]),
        ("2-D", [2]),
        ("12-слойный", [12]),
        ("x2 W2 d_2 GPT-2 e5 2D 4x", []),
        ("e^1.8, W^O", []),
        ("cinco", []),
        ("∞, −∞", [math.inf, -math.inf]),
        ("inf", [math.inf]),
    ],
)
def test_reads_prose(text, expected):
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0,60", [Fraction(3, 5)]),
        ("(0,75, 0,05)", [Fraction(3, 4), Fraction(1, 20)]),
        ("[0,5; 3]", [Fraction(1, 2), 3]),
        ("93,7 %", [Fraction(937, 1000)]),
        ("20\u00a0480,5", [Fraction(40961, 2)]),
        ("1,2·10⁻⁸", [Fraction(12, 10**9)]),
        ("(3, 5)", [3, 5]),
    ],
)
def test_reads_russian_prose(text, expected):
    assert values(text, RU) == expected


@pytest.mark.parametrize(
    ("text", "spanish", "russian"),
    [
        (r"60\,\%", [Fraction(3, 5)], [Fraction(3, 5)]),
        (r"60\%", [Fraction(3, 5)], [Fraction(3, 5)]),
        (r"20\,480", [20480], [20480]),
        (r"3\cdot 10^{-8}", [Fraction(3, 10**8)], [Fraction(3, 10**8)]),
        (r"3\cdot10^8", [300_000_000], [300_000_000]),
        (r"10^{-8}", [Fraction(1, 10**8)], [Fraction(1, 10**8)]),
        (r"\frac{1}{8}", [Fraction(1, 8)], [Fraction(1, 8)]),
        (r"\tfrac12", [Fraction(1, 2)], [Fraction(1, 2)]),
        ("-2", [-2], [-2]),
        (r"\approx -2", [-2], [-2]),
        (r"\alpha -2", [2], [2]),
        ("x - 2", [2], [2]),
        (r"\sum_{i=1}^{10} x_2^{3}", [], []),
        ("x_{a{1}2}3 x_{12", [3], [3]),  # and a brace that is not closed
        (r"e^{18}\approx 6", [6], [6]),
        (r"\begin{pmatrix}1 & -2\\3 & 4\end{pmatrix}", [1, -2, 3, 4], [1, -2, 3, 4]),
        (r"-\infty", [-math.inf], [-math.inf]),
    ],
)
def test_reads_formulas(text, spanish, russian):
    assert values(text, ES, tex=True) == spanish
    assert values(text, RU, tex=True) == russian


def test_decimal_marks_of_formulas():
    assert values("(1,0.8)", ES, tex=True) == [1, Fraction(4, 5)]
    assert values(r"(1; 0{,}8)", RU, tex=True) == [1, Fraction(4, 5)]


def test_half_a_unit_of_the_last_digit():
    assert read_numbers("60 %", ES)[0].half_unit == Fraction(1, 200)
    assert read_numbers("6.050", ES)[0].half_unit == Fraction(1, 2000)
    assert read_numbers("1024", ES)[0].half_unit == Fraction(1, 2)
    assert read_numbers("2.5·10⁻⁸", ES)[0].half_unit == Fraction(1, 2 * 10**9)


def test_spans():
    text = "de −0.5 a 20\u202f480 %"
    assert [text[number.start : number.end] for number in read_numbers(text, ES)] == ["−0.5", "20\u202f480 %"]


@pytest.mark.parametrize(
    ("text", "language", "tex", "expected"),
    [
        ("0,60", ES, False, "es pages write the decimal mark “.”"),
        ("0.60", RU, False, "ru pages write the decimal mark “,”"),
        ("0{,}60", ES, True, "es formulas write the decimal mark “.”"),
        ("0.60", RU, True, "ru formulas write the decimal mark “{,}”"),
        ("0,60", RU, True, "ru formulas write the decimal mark “{,}”"),
        ("1,2,3", ES, False, "it has several decimal marks"),
        ("2.4.6", ES, False, "it has several decimal marks"),
        ("1 024", ES, False, "the space in it may part thousands or two numbers"),
        ("1\u2009024", ES, False, "the space in it may part thousands or two numbers"),
        ("3×10⁻⁸", ES, False, "es pages write powers of ten as in 3·10⁻⁸"),
        ("3·10^-8", ES, False, "es pages write powers of ten as in 3·10⁻⁸"),
        ("1e-8", ES, False, "es pages write powers of ten as in 3·10⁻⁸"),
        ("10^12", ES, True, r"es formulas write powers of ten as in 3\cdot 10^{-8}"),
        ("60 %", ES, True, "in TeX a bare % begins a comment"),
        ("–5", ES, False, "a dash (–) is no minus (−)"),
        (".5", ES, False, "a digit stands before the decimal mark"),
        ("007", ES, False, "it begins with a 0 too many"),
        ("3/0", ES, False, "it divides by 0"),
        (r"\frac{1}{0}", ES, True, "it divides by 0"),
        (r"\tfrac10", ES, True, "it divides by 0"),
        ("–5", ES, True, "a dash (–) is no minus (-)"),
        ("512²", ES, False, "it has an exponent, so it is an expression, not a number"),
        ("2^{10}", ES, True, "it has an exponent, so it is an expression, not a number"),
        ("√2", ES, False, "it is a part of an expression (√2)"),
        (r"\sqrt{2}", ES, True, r"it is a part of an expression (\sqrt{2)"),
        ("2d", ES, True, "it is a part of an expression (2d)"),
        ("0.8d", ES, True, "it is a part of an expression (0.8d)"),
        ("0.5s", ES, False, "it is a part of an expression (0.5s)"),
    ],
)
def test_refuses_other_notations(text, language, tex, expected):
    assert faults(text, language, tex=tex) == [
        (text.strip(r"√\sqrtd{}") if "expression (" in expected else text, expected)
    ]


def test_a_quotient_of_a_root_is_no_number():
    assert [text for text, _ in faults("1/√2")] == ["1", "2"]
    assert [text for text, _ in faults(r"\frac{1}{\sqrt{2}}", tex=True)] == ["1", "2"]


# -- judging


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("60 %", [0.6005]),
        ("60 %", [0.595]),
        ("≈ 6.05", [6.0496]),
        ("unos 6", [6.05]),
        ("(0.75, 0.05)", [0.7502, 0.0496]),
        ("0.12", [0.125]),  # a tie: both roundings are right
        ("0.13", [0.125]),
        ("2.67", [2.675]),  # a tie of the shortest decimal form only
        ("2.68", [2.675]),
        ("1/3", [1 / 3]),
        ("2/3", [0.1 + 0.2 + 11 / 30]),
        ("0.00", [-0.001]),
        ("−0.00", [0.0]),
        ("−10⁹", [-1e9]),
        ("20\u202f480", [20480]),
        ("10" + "0" * 400, [10**401]),  # more than a float can hold
        ("∞", [math.inf]),
        ("nan", [math.nan]),
    ],
)
def test_right(text, numbers):
    assert check(text, *numbers) is None


PROBLEM = "docs/es/lessons/masks.md:42: {} [bound-number]\n    {}"
FIX = "Write “{}”; `python scripts/lessons.py check --fix` does it."


@pytest.mark.parametrize(
    ("text", "number", "right"),
    [
        ("60 %", 0.6138, "61 %"),
        ("≈ 6.0 veces", 6.0996, "≈ 6.1 veces"),
        ("1/4", 0.375, "3/8"),
        ("1/8", 0.375, "3/8"),
        ("2/8", 0.375, "3/8"),
        ("1/8", 0.0, "0/8"),
        ("0·10⁻⁸", 7e-9, "7·10⁻⁹"),
        ("−0.50", 0.25, "0.25"),
        ("0.50", -0.25, "−0.25"),
        ("+0.5", 0.25, "+0.2"),
        ("+0.5", -0.25, "−0.2"),
        ("20\u202f480", 1048576, "1\u202f048\u202f576"),
        ("20\u202f480", 1024, "1024"),
        ("1\u202f024", 2048, "2\u202f048"),
        ("2.5·10⁻⁸", 9.96e-8, "1.0·10⁻⁷"),
        ("12·10⁻⁸", 9.0e-8, "90·10⁻⁹"),
        ("2·10⁻⁸", 1e-8, "1·10⁻⁸"),
        ("10⁻⁸", 1e-9, "10⁻⁹"),
        ("10⁻⁸", 3e-9, "3·10⁻⁹"),
        ("10⁻⁸", 0.0, "0"),
        ("0.99", 0.9996, "1.00"),
    ],
)
def test_wrong(text, number, right):
    what = f"“{text}” is shown, but “w[0, 7]” of es/masks/causal is {number!r}"
    assert check(text, number) == PROBLEM.format(what, FIX.format(right))


def test_wrong_in_russian_and_in_formulas():
    what = "“{}” is shown, but “w[0, 7]” of ru/masks/causal is 0.6138"
    assert check("60,0 %", 0.6138, language=RU) == PROBLEM.format(what.format("60,0 %"), FIX.format("61,4 %"))
    assert check("0{,}60", 0.6138, language=RU, place="formula") == PROBLEM.format(
        what.format("0{,}60"), FIX.format("0{,}61")
    )
    assert check("0{,}60", -0.6138, language=RU, place="formula") == PROBLEM.format(
        what.format("0{,}60").replace("0.6138", "-0.6138"), FIX.format("-0{,}61")
    )


def test_powers_of_ten_in_formulas():
    what = "“{}” is shown, but “w[0, 7]” of es/masks/causal is 3e-09"
    assert check("10^{-8}", 3e-9, place="formula") == PROBLEM.format(
        what.format("10^{-8}"), FIX.format(r"3\cdot 10^{-9}")
    )
    assert check(r"2\cdot10^{-8}", 3e-9, place="formula") == PROBLEM.format(
        what.format(r"2\cdot10^{-8}"), FIX.format(r"3\cdot10^{-9}")
    )
    assert check(r"2\times10^{-9}", 3e-9, place="formula") == PROBLEM.format(
        r"“2\times10^{-9}” cannot be read as a number: es formulas write powers of ten as in 3\cdot 10^{-8}",
        FIX.format(r"3\cdot 10^{-9}"),
    )


def test_percent_in_words():
    assert check("el 60 por ciento", 0.6) is None
    assert check("60 процентов", 0.6, language=RU) is None
    what = "“el 60 por ciento” is shown, but “w[0, 7]” of es/masks/causal is {}"
    assert check("el 60 por ciento", 0.6138) == PROBLEM.format(what.format("0.6138"), FIX.format("el 61 por ciento"))
    assert check("el 60 por ciento", 60) == PROBLEM.format(what.format("60"), FIX.format("el 6000 por ciento"))


@pytest.mark.parametrize(
    ("text", "language", "value", "words"),
    [
        ("20 mil", ES, 20480, "mil"),
        ("1.2 millones", ES, 1_240_000, "millones"),
        ("5 puntos porcentuales", ES, 0.05, "puntos porcentuales"),
        ("5 процентных пунктов", RU, 0.05, "процентных пунктов"),
        ("20 тысяч", RU, 20480, "тысяч"),
    ],
)
def test_no_correction_before_words_that_say_the_size(text, language, value, words):
    number = text.partition(" ")[0]
    assert corrected(bound(text, language.code), Value(numbers=(value,)), language) is None
    assert check(text, value, language=language) == PROBLEM.format(
        f"“{text}” is shown, but “w[0, 7]” of {language.code}/masks/causal is {value!r}",
        f"“{words}” after “{number}” changes its size: write the number without it, "
        "or let the expression give what stands before it.",
    )


def test_a_number_before_words_that_say_the_size_may_be_corrected_in_that_size():
    assert corrected(bound("20 mil"), Value(numbers=(21.3,)), ES) == "21 mil"


def test_only_the_wrong_one_of_several_changes():
    assert check("(0.13, 0.05)", 0.125, 0.0638) == PROBLEM.format(
        "“(0.13, 0.05)” is shown, but “w[0, 7]” of es/masks/causal is 0.125, 0.0638",
        FIX.format("(0.13, 0.06)"),
    )


def test_wrong_notation_says_what_to_write():
    assert check("0.60", 0.6, language=RU) == PROBLEM.format(
        "“0.60” cannot be read as a number: ru pages write the decimal mark “,”", FIX.format("0,60")
    )
    assert check("1,024", 1024) == PROBLEM.format(
        "“1,024” cannot be read as a number: es pages write the decimal mark “.”", FIX.format("1024")
    )
    assert check("1,024", 1.024) == PROBLEM.format(
        "“1,024” cannot be read as a number: es pages write the decimal mark “.”", FIX.format("1.024")
    )
    assert check("1,048,576", 1048576) == PROBLEM.format(
        "“1,048,576” cannot be read as a number: it has several decimal marks", FIX.format("1\u202f048\u202f576")
    )
    assert check("(3,5)", 3, 5, language=RU, place="formula") == PROBLEM.format(
        "“3,5” cannot be read as a number: ru formulas write the decimal mark “{,}”", FIX.format("(3, 5)")
    )
    space = "cannot be read as a number: the space in it may part thousands or two numbers"
    assert check("1 024", 1024) == PROBLEM.format(f"“1 024” {space}", FIX.format("1\u202f024"))
    assert corrected(bound("20480,5"), Value(numbers=(20480.5,)), ES) == "20480.5"
    assert corrected(bound("0,60"), Value(numbers=(60,)), ES) == "60.00"
    assert check("1/√2", 0.7071) == PROBLEM.format(
        "“1” cannot be read as a number: it is a part of an expression (1/)",
        "Write the number by itself, in the page's notation.",
    )


def test_counts_must_agree():
    assert check("0.75", 0.75, 0.05) == PROBLEM.format(
        "“0.75” shows 1 number, but “w[0, 7]” of es/masks/causal gives 2 numbers: 0.75, 0.05",
        "Show 2 numbers, or take an expression that gives 1 number.",
    )
    assert check("mucho", 0.75) == PROBLEM.format(
        "“mucho” shows no number, but “w[0, 7]” of es/masks/causal gives 1 number: 0.75",
        "Show what it gives.",
    )
    assert check("0.75", value=Value(numbers=())) == PROBLEM.format(
        "“0.75” shows 1 number, but “w[0, 7]” of es/masks/causal gives no number", "Show what it gives."
    )
    assert check("0", *range(12)) == PROBLEM.format(
        "“0” shows 1 number, but “w[0, 7]” of es/masks/causal gives 12 numbers: 0, 1, 2, 3, 4, 5, 6, 7, … (12 in all)",
        "Show 12 numbers, or take an expression that gives 1 number.",
    )


def test_a_decimal_comma_in_a_formula_with_points():
    assert check("0,60", 0.6, place="formula") == PROBLEM.format(
        "“0,60” shows 2 numbers, but “w[0, 7]” of es/masks/causal gives 1 number: 0.6", FIX.format("0.60")
    )


def test_infinity_and_nan_are_never_a_number():
    cure = "Mend the program, or write what it gives in another form."
    what = "“{}” is shown, but “w[0, 7]” of es/masks/causal is {}"
    assert check("0.6", math.nan) == PROBLEM.format(what.format("0.6", "nan"), cure)
    assert check("0.6", math.inf) == PROBLEM.format(what.format("0.6", "inf"), cure)
    assert check("∞", 0.6) == PROBLEM.format(what.format("∞", "0.6"), cure)
    assert check("∞", -math.inf) == PROBLEM.format(what.format("∞", "-inf"), cure)
    assert check("∞", math.nan) == PROBLEM.format(what.format("∞", "nan"), cure)


def test_a_value_that_no_fraction_gives():
    assert check("1/3", math.pi / 9) == PROBLEM.format(
        f"“1/3” is shown, but “w[0, 7]” of es/masks/causal is {math.pi / 9!r}",
        "Mend the program, or write what it gives in another form.",
    )


def test_texts():
    assert check("banco", value=Value(text="banco")) is None
    assert check(r"\text{banco}", value=Value(text="banco"), place="formula") is None
    assert check("banco", value=Value(text="banco"), place="formula") is None
    what = "“banco” is shown, but “w[0, 7]” of es/masks/causal is the text “{}”"
    assert check("banco", value=Value(text="Banco")) == PROBLEM.format(what.format("Banco"), FIX.format("Banco"))
    # a bracket would end the bound number, so nothing is written by itself
    assert check("banco", value=Value(text="a]b")) == PROBLEM.format(what.format("a]b"), "Write “a]b”.")


@pytest.mark.parametrize("empty", ["", " \u00a0"])
def test_an_empty_text(empty):
    assert corrected(bound("banco"), Value(text=empty), ES) is None
    assert check("banco", value=Value(text=empty)) == PROBLEM.format(
        "“w[0, 7]” of es/masks/causal gives an empty text",
        "Let it give a number or a word; if the text needs no value, write it without brackets and expression.",
    )


def test_no_value():
    assert check("0.6", value=Value(error="NameError: name 'w' is not defined")) == PROBLEM.format(
        "“w[0, 7]” of es/masks/causal has no value: NameError: name 'w' is not defined",
        "Mend the expression; it is evaluated at the program's end.",
    )
    in_cell = Bound(42, 0, "0.6", ProgramName("es", "masks", "causal"), "weights", "w", "text")
    assert check_bound(in_cell, Value(error="TypeError"), ES, "docs/x.md").cure == (
        "Mend the expression; it is evaluated after the cell “weights”."
    )
    assert str(check_bound(in_cell, None, ES, "docs/x.md")) == (
        "docs/x.md:42: “w” of es/masks/causal has no value, because the program did not run that far "
        "[bound-number]\n"
        "    Mend the program first."
    )


def test_quoted_numbers_are_held_to_the_notation_only():
    assert check_bound(bound("0.89", expression=""), None, ES, "docs/x.md") is None
    assert str(check_bound(bound("0.89", "ru", expression=""), None, RU, "docs/x.md")) == (
        "docs/x.md:42: “0.89” cannot be read as a number: ru pages write the decimal mark “,” "
        "[bound-number]\n"
        "    " + FIX.format("0,89")
    )


def test_quoted_numbers_above_every_program():
    problem = check_bound(Bound(7, 0, "0.89", None, None, "", "text"), None, RU, "docs/x.md")
    assert (problem.line, problem.cure) == (7, FIX.format("0,89"))


def test_a_number_without_program_is_the_readers_problem():
    assert check_bound(Bound(1, 0, "0.6", None, None, "w", "text"), None, ES, "docs/x.md") is None


def test_nothing_is_written_when_nothing_can_be_right():
    for value in (None, Value(error="…"), Value(numbers=(1, 2)), Value(numbers=(math.nan,))):
        assert corrected(bound("0.6"), value, ES) is None


# -- whatever is written reads as right


@st.composite
def notations(draw):
    """(bound number's text, language, place, text of the same number with its last digit moved, its value)"""
    language = draw(st.sampled_from([ES, RU]))
    place = draw(st.sampled_from(["text", "formula"]))
    tex = place == "formula"
    mark = "{,}" if tex and language is RU else language.decimal_mark
    decimals = draw(st.integers(0, 4))
    integer = draw(st.sampled_from(["0", "1", "7", "12", "345", "6789"]))
    group = draw(st.sampled_from(["", r"\," if tex else "\u202f"]))
    if group:
        integer = group.join(["12", "345"])
    text = integer + (mark + "0" * decimals if decimals else "")
    form = draw(st.sampled_from(["plain", "percent", "power"]))
    if form == "percent":
        text += r"\,\%" if tex else "\u202f%"
    elif form == "power":
        text += r"\cdot 10^{-3}" if tex else "·10⁻³"
    around = draw(st.sampled_from(["{}", "≈ {}", "({})", "unas {} veces"])) if not tex else r"\approx {}"
    return around.replace("{}", text), language, place


NUMBERS = (
    st.floats(-1e12, 1e12) | st.floats(-2, 2) | st.integers(-(10**9), 10**9) | st.sampled_from([0.125, 2.675, 0.5])
)


@quick
@given(notations(), NUMBERS)
def test_what_is_written_is_right(notation, value):
    text, language, place = notation
    written = corrected(bound(text, language.code, place=place), Value(numbers=(value,)), language)
    assert check(written, value, language=language, place=place) is None


@quick
@given(notations(), st.floats(-1e4, 1e4) | st.integers(-(10**6), 10**6), st.sampled_from([-1, 1]))
def test_the_last_digit_decides(notation, value, step):
    """A last digit more or less is wrong, unless the value lies half-way."""
    text, language, place = notation
    written = corrected(bound(text, language.code, place=place), Value(numbers=(value,)), language)
    number = read_numbers(written, language, tex=place == "formula")[0]
    assume(abs(abs(number.value - Fraction(value)) - number.half_unit) > number.half_unit / 10**3)
    beside = corrected(
        bound(written, language.code, place=place),
        Value(numbers=(float(number.value + step * 2 * number.half_unit),)),
        language,
    )
    assume(read_numbers(beside, language, tex=place == "formula")[0].half_unit == number.half_unit)
    if beside != written:
        assert check(beside, value, language=language, place=place) is not None


@quick
@given(notations(), NUMBERS)
def test_words_and_form_stay(notation, value):
    text, language, place = notation
    written = corrected(bound(text, language.code, place=place), Value(numbers=(value,)), language)
    old, new = (read_numbers(side, language, tex=place == "formula")[0] for side in (text, written))
    assert (text[: old.start], text[old.end :]) == (written[: new.start], written[new.end :])
    assert (old.notation.decimals, old.notation.percent) == (new.notation.decimals, new.notation.percent)


# -- mending a page

PAGE = r"""---
title: Máscaras
---

## Números {#numbers}

El peso es [60 %]{a= w}, el otro [60 %]{b= w}; con `[60 %]{= w}` no pasa nada.

| 1 | [0.50]{a= v} |

$$x=\val{0.60}{a= w}$$
"""


def test_mending_changes_nothing_else():
    page = parse_page(PageName("es", "lessons/masks.md"), PAGE)
    fixed = fix_page(page, {1: "61 %", 3: "0.614"})
    assert fixed == PAGE.replace("[60 %]{b", "[61 %]{b").replace(r"\val{0.60}", r"\val{0.614}")
    assert fix_page(page, {}) == PAGE


def test_mending_refuses_a_page_that_was_read_otherwise():
    page = parse_page(PageName("es", "lessons/masks.md"), PAGE)
    with pytest.raises(ValueError, match=r"^docs/es/lessons/masks.md:7: “60 %” does not stand where it was read$"):
        fix_page(type(page)(**{**vars(page), "text": PAGE[3:]}), {0: "61 %"})


# -- numbers bound to nothing


def unbound(text, language="es"):
    page = parse_page(PageName(language, "index.md"), text)
    return [(problem.line, problem.text) for problem in unbound_numbers(page)]


@pytest.mark.parametrize(
    "text",
    [
        "En 2017 y en 2014–2015, como dicen Vaswani et al. (2017).",
        "La media es 0 y la varianza 1.",
        "Véase §3.2.1, §§ 4–5, la sección 3, la tabla 12 y las capas 4, 5 y 6; también (ec. 14).",
        "См. раздел 3.2, таблицу 12, рис. 14, слой 4 и уроки 4, 5 и 6; в слоях 4–6.",
        "El caso 3; в случае 4; pytorch/pytorch#41508.",
        "Véase eq. 5 and Table 3, footnote 4.",
        "1. Primero\n2. Segundo\n\n3) Tercero",
        "## 2. Paso {#step-2}",
        "Nota[^12].\n\n[^12]: Vaswani.",
        "Con numpy 2.0, Python 3.11 y la versión 2.4.6 de GPT-2, e5, W2, L4 y d_2.",
        "La 3.ª vez, el 2.º paso; 3-й слой, 10-я строка; un mapa 2-D.",
        'Código `x = 0.5` y [enlace](../a-12.md "12").\n\n```\n0.7\n```',
        "arXiv:1706.03762, CC BY 4.0, https://example.org/12/34.",
        '<span data-x="0.5">texto</span> {width="300"}',
        "| | peso |\n|---|---|\n| 2 | alto |",
        "Ya ligado: [60 %]{a= w}; citado: [0.89]{=cited}.",
        r"$e^{1.8}$, $\sum_{i=1}^{64} x_{12}$, $-10^{-38}$, $\sqrt{2}\cdot\tfrac12$, $(2; 0)$, $2^{16}$, "
        r"$O(n^2)$",
        r"$x=\val{0.60}{a= w}$ y $\val{0.89}{=cited}$ \n",
        r"$$x=2\tag{12}\hspace{12pt}\\[14pt]$$",
        "√2 veces; −∞, nan",
    ],
)
def test_no_data(text):
    assert unbound(text) == []


def test_data_in_prose():
    assert unbound("El peso es 60 %.\n\nSon 12 capas de 2048 números; 0.5 y 0.5.") == [
        (1, "No program stands behind “60 %”"),
        (3, "No program stands behind “12”, “2048”, “0.5” and “0.5”"),
    ]
    assert unbound("Вес 0,60; слоёв 12, а не 20\u202f480.", "ru") == [
        (1, "No program stands behind “0,60”, “12” and “20\u202f480”")
    ]
    assert unbound("Son 3 filas; 0,5 y 1 024.") == [(1, "No program stands behind “3”, “0,5” and “1 024”")]
    assert unbound("| 3 | 0.25 |") == [(1, "No program stands behind “0.25”")]
    assert unbound("## Con 64 números {#x}") == [(1, "No program stands behind “64”")]


@pytest.mark.parametrize("language", ["es", "ru"])
@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("примерно 0.53", "0.53"),
        ("примерно 0,53", "0,53"),
        ("примерно 512", "512"),
        ("часто 12, главных 8, блокирует 3", "12 8 3"),
        ("слоёв 12, строк 4, примеров 64", "12 4 64"),
        ("№ 0,53 и № 0.53", "0,53 0.53"),
        ("paso 0.01, шаг 0,01, paso 1.5", "0.01 0,01 1.5"),
        ("tabla 0.53, sección 3.2,5", "0.53 3.2,5"),
        ("ejemplo 12·10⁻⁸; parte 3/8; punto 60 %; пункт 60 процентов", "12·10⁻⁸ 3/8 60_% 60_процентов"),
        ("capas 4, 0,5 y 6", "0,5 6"),
        ("пример 1\u202f024", "1\u202f024"),
        ("numpy 2,5", "2,5"),
        ("пример 3, № 12, § 3.2, примеры 4 и 5, часть 2, шаг 0, слоем 3, уровень 2, рисунок 4.1, токен 7", ""),
    ],
)
def test_a_label_is_a_whole_word_before_a_whole_number(text, numbers, language):
    listed = "".join(problem for _, problem in unbound(text, language))
    assert re.findall("“(.*?)”", listed) == [number.replace("_", " ") for number in numbers.split(" ") if number]


def test_data_in_formulas():
    assert unbound(r"$x=\val{0.60}{a= w}+0.60=12$") == [(1, "No program stands behind “0.60” and “12”")]
    assert unbound(r"$\\val{9}{a} \val{9}{a= w}+64$") == [(1, "No program stands behind “64”")]
    assert unbound(r"$x^{64}+\val{64}{a= w}+64$") == [(1, "No program stands behind “64”")]
    assert unbound(r"$x=3\cdot10^{-8}\text{ en 2017, con 12 capas}$") == [
        (1, r"No program stands behind “3\cdot10^{-8}” and “12”")
    ]
    assert unbound(r"$0{,}60$", "ru") == [(1, "No program stands behind “0{,}60”")]


def test_data_in_alt_texts():
    text = "/// snippet | a\nPesos: 0.60 y [0.60]{= w}, capa 3.\n\n[12]{= v} de 12 %.\n///"
    assert unbound(text) == [(2, "No program stands behind “0.60”"), (4, "No program stands behind “12 %”")]


def test_cures_of_unbound_numbers():
    page = parse_page(PageName("es", "index.md"), "Son 12.\n\n$x=0.60$")
    assert [problem.cure for problem in unbound_numbers(page)] == [
        "Write [12]{= expression}; for a quoted figure [12]{=cited}.",
        r"Write \val{0.60}{= expression}; for a quoted figure \val{0.60}{=cited}.",
    ]


@pytest.mark.parametrize(("text", "entity", "code"), [("95.0&nbsp;%", "&nbsp;", "00A0"), ("95&#160;%", "&#160;", "00A0"), ("&thinsp;95", "&thinsp;", "2009")])
def test_a_character_written_as_html_is_refused_and_never_taken_for_a_unit(text, entity, code):
    """`--fix` once wrote 1.0&nbsp;% for a value of 0.95: the sign after the entity was no per cent sign to it."""
    written = bound(text)
    problem = check_bound(written, Value(numbers=(0.95,)), ES, "page.md")
    assert entity in problem.text
    assert f"U+{code}" in problem.cure
    assert corrected(written, Value(numbers=(0.95,)), ES) is None
