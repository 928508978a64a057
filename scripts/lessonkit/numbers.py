"""Numbers as people write them in each language: read exactly, held against a program's values, written
again.

A number is judged by what it shows: `60 %` claims a value between 0.595 and 0.605, `6.05` one between 6.045
and 6.055. All arithmetic is exact. This module must be imported as `lessonkit.numbers`; the standard library
has another one.
"""

from __future__ import annotations

import functools
import html
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lessonkit.languages import LANGUAGES, Language
from lessonkit.pages import VAL, Bound, Page, PageFormula
from lessonkit.problems import Problem
from lessonkit.results import Value

NO_BREAK = "\u202f"
"""Narrow no-break space: what the engine writes between groups of thousands and before %."""
MINUS = "\u2212"
FRACTION_ROUNDING = Fraction(1, 10**9)
"""1/3 on a page is exact, in a program it is a float: they may differ by this much, relative to the value."""


@dataclass(frozen=True)
class Notation:
    """How a number is written, so that another value can be written in the same way."""

    sign: str
    group: str
    """What stands between groups of thousands."""
    group_from: int
    """Fewest digits that are grouped: 1024 stays closed unless its author grouped it."""
    integer_digits: int
    """Digits before the decimal mark; 0 if a single zero stands there."""
    decimals: int
    percent: str
    """The % sign, or the words for it, with the space before it."""
    times: str | None = None
    """What stands between mantissa and power of ten; "" if the power stands alone; None without a power."""
    exponent: int = 0
    denominator: int | None = None
    frac: str = ""
    r"""The command of a TeX fraction, `\frac`; "" if it is written a/b."""


@dataclass(frozen=True)
class Number:
    """A number found in a text."""

    start: int
    end: int
    text: str
    value: Fraction | float | None
    """What it shows, exactly; a float only for ∞ and nan; None if it cannot be read."""
    half_unit: Fraction = Fraction(0)
    """How far the true value may lie from it: half a unit of its last digit."""
    notation: Notation | None = None
    """None for ∞, nan and what cannot be read."""
    fault: str = ""
    """Why it cannot be read, in plain words."""
    readings: tuple[str, ...] = ()
    """If it cannot be read: what may be meant, in the right notation, the likeliest first."""


# -- reading -------------------------------------------------------------------------------------------------

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
SPECIAL = r"∞|\\infty(?![A-Za-z])|(?<![\w\\])(?:nan|NaN|inf)(?!\w)"
TEX_SPACE = r"(?:\\[,;:! ]|~|[ \t\n\u00a0\u202f])"
TO_PROSE = rf"(?:[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\^[+\-{MINUS}]?[0-9]+)"
TO_TEX = rf"\^\s*(?:\{{\s*[+\-{MINUS}]?[0-9]+\s*\}}|[+\-{MINUS}]?[0-9]+)"
"""Exponents, right ones and wrong ones."""
INTEGER = "(?P<integer>[1-9][0-9]{0,2}(?P<group>GAP)[0-9]{3}(?:(?P=group)[0-9]{3})*(?![0-9])|[0-9]+)"
PERCENT_WORDS = (
    r"(?:por[ \u00a0\u202f]ciento|процент(?:а|у|ов|ом|е|ы|ам|ами|ах)?|per[ ]?cent)(?!\w)"
)
PROSE = rf"""
    (?P<sign>[+\-{MINUS}–](?=[0-9.,]|{SPECIAL}))?
    (?: (?P<special>{SPECIAL})
      | (?: {INTEGER}(?P<fraction>(?:MARKS[0-9]+)*)
          | (?P<bare>(?<![\w.,)\]»”])[.,][0-9]+)
        )
        (?: /(?P<denominator>[0-9]+)
          | (?P<power>{TO_PROSE})
          | (?P<times>[ \u00a0\u202f]?[·⋅×*][ \u00a0\u202f]?)10(?P<exponent>{TO_PROSE})
          | [eE](?P<e>[+\-{MINUS}]?[0-9]+)
        )?
        (?P<percent>[ \u2009\u00a0\u202f]?%|[ \u00a0\u202f]{PERCENT_WORDS})?
    )
"""
TEX = rf"""
    (?P<sign>[+\-{MINUS}–](?=[0-9.]|{SPECIAL}|\\[dt]?frac))?
    (?: (?P<special>{SPECIAL})
      | (?P<frac>\\[dt]?frac)\s*
        (?:\{{(?P<top>[0-9]+)\}}\s*\{{(?P<bottom>[0-9]+)\}}|(?P<top1>[0-9])\s*(?P<bottom1>[0-9]))
      | (?: {INTEGER}(?P<fraction>(?:MARKS[0-9]+)*)
          | (?P<bare>(?<![\w.,)\]}}])\.[0-9]+)
        )
        (?: /(?P<denominator>[0-9]+)
          | \s*(?P<power>{TO_TEX})
          | (?P<times>{TEX_SPACE}*(?:\\cdot|\\times|[·⋅×*]){TEX_SPACE}*)10\s*(?P<exponent>{TO_TEX})
          | [eE](?P<e>[+\-{MINUS}]?[0-9]+)
        )?
        (?P<percent>{TEX_SPACE}*\\?%)?
    )
"""


