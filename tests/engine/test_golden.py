"""Golden files: writing, reading back, and comparing text exactly and numbers by what they show."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lessonkit.golden import GoldenCell, compare, difference, read, write
from lessonkit.project import ProgramName
from lessonkit.results import CellResult, Failure, Result
from lessonkit.snippets import parse_snippet

quick = settings(max_examples=100, deadline=None, derandomize=True, database=None)

NAME = ProgramName("es", "masks", "causal")


def program(*cells):
    """A program with a cell for each text: the first without a marker if it is None."""
    return parse_snippet(NAME, "".join("x = 1\n" if cell is None else f"# %% {cell}\nx = 1\n" for cell in cells))


def ran(*outputs):
    return Result(tuple(CellResult(output) for output in outputs))


def check(golden, output, *, options=""):
    """The problems of a program with one cell `a` that prints `output`, as text."""
    text = None if golden is None else f"# %% a\n{golden}"
    return [str(problem) for problem in compare(program(f"a{options}"), ran(output), text)]


# -- the file


def test_writes_a_line_before_each_named_cell():
    text = write(ran("uno\n", "", "dos \ntres"), program(None, "a", "b"))
    assert text == "uno\n# %% a\n# %% b\ndos\ntres\n"
    assert read(text) == [
        GoldenCell(None, 1, ("uno",)),
        GoldenCell("a", 3, ()),
        GoldenCell("b", 4, ("dos", "tres")),
    ]


def test_printed_markers_do_not_split_a_cell():
    output = "\\alpha\n# %% b\n\\# %% c\n\\\\# %% d\n #  %% e\n"
    text = write(ran(output), program("a"))
    assert text == "# %% a\n\\alpha\n\\# %% b\n\\\\# %% c\n\\\\\\# %% d\n #  %% e\n"
    assert read(text) == [GoldenCell("a", 2, tuple(output.splitlines()))]
    assert compare(program("a"), ran(output), text) == []


def test_a_program_that_prints_nothing():
    assert write(ran(""), program(None)) == ""
    assert read("") == []
    assert compare(program(None), ran(""), "") == []


LINES = st.lists(
    st.text(st.characters(exclude_characters="\n\r", codec="utf-8") | st.sampled_from("# %\\0.5-"), max_size=12)
    | st.sampled_from(["# %% a", "\\# %% a", "", "0.5 -1e-09 nan"]),
    max_size=6,
)


@quick
@given(LINES, LINES, st.booleans())
def test_what_is_written_is_read_back_and_equal(first, second, ended):
    outputs = ["".join(line + "\n" for line in lines) for lines in (first, second)]
    outputs = outputs if ended else [output.removesuffix("\n") for output in outputs]
    text = write(ran(*outputs), program("a", "b"))
    found = {cell.name: list(cell.lines) for cell in read(text)}
    stripped = [[line.rstrip(" \t") for line in output.split("\n")] for output in outputs]
    assert found == {name: lines[:-1] if lines[-1] == "" else lines for name, lines in zip("ab", stripped, strict=True)}
    assert [p for p in compare(program("a", "b"), ran(*outputs), text) if p.rule == "golden"] == []


def test_line_ends_do_not_count():
    assert check("uno\r\ndos\r\n", "uno\ndos\n") == []


# -- numbers


@pytest.mark.case(number="C67")
@pytest.mark.parametrize(
    ("golden", "now"),
    [
        ("peso 0.54\n", "peso 0.54"),
        ("peso 0.54   \n", "peso 0.54 \t\n"),
        ("-0.00\n", "0.00\n"),
        ("[-0.  1.]\n", "[0. 1.]\n"),
        ("[ 0.54 -0.  ]\n[ 1.    2.  ]\n", "[0.54 0.  ]\n[1.   2.  ]\n"),
        ("-0.0 b\n", "0.0  b\n"),
        ("0.40\n", "0.4\n"),
        ("0.3\n", "0.30000000000000004\n"),  # past the 15th digit
        ("0.1234567890123456\n", "0.12345678901234561\n"),
        ("0.3\n", "0.3000000000000009\n"),
        ("3.0\n", "3.000000000000009\n"),
        ("1.2e-05\n", "0.000012\n"),
        ("nan inf -inf\n", "nan inf -inf\n"),
        ("(1.5-2j)\n", "(1.50-2.0j)\n"),
        ("−0.5\n", "-0.5\n"),
        ("3 de 8\n", "3 de 8\n"),
    ],
)
def test_equal(golden, now):
    assert check(golden, now) == []


@pytest.mark.case(number="C67")
@pytest.mark.parametrize(
    ("golden", "now"),
    [
        ("peso 0.54\n", "peso 0.55\n"),
        ("0.4\n", "0.45\n"),
        ("0.45\n", "0.4\n"),
        ("[0.54 0.4 ]\n", "[0.54 0.41]\n"),
        ("0.5\n", "-0.5\n"),
        ("3\n", "4\n"),
        ("1\n", "1.0\n"),
        ("[1. 2.]\n", "[1 2]\n"),
        ("suma 1\n", "suma 1.\n"),
        ("12345678901234567890\n", "12345678901234567891\n"),
        ("2.220446049250313e-16\n", "1.110223024625157e-16\n"),
        ("1e-09\n", "2e-09\n"),
        ("0.0\n", "-7.8e-17\n"),
        ("nan\n", "0.5\n"),
        ("0.5\n", "nan\n"),
        ("0.3\n", "0.3000000000000011\n"),
        ("3.0\n", "3.000000000000011\n"),
        ("nan\n", "inf\n"),
        ("inf\n", "-inf\n"),
        ("1.5+2j\n", "1.5-2j\n"),
        ("2j\n", "2\n"),
        ("x2\n", "x3\n"),
        ("numpy 2.4.6\n", "numpy 2.4.7\n"),
        ("2024-05-01\n", "2024-05-02\n"),
        ("0x1f\n", "0x2f\n"),
        ("1_000\n", "1_001\n"),
        ("1,048,576\n", "1,048,577\n"),
        ("(3, 5)\n", "(5, 3)\n"),
        ("0.5 0.5\n", "0.5\n"),
        ("Peso 0.5\n", "peso 0.5\n"),
        ("peso: 0.5\n", "peso 0.5\n"),
        ("a  b\n", "a b\n"),
        (" a\n", "a\n"),
        ("0.5  0.5\n", "0.5 0.5\n"),
        ("a\n", "a\n\n"),
        ("\n", ""),
        ("a\nb\n", "b\na\n"),
    ],
)
def test_different(golden, now):
    assert [problem.splitlines()[0].split("[")[-1] for problem in check(golden, now)] == ["golden]"]


def test_padding_counts_only_while_all_numbers_are_as_wide():
    assert check("a -0.5\nb  0.5\n", "a -0.5\nb 0.5\n") != []
    assert check("a -0.0\nb  0.5\n", "a 0.0\nb 0.5\n") == []
    assert check("a -0.0\n", " a 0.0\n") != []
    assert check("-0.0\nb  c\n", "0.0\nb c\n") != []  # between words it always counts


@pytest.mark.case(number="C67")
def test_tolerance_of_a_cell():
    assert check("0.54 12\n", "0.56 12\n", options=" tolerance=0.02") == []
    assert check("9.99 de\n", "10.01 de\n", options=" tolerance=0.02") == []
    assert check("0.54\n", "0.5600001\n", options=" tolerance=0.02") != []
    assert check("12\n", "13\n", options=" tolerance=0.02") != []
    assert check("nan\n", "0.5\n", options=" tolerance=1") != []


FLOATS = st.floats(-1e6, 1e6, allow_nan=False)
WORDS = st.sampled_from(["peso", "(", ")", "[", "]", ",", "%", "=", "x2", "token 3"])
PRINTED = st.lists(
    WORDS | FLOATS.map(lambda value: f"{value:.3f}") | FLOATS.map(lambda value: f"{value:.2e}"),
    min_size=1,
    max_size=6,
).map(" ".join)


@quick
@given(PRINTED)
def test_a_line_is_itself(line):
    assert check(line + "\n", line + "\n") == []


@quick
@given(PRINTED, FLOATS, st.integers(0, 6), st.sampled_from([-1, 1]))
def test_a_unit_of_the_last_digit_is_found(line, value, decimals, step):
    unit = 10**-decimals
    golden, now = f"{value:.{decimals}f}", f"{value + step * unit:.{decimals}f}"
    assume(golden != now)
    assert check(f"{line} {golden}\n", f"{line} {now}\n") != []


@quick
@given(PRINTED, FLOATS, st.integers(1, 6), st.floats(-0.8, 0.8))
def test_digits_past_those_of_a_double_do_not_count(line, value, decimals, part):
    golden = f"{value:.{decimals}f}"
    assume(float(golden) != 0)
    now = repr(float(golden) + part * 10 ** (math.floor(math.log10(abs(float(golden)))) - 14))
    assert check(f"{line} {golden}\n", f"{line} {now}\n") == []


@quick
@given(PRINTED, st.data())
def test_another_letter_is_found(line, data):
    letters = [index for index, letter in enumerate(line) if not letter.isspace()]
    index = data.draw(st.sampled_from(letters))
    changed = line[:index] + "Q" + line[index + 1 :]
    assert check(line + "\n", changed + "\n") != []


# -- messages

ACCEPT = "`python scripts/lessons.py accept es/masks/causal`"
CURE = f"    Mend the program, or, if the new output is right, run {ACCEPT}."


def test_shows_where_a_line_differs():
    golden = "pesos de «banco»\nbanco  0.60 de 1\nmesa  -0.20 de 1\n"
    now = "pesos de «banco»\nbanco  0.61 de 1\nmesa  -0.20 en 1\n"
    assert check(golden, now) == [
        "\n".join(
            [
                "snippets/es/masks/causal.out:3: The output of the cell “a” differs from the golden file "
                "in 2 lines [golden]",
                "    golden | banco  0.60 de 1",
                "    now    | banco  0.61 de 1",
                "           |        ^^^^",
                "    golden | mesa  -0.20 de 1",
                "    now    | mesa  -0.20 en 1",
                "           |             ^^",
                CURE,
            ]
        )
    ]


def test_shows_lines_that_came_and_went():
    assert check("uno 1\ntres 3\n", "uno 1\ndos 2\ntres 3\n") == [
        "\n".join(
            [
                "snippets/es/masks/causal.out:2: The output of the cell “a” differs from the golden file [golden]",
                "    golden   (no such line)",
                "    now    | dos 2",
                CURE,
            ]
        )
    ]
    assert check("uno 1\ndos 2\ntres 3\n", "uno 1\ntres 3\n") == [
        "\n".join(
            [
                "snippets/es/masks/causal.out:3: The output of the cell “a” differs from the golden file [golden]",
                "    golden | dos 2",
                "    now      (no such line)",
                CURE,
            ]
        )
    ]


def test_finds_the_added_line_among_changed_ones():
    [problem] = check("peso 0.50\npeso 0.60\n", "peso 0.51\nnuevo\npeso 0.61\n")
    assert problem.splitlines()[1:-1] == [
        "    golden | peso 0.50",
        "    now    | peso 0.51",
        "           |      ^^^^",
        "    golden   (no such line)",
        "    now    | nuevo",
        "    golden | peso 0.60",
        "    now    | peso 0.61",
        "           |      ^^^^",
    ]


def test_shows_the_first_lines_only():
    [problem] = check("".join(f"{i}.5\n" for i in range(9)), "".join(f"{i}.7\n" for i in range(9)))
    assert "in 9 lines [golden]" in problem
    assert problem.count("golden |") == 3
    assert "    … and 6 more\n" in problem
    [problem] = check("1\n2\n3\n", "4\n5\n6\n")
    assert "more" not in problem


def test_marks_an_inserted_word():
    [problem] = check("el peso es 0.5 aquí\n", "el gran peso es 0.5 aquí\n")
    assert "    now    | el gran peso es 0.5 aquí\n           |    ^^^^^\n" in problem


def test_the_output_of_a_cell_without_name():
    [problem] = compare(program(None, "b"), ran("0.5\n", ""), "0.6\n# %% b\n")
    assert str(problem).startswith("snippets/es/masks/causal.out:1: The output differs from the golden file [golden]\n")


def test_no_golden_file():
    assert check(None, "0.5\n") == [
        "snippets/es/masks/causal.out: The program es/masks/causal has no golden file [golden-missing]\n"
        "    Look at what it prints: `python scripts/lessons.py accept es/masks/causal` shows it and "
        "writes the file."
    ]


def test_a_failed_run_is_not_compared():
    failed = Result((CellResult("0.5\n"),), Failure("program-error", 3, "…", "…"))
    assert compare(program("a", "b"), failed, "# %% a\n0.6\n# %% b\n") == []


# -- cells


def cells(golden, *names):
    return [f"{problem.line}: {problem.text}" for problem in compare(program(*names), ran(*[""] * len(names)), golden)]


def test_cells_that_only_one_side_has():
    assert cells("# %% a\n# %% b\n", "a", "b") == []
    assert cells("# %% a\n", "a", "b") == ["1: The golden file has no cell “b”"]
    assert cells("# %% a\n# %% b\n# %% c\n", "a", "c") == ["2: The golden file has a cell “b” that the program has not"]
    assert cells("# %% a\n# %% x\n# %% c\n", "a", "b", "c") == [
        "2: The cell “x” of the golden file is called “b” in the program"
    ]
    assert cells("# %% x\n# %% y\n", "a") == [
        "1: The cell “x” of the golden file is called “a” in the program",
        "2: The golden file has a cell “y” that the program has not",
    ]
    assert cells("# %% b\n# %% a\n", "a", "b") == [
        "1: The cells of the golden file stand in another order than those of the program: a, b"
    ]
    assert cells("# %% a\n# %% a\n", "a") == ["2: The golden file has a cell “a” that the program has not"]
    assert cells("resto\n# %% a\n", "a") == [
        "1: The golden file has lines before its first cell, where the program prints nothing"
    ]


def test_an_added_cell_leaves_the_others_compared():
    found = compare(program("a", "b"), ran("1\n", "2\n"), "# %% b\n3\n")
    assert [(problem.line, problem.text) for problem in found] == [
        (0, "The golden file has no cell “a”"),
        (2, "The output of the cell “b” differs from the golden file"),
    ]


# -- what no output should hold


@pytest.mark.case(number="C21")
@pytest.mark.parametrize("shown", ["np.float64(1.5)", "np.int64(3)", "np.True_", "np.str_('a')"])
def test_numpys_own_notation(shown):
    cure = "    Print a plain number: round(float(x), 2), bool(x), or x.tolist() for many."
    what = f"The output of the cell “a” shows {shown}, a notation of NumPy that changes with its version [repr]"
    assert check(f"[{shown}]\n", f"[{shown}]\n") == [f"snippets/es/masks/causal.out:2: {what}\n{cure}"]
    assert check("[1.5]\n", f"[{shown}]\n") == [
        f"snippets/es/masks/causal.out:2: {what}\n    golden | [1.5]\n    now    | [{shown}]\n"
        f"           |  {'^' * len(shown)}\n{cure}"
    ]
    assert check(None, f"[{shown}]\n")[1:] == [f"snippets/es/masks/causal.py:2: {what}\n{cure}"]


def test_the_end_of_numpys_notation_is_a_difference():
    assert "differs from the golden file" in check("[np.float64(1.5)]\n", "[1.5]\n")[0]


@pytest.mark.parametrize("line", ["usa np.sqrt(2)", "np.floor(1.5)", "input.float64(3)"])
def test_calls_are_no_notation(line):
    assert check(line + "\n", line + "\n") == []


@pytest.mark.case(number="C50")
@pytest.mark.parametrize(
    "shown",
    [
        "<object object at 0x7f0a1b2c3d4e>",
        "<__main__.Caja object at 0x7f0a1b2c3d4e>",
        "<Caja:0x7f0a1b2c3d4e>",
        "<Caja 0x1a2b3c>",
        "0x7f0a1b2c3d4e",
        "0x00007f0a1b2c3d4e",
        "0x104f3a2b0",
    ],
)
def test_addresses(shown):
    changed = shown.replace("2", "9")
    what = f"The output of the cell “a” shows {changed}, an address in memory, which is another one in each run"
    what += " [address]"
    cure = "    Print what matters of the object, or give its class a __repr__."
    assert check(f"x {changed}\n", f"x {changed}\n") == [f"snippets/es/masks/causal.out:2: {what}\n{cure}"]
    [problem] = check(f"x {shown}\n", f"x {changed}\n")
    assert problem.startswith(f"snippets/es/masks/causal.out:2: {what}\n    golden | x {shown}\n")


@pytest.mark.case(number="C50")
@pytest.mark.parametrize(
    "line", ["<function <lambda> at 0x7f0a1b2c3d4e>", "<bound method f of <C object at 0x7f0a1b2c3d4e>>"]
)
def test_addresses_inside_of_others(line):
    assert ["[address]" in problem for problem in check(line + "\n", line + "\n")] == [True]


@pytest.mark.parametrize("line", ["0xff", "0x1f600", "0xdeadbeef", "0x9e3779b97f4a7c15", "a < 0x10 > b", "<unk> at 3"])
def test_plain_hexadecimals_are_no_addresses(line):
    assert check(line + "\n", line + "\n") == []


def test_one_problem_a_cell_for_what_a_loop_prints():
    assert len(check("", "np.float64(1.5)\n" * 5)) == 1


# -- what `accept` shows


def test_difference():
    old = "# %% a\n1\n2\n3\n4\n-- 5\n6\n"
    new = "# %% a\n1\n2\n3\n4\n7\n6\n8\n"
    assert difference(old, new) == "line 5:\n 4\n--- 5\n+7\n 6\n+8"
    assert difference(old, old) == ""
    assert difference("", "1\n") == "line 1:\n+1"