def _pattern(form: str, gap: str, marks: str) -> re.Pattern:
    return re.compile(form.replace("GAP", gap).replace("MARKS", marks), re.X)


# In formulas a bare comma stands between list entries, as in (1,0.8). On a page with a decimal comma it is
# most likely a decimal comma without its braces, so there it is read, and refused.
PATTERNS = {
    (False, "."): _pattern(PROSE, r"[ \u2009\u00a0\u202f]", "[.,]"),
    (False, ","): _pattern(PROSE, r"[ \u2009\u00a0\u202f]", "[.,]"),
    (True, "."): _pattern(TEX, r"\\,|~|[ \u2009\u00a0\u202f]", r"(?:\{,\}|\.)"),
    (True, ","): _pattern(TEX, r"\\,|~|[ \u2009\u00a0\u202f]", r"(?:\{,\}|[.,])"),
}
SCRIPT = re.compile(r"[\^_]\s*(?:(?P<braces>\{)|\\[A-Za-z]+|\S)")
COMMAND_BEFORE = re.compile(r"\\[A-Za-z]+$")
RELATION_BEFORE = re.compile(
    r"\\(?:approx|sim|simeq|cong|equiv|le|leq|ge|geq|lt|gt|ne|neq|ll|gg|to|in|cdot|times|div|pm|mp|mapsto|propto|"
    r"rightarrow|Rightarrow|quad|qquad|left|big|Big|colon|dots|ldots|cdots)$"
)
"""TeX commands after which a minus is a sign; after any other one, such as \\alpha, it subtracts."""
LEADING_OPERATOR = re.compile(
    r"(?:[/√]|\\sqrt\s*\{?|\\[dt]?frac\s*\{|\\[dt]?frac\s*\{(?:[^{}]|\{[^{}]*\})*\}\s*\{)\s*[+\-−]?$"
)


@functools.lru_cache(maxsize=1 << 15)  # `mkdocs serve` judges the same numbers again and again
def read_numbers(text: str, language: Language, *, tex: bool = False) -> tuple[Number, ...]:
    """The numbers of a text in their order, in the notation of `language`; with `tex`, of a formula.

    Left out, because they are no numbers: digits of a name (x2, GPT-2, d_2, 2D), exponents (e^1.8) and
    subscripts. What is a number but not in the language's notation, or only a part of an expression (1/√2,
    512²), has a `fault`.
    """
    found = []
    scripts = list(_script_spans(text)) if tex else []
    for match in PATTERNS[tex, language.decimal_mark].finditer(text):
        if any(start <= match.start() < end for start, end in scripts):
            continue
        number = _read(match, text, language, tex)
        if number:
            found.append(number)
    return tuple(found)


def _script_spans(tex: str) -> Iterator[tuple[int, int]]:
    """Where the exponents and subscripts of a formula stand."""
    for match in SCRIPT.finditer(tex):
        if not match["braces"]:
            yield match.span()
            continue
        depth, position = 1, match.end()
        while depth and position < len(tex):
            depth += {"{": 1, "}": -1}.get(tex[position], 0)
            position += 1
        yield match.start(), position


def _read(match: re.Match, text: str, language: Language, tex: bool) -> Number | None:
    """The number that `match` found, or None if it is a part of a name."""
    before = text[: match.start()]
    after = text[match.end() :]
    sign, start = match["sign"] or "", match.start()
    if sign and _follows_operand(before, tex):
        if sign == "-" and not tex and before[-1:].isalpha():
            return None  # GPT-2
        before, sign, start = before + sign, "", start + 1
    if _within_name(before, after, match, tex):
        return None
    shown = text[start : match.end()]
    if match["special"]:
        value = math.nan if match["special"].lower() == "nan" else math.inf
        return Number(start, match.end(), shown, -value if sign in ("-", MINUS) else value)
    fault, readings = _fault(match, sign, language, tex) or (_part_of_expression(match, before, after), ())
    if fault:
        return Number(start, match.end(), shown, None, fault=fault, readings=readings)
    notation, mantissa = _notation(match, sign, tex)
    value, half_unit = _value(mantissa, notation)
    return Number(start, match.end(), shown, value, half_unit, notation)


def _follows_operand(before: str, tex: bool) -> bool:
    """Whether a sign after `before` subtracts or adds, or joins, instead of belonging to the number."""
    if tex:
        before = re.sub(rf"{TEX_SPACE}+$", "", before)
        if COMMAND_BEFORE.search(before):
            return not RELATION_BEFORE.search(before)
    return before[-1:].isalnum() or before[-1:] in tuple(")]}%»”!°′'")


def _within_name(before: str, after: str, match: re.Match, tex: bool) -> bool:
    if not tex and (before.endswith("^") or re.search(r"[^\W\d_][-‐‑]$", before)):
        return True
    if re.search(r"\w$", before) and not (tex and COMMAND_BEFORE.search(before)):
        return True
    plain = match["integer"] and not match["fraction"]
    return bool(plain and not tex and not match["percent"] and re.match(r"\w", after) and not match["power"])


def _fault(match: re.Match, sign: str, language: Language, tex: bool) -> tuple[str, tuple[str, ...]] | None:
    """Why a number is not in the notation of the language, and what may be meant; None if it is."""
    code, mark = language.code, language.decimal_mark
    pages = f"{code} formulas" if tex else f"{code} pages"
    if match["bare"]:
        return "a digit stands before the decimal mark", _readings(match, sign, mark, tex)
    if not int(match["denominator"] or (tex and (match["bottom"] or match["bottom1"])) or 1):
        return "it divides by 0", ()
    if re.match(r"0[0-9]", match["integer"] or ""):
        return "it begins with a 0 too many", ()
    if sign == "–":
        minus = "-" if tex else MINUS
        return f"a dash (–) is no minus ({minus})", _readings(match, minus, mark, tex)
    if match["group"] in (" ", "\u2009"):
        return "the space in it may part thousands or two numbers", _readings(match, sign, mark, tex)
    marks = re.findall(r"\{,\}|[.,]", match["fraction"] or "")
    right = "{,}" if tex and mark == "," else mark
    if len(marks) > 1:
        return "it has several decimal marks", _list_readings(match, mark, tex)
    if marks and marks[0] != right:
        readings = _readings(match, sign, mark, tex)
        if tex and marks[0] == ",":
            readings += (match[0].replace(",", ", "),)
        return f"{pages} write the decimal mark “{right}”", readings
    exponent = match["exponent"] or (match["power"] if _is_power_of_ten(match) else None)
    if match["e"] or (exponent and not _is_well_raised(exponent, match["times"], tex)):
        example = r"3\cdot 10^{-8}" if tex else "3·10⁻⁸"
        return f"{pages} write powers of ten as in {example}", _readings(match, sign, mark, tex)
    if tex and match["percent"] and not match["percent"].endswith(r"\%"):
        return "in TeX a bare % begins a comment", _readings(match, sign, mark, tex)
    return None


def _is_power_of_ten(match: re.Match) -> bool:
    return bool(match["power"]) and match["integer"] == "10" and not match["fraction"]


def _is_well_raised(exponent: str, times: str | None, tex: bool) -> bool:
    if not tex:
        return not exponent.startswith("^") and (times is None or "·" in times)
    return bool(re.fullmatch(r"\^\s*(?:\{.*\}|[0-9])", exponent)) and (times is None or r"\cdot" in times)


def _part_of_expression(match: re.Match, before: str, after: str) -> str:
    """The fault of a number that is not a value by itself: 1/√2, √2, 512², 0.8d."""
    if match["power"] and not _is_power_of_ten(match):
        return "it has an exponent, so it is an expression, not a number"
    following = re.match(r"[/^!√\w]|\s*\\(?:sqrt|pi|frac)\b|\s*\^", after)
    leading = LEADING_OPERATOR.search(before)
    if following or leading:
        around = (leading[0].strip() if leading else "") + match[0] + (following[0].strip() if following else "")
        return f"it is a part of an expression ({around})"
    return ""


def _parts(match: re.Match, tex: bool) -> tuple[str, str]:
    """(digits before the decimal mark, digits after it)"""
    if tex and match["frac"]:
        return match["top"] or match["top1"], ""
    return _digits(match["integer"]), _digits(match["fraction"] or match["bare"])


def _digits(text: str | None) -> str:
    return re.sub(r"[^0-9]", "", text or "")


def _exponent(raw: str) -> int:
    return int(re.sub(r"[\^{}\s]", "", raw.translate(SUPERSCRIPTS)).replace(MINUS, "-"))


def _notation(match: re.Match, sign: str, tex: bool) -> tuple[Notation, int]:
    """How the number is written, and its digits as one signed integer."""
    integer, decimals = _parts(match, tex)
    notation = Notation(
        sign=sign,
        group=match["group"] or "",
        group_from=min(len(integer), 5) if match["group"] else 5,
        integer_digits=0 if integer == "0" and decimals else len(integer),
        decimals=len(decimals),
        percent=match["percent"] or "",
    )
    if match["denominator"]:
        notation = replace(notation, denominator=int(match["denominator"]))
    elif tex and match["frac"]:
        notation = replace(notation, denominator=int(match["bottom"] or match["bottom1"]), frac=match["frac"])
    elif _is_power_of_ten(match):
        notation = replace(notation, times="", exponent=_exponent(match["power"]), integer_digits=1)
        integer = "1"
    elif match["exponent"]:
        notation = replace(notation, times=match["times"], exponent=_exponent(match["exponent"]))
    elif match["e"]:
        notation = replace(notation, times=r"\cdot " if tex else "·", exponent=_exponent(match["e"]))
    return notation, int(integer + decimals) * (-1 if sign in ("-", MINUS, "–") else 1)


def _value(mantissa: int, notation: Notation) -> tuple[Fraction, Fraction]:
    """(value, half a unit of the last digit)"""
    scale = Fraction(1, 100) if notation.percent else Fraction(1)
    if notation.denominator is not None:
        value = Fraction(mantissa, notation.denominator) * scale
        return value, FRACTION_ROUNDING * max(abs(value), scale / notation.denominator)
    unit = Fraction(10) ** (notation.exponent - notation.decimals) * scale
    return mantissa * unit, unit / 2


# -- writing -------------------------------------------------------------------------------------------------


def _spell(mantissa: int, notation: Notation, mark: str, tex: bool) -> str:
    """The number whose digits are `mantissa`, in the given notation."""
    sign = notation.sign
    if mantissa < 0 and sign not in ("-", MINUS):
        sign = "-" if tex else MINUS
    elif mantissa >= 0 and sign in ("-", MINUS):
        sign = ""
    if notation.denominator is not None:
        form = f"{notation.frac}{{%d}}{{%d}}" if notation.frac else "%d/%d"
        return sign + form % (abs(mantissa), notation.denominator) + notation.percent
    digits = str(abs(mantissa)).rjust(notation.decimals + 1, "0")
    cut = len(digits) - notation.decimals
    body = _grouped(digits[:cut], notation)
    if notation.decimals:
        body += ("{,}" if tex and mark == "," else mark) + digits[cut:]
    if notation.times is not None:
        power = "10" + (f"^{{{notation.exponent}}}" if tex else str(notation.exponent).translate(RAISED))
        times = notation.times or (r"\cdot " if tex else "·")
        body = power if notation.times == "" and mantissa in (1, -1) else body + times + power
    return sign + body + notation.percent


def _grouped(digits: str, notation: Notation) -> str:
    if not notation.group or len(digits) < max(notation.group_from, 4):
        return digits
    first = len(digits) % 3 or 3
    return notation.group.join([digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3))])


def _readings(match: re.Match, sign: str, mark: str, tex: bool) -> tuple[str, ...]:
    """What a number in the wrong notation may mean: the same digits in the right one, and 1,024 as 1024."""
    notation, mantissa = _notation(match, sign, tex)
    if notation.group:
        notation = replace(notation, group=r"\," if tex else NO_BREAK)
    if notation.times:
        notation = replace(notation, times=r"\cdot " if tex else "·")
    if tex and notation.percent:
        notation = replace(notation, percent=r"\,\%")
    readings = [_spell(mantissa, notation, mark, tex)]
    if re.fullmatch(r"[1-9][0-9]{0,2}[.,][0-9]{3}", (match["integer"] or "") + (match["fraction"] or "")):
        readings.append(_spell(mantissa, replace(notation, decimals=0), mark, tex))
    return tuple(readings)


def _list_readings(match: re.Match, mark: str, tex: bool) -> tuple[str, ...]:
    """What 1,2,3 or 1,048,576 may mean; nothing for 2.4.6, which is most likely a version."""
    shown = match["integer"] + match["fraction"]
    readings = []
    if re.fullmatch(r"[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+|(?:,[0-9]{3})+)", shown):
        readings.append(re.sub(r"[.,]", lambda _: r"\," if tex else NO_BREAK, shown))
    if re.fullmatch(r"[0-9]+(?:,[0-9]+)+", shown):
        readings.append(shown.replace(",", "; " if mark == "," else ", "))
    return tuple(readings)


def _rewritten(number: Number, value: int | float, mark: str, tex: bool) -> str | None:
    """The number's text with the right digits, unchanged if it is right; None if no digits can be right."""
    if _is_right(number, value):
        return number.text
    notation = number.notation
    if notation is None or not _is_finite(value):
        return None
    exact = Fraction(value) * (100 if notation.percent else 1)
    if notation.denominator is not None:
        return _rewritten_fraction(exact, notation, mark, tex)
    if notation.times is not None and exact:
        notation = replace(notation, exponent=_exponent_for(exact, notation))
    mantissa = round(exact * Fraction(10) ** (notation.decimals - notation.exponent))
    if notation.times == "" and not mantissa:
        return "0"
    return _spell(mantissa, notation, mark, tex)


def _rewritten_fraction(exact: Fraction, notation: Notation, mark: str, tex: bool) -> str | None:
    """The value over the same denominator, or over the smallest one below 1000; None if there is none."""
    for denominator in (notation.denominator, exact.limit_denominator(999).denominator):
        top = round(exact * denominator) if denominator else 0
        if denominator and abs(Fraction(top, denominator) - exact) <= FRACTION_ROUNDING * abs(exact):
            return _spell(top, replace(notation, denominator=denominator), mark, tex)
    return None


def _exponent_for(exact: Fraction, notation: Notation) -> int:
    """The power of ten with which the mantissa keeps its number of digits before the decimal mark."""
    size = abs(exact)
    order = len(str(size.numerator)) - len(str(size.denominator))
    if size < Fraction(10) ** order:
        order -= 1
    exponent = order - notation.integer_digits + 1
    mantissa = round(size * Fraction(10) ** (notation.decimals - exponent))
    return exponent + (mantissa >= 10 ** (notation.integer_digits + notation.decimals))


# -- judging bound numbers -----------------------------------------------------------------------------------


def _is_right(number: Number, value: int | float) -> bool:
    """Whether the number shows the value, rounded to the digits shown; at a tie both roundings are right.

    A float stands for its exact binary value and for its shortest decimal form: 2.675 may be shown as 2.67
    and as 2.68.
    """
    shown = number.value
    if shown is None:
        return False
    if isinstance(shown, float) or not _is_finite(value):
        return shown == value or (shown != shown and value != value)
    forms = (value,) if isinstance(value, int) else (Fraction(float(value)), Fraction(repr(float(value))))
    return any(abs(shown - form) <= number.half_unit for form in forms)


def _is_finite(value: int | float) -> bool:
    return isinstance(value, int) or math.isfinite(value)


def check_bound(bound: Bound, value: Value | None, language: Language, path: str) -> Problem | None:
    """The problem of a bound number, at its line in the page `path`; None if it shows its value.

    `value` is None if the program did not get as far as the cell after which the expression is evaluated. A
    quoted number (`{=cited}`) is only asked to be in the language's notation.
    """
    if not bound.cited and bound.program is None:
        return None  # the page's reader has told why
    if entity := _entity(bound):
        character = html.unescape(entity)
        return Problem(path, bound.line, "bound-number", f"{entity} in “{bound.text}” is read as letters",
                       f"Write the character itself, U+{ord(character[0]):04X}; `&` is for HTML.")
    numbers = read_numbers(bound.text, language, tex=bound.place == "formula")
    wrong = _wrong_notation(numbers) if bound.cited else _wrong(bound, value, numbers)
    if wrong is None:
        return None
    text, cure = wrong
    right = corrected(bound, value, language)
    if right is not None:
        cure = f"Write “{right}”; `python scripts/lessons.py check --fix` does it."
    return Problem(path, bound.line, "bound-number", text, cure)


def _wrong(bound: Bound, value: Value | None, numbers: Sequence[Number]) -> tuple[str, str] | None:
    """(what is wrong, what to do if nothing can be written by itself)"""
    what = f"“{bound.expression}” of {bound.program}"
    if value is None:
        return f"{what} has no value, because the program did not run that far", "Mend the program first."
    if value.error is not None:
        where = f"after the cell “{bound.after}”" if bound.after else "at the program's end"
        return f"{what} has no value: {value.error}", f"Mend the expression; it is evaluated {where}."
    shown = f"“{bound.text}” is shown, but {what} is"
    if value.text is not None:
        if not value.text.strip():
            return f"{what} gives an empty text", (
                "Let it give a number or a word; if the text needs no value, write it without brackets and expression."
            )
        right = _plain_text(bound) == value.text
        return None if right else (f"{shown} the text “{value.text}”", f"Write “{value.text}”.")
    values = value.numbers or ()
    if any(number.fault for number in numbers):
        return _wrong_notation(numbers)
    if len(numbers) != len(values):
        return _wrong_count(bound, what, len(numbers), values)
    if all(_is_right(number, item) for number, item in zip(numbers, values, strict=True)):
        return None
    for number, item in zip(numbers, values, strict=True):
        if _is_scaled_by_words(bound.text, number, item):
            words = SCALE_WORDS.match(bound.text, number.end)[0].strip()
            return f"{shown} {_listed(values)}", (
                f"“{words}” after “{number.text}” changes its size: write the number without it, "
                "or let the expression give what stands before it."
            )
    return f"{shown} {_listed(values)}", "Mend the program, or write what it gives in another form."


def _wrong_notation(numbers: Sequence[Number]) -> tuple[str, str] | None:
    for number in numbers:
        if number.fault:
            cure = "Write the number by itself, in the page's notation."
            if number.readings:
                cure = f"Write “{number.readings[0]}”."
            return f"“{number.text}” cannot be read as a number: {number.fault}", cure
    return None


def _wrong_count(bound: Bound, what: str, shown: int, values: tuple[int | float, ...]) -> tuple[str, str]:
    given = f"{_count(len(values))}: {_listed(values)}" if values else "no number"
    text = f"“{bound.text}” shows {_count(shown)}, but {what} gives {given}"
    if shown and values:
        return text, f"Show {_count(len(values))}, or take an expression that gives {_count(shown)}."
    return text, "Show what it gives."


def _plain_text(bound: Bound) -> str:
    wrapped = re.fullmatch(r"\\(?:text|mathrm|texttt)\{([^{}]*)\}", bound.text)
    return wrapped[1] if wrapped and bound.place == "formula" else bound.text


def _count(number: int) -> str:
    return f"{number or 'no'} number{'' if number < 2 else 's'}"


def _listed(values: tuple[int | float, ...], most: int = 8) -> str:
    shown = [repr(value if isinstance(value, int) else float(value)) for value in values[:most]]
    return ", ".join(shown) + (f", … ({len(values)} in all)" if len(values) > most else "")


def corrected(bound: Bound, value: Value | None, language: Language) -> str | None:
    """The bound number's text with the right digits; words, ≈, %, grouping, decimals and right numbers stay.

    None if no text can be right by itself: an error, another count of numbers, nan. For a quoted number
    (`value` does not matter) the same digits in the language's notation.
    """
    tex = bound.place == "formula"
    if _entity(bound):
        return None
    if bound.cited:
        return next(_spellings(bound.text, language, tex), (None, []))[0]
    if value is not None and value.text is not None:
        return value.text if value.text.strip() and not tex and not UNSAFE.search(value.text) else None
    if value is None or value.numbers is None:
        return None
    first = None
    for text, numbers in _spellings(bound.text, language, tex):
        if len(numbers) != len(value.numbers):
            continue
        pairs = list(zip(numbers, value.numbers, strict=True))
        written = [_rewritten(*pair, language.decimal_mark, tex) for pair in pairs]
        if written == [number.text for number in numbers]:
            return text
        if any(_is_scaled_by_words(text, *pair) for pair in pairs):
            continue
        if first is None and None not in written:
            first = _substituted(text, numbers, written)
    return first


ENTITY = re.compile(r"&(?:#x?[0-9a-fA-F]+|[A-Za-z]+\d*);")


def _entity(bound: Bound) -> str | None:
    """The first character that is written as HTML; in TeX `&` is its own."""
    found = ENTITY.search(bound.text) if bound.place != "formula" else None
    return found[0] if found else None


SCALE_WORDS = re.compile(
    r"[ \u00a0\u202f]?(?:‰|por mil\b|mil(?:es|lón|lones|lardos?)?\b|bill(?:ón|ones)\b|k\b|puntos? porcentual\w*|"
    r"(?:d[eé]cim|cent[eé]sim|mil[eé]sim|millon[eé]sim|docen)as?\b|"
    r"тыс\w*|млн|млрд|миллион\w*|миллиард\w*|промилле|процентн\w+ пункт\w*|десят(?:ых|ая|ые)|"
    r"сот(?:ых|ая|ые)|дюжин\w*)",
    re.I,
)


def _is_scaled_by_words(text: str, number: Number, value: int | float) -> bool:
    """Whether words after a number (20 mil) say its size, and it is ten times off from the value or more.

    Then the digits of 20480 must not be written before the words: “20480 mil” is another number.
    """
    if not SCALE_WORDS.match(text, number.end) or not _is_finite(value):
        return False
    smaller, larger = sorted((abs(number.value), abs(Fraction(value))))
    return larger >= 10 * smaller


def quoted_values(bound: Bound, language: Language) -> tuple[Fraction | float | str, ...]:
    """What a quoted number (`{=cited}`) says, the same in all notations; its text if no number can be read.

    In a wrong notation (0.89 for 0,89: `check_bound` tells it) it says what it most likely means.
    """
    _, numbers = next(_spellings(bound.text, language, bound.place == "formula"), (None, None))
    return (bound.text,) if numbers is None else tuple(number.value for number in numbers)


UNSAFE = re.compile(r"[\[\]{}|\n\\]")
"""What would end a bound number or escape something if it stood in its text."""


def _spellings(text: str, language: Language, tex: bool) -> Iterator[tuple[str, Sequence[Number]]]:
    """The text with its numbers, or the same digits in the language's notation; the likeliest first."""
    numbers = read_numbers(text, language, tex=tex)
    faulty = [number for number in numbers if number.fault]
    texts = []
    if not faulty:
        # In a formula with decimal points 0,60 reads as a list, but may be meant as 0.60.
        texts = [text, re.sub(r"(?<=[0-9]),(?=[0-9])", ".", text)]
    elif all(number.readings for number in faulty):
        for choice in range(max(len(number.readings) for number in faulty)):
            chosen = [number.readings[min(choice, len(number.readings) - 1)] for number in faulty]
            texts.append(_substituted(text, faulty, chosen))
    for spelling in texts:
        numbers = read_numbers(spelling, language, tex=tex)
        if not any(number.fault for number in numbers):
            yield spelling, numbers


def _substituted(text: str, numbers: Iterable[Number], written: Iterable[str]) -> str:
    parts, position = [], 0
    for number, new in zip(numbers, written, strict=True):
        parts += [text[position : number.start], new]
        position = number.end
    return "".join([*parts, text[position:]])


def fix_page(page: Page, corrections: Mapping[int, str]) -> str:
    """The page's text with the given bound numbers (by index in `page.bounds`) replaced, and nothing else."""
    parts, position = [], 0
    for index in sorted(corrections, key=lambda index: page.bounds[index].start):
        bound = page.bounds[index]
        if page.text[bound.start :][: len(bound.text)] != bound.text:
            raise ValueError(f"{page.name.path}:{bound.line}: “{bound.text}” does not stand where it was read")
        parts += [page.text[position : bound.start], corrections[index]]
        position = bound.start + len(bound.text)
    return "".join([*parts, page.text[position:]])


# -- numbers bound to nothing --------------------------------------------------------------------------------

ENDING = "(?:а|я|у|ю|е|ы|и|ой|ей|ом|ем|ью|й|ам|ям|ами|ями|ах|ях)"
"""Of Russian nouns before their number. The genitive plural in -ов is not among them: слоёв 12 counts layers."""
SECTIONED = (
    # Spanish
    r"secci(?:ón|ones)|cap[ií]tulos?|cap\.|lecci(?:ón|ones)|tablas?|figuras?|figs?\.|ecuaci(?:ón|ones)|ecs?\.|"
    r"ap[eé]ndices?|versi(?:ón|ones)|"
    # Russian
    rf"раздел{ENDING}?|глав{ENDING}|урок{ENDING}?|таблиц{ENDING}|табл\.|рисун(?:ок|к{ENDING})|рис\.|"
    rf"уравнени{ENDING}|формул{ENDING}|приложени{ENDING}|верси{ENDING}|"
    # English, in sources
    r"sections?|secs?\.|chapters?|tables?|figures?|equations?|eqs?\.|appendix|lessons?|version"
)
"""Nouns before a number that names a thing and may have points in it: section 3.2."""
NUMBERED = (
    r"notas?|pasos?|casos?|capas?|cabezas?|l[ií]neas?|filas?|columnas?|ejercicios?|p[aá]ginas?|p[aá]gs?\.|"
    r"pp?\.|ejemplos?|partes?|puntos?|nivel(?:es)?|bloques?|semillas?|posici(?:ón|ones)|token|"
    rf"сноск{ENDING}|примечани{ENDING}|шаг{ENDING}?|случа(?:й|я|ю|е|ем|и)|сло(?:й|я|ю|е|и|ем|ём|ям|ями|ях)|"
    rf"голов{ENDING}|строк{ENDING}|столб(?:ец|ц{ENDING})|упражнени{ENDING}|страниц{ENDING}|стр\.|"
    rf"пример{ENDING}?|част(?:ь|{ENDING})|пункт{ENDING}?|задани{ENDING}|блок{ENDING}?|уров(?:ень|н{ENDING})|"
    rf"позици{ENDING}|зерн(?:о|{ENDING})|токен{ENDING}?|"
    r"layers?|heads?|steps?|pages?|lines?|rows?|footnotes?|algorithms?|seed"
)
"""Nouns before a whole number that names a thing instead of counting or measuring it."""
VERSIONED = (
    "python|numpy|pytorch|torch|matplotlib|mathjax|pyodide|mkdocs|cuda|material|unicode|html|bert|gpt|llama|qwen|"
    "gemma|mistral|cc[ ]by(?:-sa)?|apache|mit"
)
WHOLE = (
    r"(?![0-9]|[.,/][0-9]|[ \u2009\u00a0\u202f][0-9]{3}(?![0-9])|\s?%|\s?(?:por\sciento|процент)"
    r"|\s?[·⋅×*]\s?10|[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹^]|e[+\-−]?[0-9])"
)
"""The number has ended: № 0,53 is no № 0, and the whole of it is data."""
NAMING = rf"[0-9]+{WHOLE}"
DOTTED = rf"(?:0{WHOLE}|[1-9][0-9]*(?:\.[0-9]+)*{WHOLE})"
AND = r"(?:\s?[–-]\s?|,\s|,?\s(?:y|e|o|и|или|and|or)\s)"
NOT_DATA = re.compile(
    rf"""
      ^[\s>]*\#*\s*(?:[-*+]\s+)?[0-9]+[.)](?=\s)                                   # a list number
    | ^\s*\|\s*[0-9]+\s*(?=\|)                                                     # a table row's number
    | \[\^[^\]\s]+\]:?                                                             # a footnote's mark
    | \{{[:\#.\w][^{{}}]*\}}                                                       # attributes
    | (?:§+|\b(?:{SECTIONED})(?:\s*(?:№|n\.º))?)\s*\(?{DOTTED}(?:{AND}{DOTTED})*      # §3.2.1, tabla 1
    | (?:№|\#|\b(?:{NUMBERED})(?:\s*(?:№|n\.º))?)\s*\(?{NAMING}(?:{AND}{NAMING})*    # capas 4, 5 y 6
    | \b(?:{VERSIONED})[\s-]v?[0-9]+(?:\.[0-9]+)*{WHOLE}                           # numpy 2.0
    | \b(?:arxiv|doi|isbn)[:\s]\s*\S+|https?://\S+
    | \b[0-9]+(?:\.[0-9]+){{2,}}\b                                                 # 2.4.6
    | \b(?<![0-9][.,])[0-9]+(?:\.?[ºª]|-(?:й|я|е|го|му|м|ю|х|ми|ый|ая|ое|ой|ую|ые|ых|th|st|nd|rd|D)\b)  # 3.ª, 3-й, 2-D
    """,
    re.X | re.I,
)
TEX_TEXT = re.compile(r"\\(?:text|textbf|textit|mbox)\s*\{(?P<words>[^{}]*)\}")
TEX_LAYOUT = re.compile(
    r"\\(?:tag\*?|label|ref|eqref|hspace\*?|vspace|mspace|color|textcolor|begin|class|cssId|style)"
    r"\s*\{[^{}]*\}(?:\{[lcr|]+\})?"
    r"|\\\\\[[^\]]*\]|\\(?:kern|mkern|hskip|mskip)\s*-?[0-9.]+[a-z]*"
)
SMALL = 10
IN_TEXT, IN_FORMULA = "[{}]{{{}}}", r"\val{{{}}}{{{}}}"


def unbound_numbers(page: Page) -> list[Problem]:
    """The numbers of a page that are bound to nothing and look like data: one problem a line or formula.

    No data are: years; numbers of sections, lessons, layers, tables, lists and footnotes; ordinals; versions
    and names (x2, GPT-2, 2D); 0 and 1 in prose (a mean of 0, rows that sum to 1). In a formula also
    exponents, subscripts, bare powers of ten and whole numbers up to 10, alone or in a fraction: they are its
    structure (√2, 1/2, the dots of [2; 0]), and listing them would bury the rest. Small counts in prose are
    listed; write them as words.
    """
    language = LANGUAGES[page.name.language]
    found = [(line, _data_in_prose(text, language), IN_TEXT) for line, text in page.prose]
    for alt in (alt for directive in page.directives for alt in directive.alts):
        text = _without_bounds(alt.text, [page.bounds[index].text for index in alt.bounds])
        found += [(alt.line, _data_in_prose(text, language), IN_TEXT)]
    found += [(item.line, _data_in_formula(page, item, language), IN_FORMULA) for item in page.formulas]
    return sorted(_unbound(page.name.path, *data) for data in found if data[1])


def _unbound(path: str, line: int, numbers: list[str], form: str) -> Problem:
    listed = [f"“{number}”" for number in numbers]
    what = " and ".join([", ".join(listed[:-1]), listed[-1]] if listed[1:] else listed)
    bind, cite = (form.format(numbers[0], binding) for binding in ("= expression", "=cited"))
    cure = f"Write {bind}; for a quoted figure {cite}."
    return Problem(path, line, "unbound-number", f"No program stands behind {what}", cure)


def _data_in_prose(text: str, language: Language) -> list[str]:
    blanked = NOT_DATA.sub(lambda match: " " * len(match[0]), text)
    return [number.text for number in read_numbers(blanked, language) if not _is_no_data(number)]


def _data_in_formula(page: Page, formula: PageFormula, language: Language) -> list[str]:
    tex = _without_vals(page, formula)
    words = [match["words"] for match in TEX_TEXT.finditer(tex)]
    tex = TEX_LAYOUT.sub(" ", TEX_TEXT.sub(" ", tex))
    found = [number.text for number in read_numbers(tex, language, tex=True) if not _is_structure(number)]
    return found + [number for text in words for number in _data_in_prose(text, language)]


def _without_vals(page: Page, formula: PageFormula) -> str:
    r"""The formula's TeX with an empty group in place of each `\val{…}{…}`."""
    tex, parts, position = formula.source, [], 0
    bounds = [page.bounds[index] for index in formula.bounds]
    if not bounds:
        return tex
    first = next(m.end() for m in VAL.finditer(tex) if tex.startswith(f"{{{bounds[0].text}}}{{", m.end()))
    offset = bounds[0].start - (first + 1)
    for bound in bounds:
        start = bound.start - offset
        parts.append(tex[position : start - len(r"\val{")])
        position = tex.index("}", start + len(bound.text) + len("}{")) + 1
    return "{}".join([*parts, tex[position:]])


def _without_bounds(text: str, bounds: Iterable[str]) -> str:
    """An alt text without its bound numbers, which stand in it in their order."""
    position = 0
    for bound in bounds:
        start = text.find(" ".join(bound.split()), position)
        if start >= 0:
            text = text[:start] + " " + text[start + len(bound) :]
            position = start
    return text


def _is_no_data(number: Number) -> bool:
    """Whether a number in prose is 0, 1, ∞, nan, a year, or the 2 of √2."""
    if isinstance(number.value, float) or (number.fault and _is_structure(number)):
        return True
    plain = re.fullmatch(rf"[+\-{MINUS}]?[01]|(?:19|20)[0-9]{{2}}|2100", number.text)
    return bool(plain) and number.text != "2048"  # a power of two, and a usual length of a context


def _is_structure(number: Number) -> bool:
    r"""Whether a number is a part of a form: 2, 1/2, \frac12, 10^{-9}, the 2 of √2, \sqrt2 and 2^{16}."""
    if isinstance(number.value, float) or (number.notation and number.notation.times == ""):
        return True
    base = re.sub(r"\s*(?:\^.*|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)", "", number.text)
    form = re.fullmatch(
        rf"[+\-{MINUS}]?(?:(\d+)(?:/(\d+))?|\\[dt]?frac\s*(?:\{{(\d+)\}}\s*\{{(\d+)\}}|(\d)\s*(\d)))", base
    )
    return bool(form) and all(int(part) <= SMALL for part in form.groups() if part)
