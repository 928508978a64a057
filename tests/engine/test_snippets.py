"""Programs and their cells: names, options, lines, and what is said of every fault."""

from __future__ import annotations

import pytest

from lessonkit.project import ProgramName, Project
from lessonkit.snippets import parse_snippet, read_snippet

NAME = ProgramName("es", "masks", "causal")


def read(text):
    return parse_snippet(NAME, text)


def said(snippet):
    return [(problem.line, problem.rule, problem.text) for problem in snippet.problems]


def test_cells_with_names_lines_and_options():
    snippet = read('"""Doc.\n\n# %% not-a-cell\n"""\nimport math\n\n# %% one tolerance=0.02 hide=true\n\nx = 1\ny = 2\n\n\n# %% two\nprint(x)\n')
    assert [(c.index, c.name, c.line, c.code) for c in snippet.cells] == [
        (0, None, 5, "import math"), (1, "one", 9, "x = 1\ny = 2"), (2, "two", 14, "print(x)")]
    assert (snippet.cells[1].tolerance, snippet.cells[1].hide, snippet.cells[2].hide) == (0.02, True, False)
    assert snippet.docstring == "Doc.\n\n# %% not-a-cell"
    assert not snippet.problems


def test_program_without_cells_is_one_cell():
    assert [(c.name, c.line, c.code) for c in read('"""Doc."""\n\nprint(1)\n').cells] == [(None, 3, "print(1)")]


def test_note_before_the_first_cell_is_no_cell():
    assert [c.name for c in read('"""D."""\n# Source: paper.\n\n# %% a\nx = 1\n').cells] == ["a"]


def test_marker_inside_a_string_is_text():
    assert len(read('# %% a\ntext = """\n# %% b\n"""\n').cells) == 1


def test_spaces_at_line_ends_inside_a_string_stay():
    assert read('x = """a  \nb"""\n').cells[0].code == 'x = """a  \nb"""'


def test_every_option():
    cell = read('# %% a raises=ValueError stdin="3\\nsí \\"x\\"" stderr=show native=true reads=data/*.txt,b.csv processes=true '
                'browser=false reason="reads 90 MB"\nx = 1\n').cells[0]
    assert (cell.raises, cell.stdin, cell.stderr, cell.native, cell.reads, cell.processes, cell.browser, cell.reason) == (
        "ValueError", ("3", 'sí "x"'), "show", True, ("data/*.txt", "b.csv"), True, False, "reads 90 MB")


@pytest.mark.parametrize(("text", "line", "rule", "what"), [
    ("x = (\n", 1, "program-syntax", "Python cannot read this program: '(' was never closed"),
    ("x = 1\ny = = 2\n", 2, "program-syntax", "Python cannot read this program: invalid syntax"),
    ("", 0, "program-empty", "This program has no code"),
    ('"""Doc."""\n', 0, "program-empty", "This program has no code"),
    ("# %%\nx = 1\n", 1, "cell-name", "This cell has no name"),
    ("# %% Two_words\nx = 1\n", 1, "cell-name", "“Two_words” is not a cell name"),
    ("# %% a\nx = 1\n# %% a\nx = 2\n", 3, "cell-name", "A cell named “a” begins at line 1 already"),
    ("# %% a\n\n# %% b\nx = 1\n", 1, "cell-empty", "The cell “a” has no code"),
    ("# %% a tolerence=1\nx = 1\n", 1, "cell-option", "There is no cell option “tolerence”"),
    ("# %% a tolerance=-1\nx = 1\n", 1, "cell-option", "tolerance=-1 is not possible"),
    ("# %% a stderr=no\nx = 1\n", 1, "cell-option", "stderr=no is not possible"),
    ("# %% a native=yes\nx = 1\n", 1, "cell-option", "native=yes is not possible"),
    ("# %% a raises=1\nx = 1\n", 1, "cell-option", "raises=1 is not possible"),
    ("# %% a\nfor i in range(2):\n    print(i)\n# %% b\n    print(-i)\n", 4, "cell-place", "A cell cannot begin inside a statement"),
    ("# %% a\nx = [\n# %% b\n]\n", 3, "cell-place", "A cell cannot begin inside a statement"),
    ("# %% a lonely\nx = 1\n", 1, "cell-option", "“lonely” is not an option"),
    ("# %% a browser=false\nx = 1\n", 1, "cell-option", "browser=false needs a reason"),
])
def test_faults(text, line, rule, what):
    assert (line, rule, what) in said(read(text))


@pytest.mark.case(number="C53")
@pytest.mark.parametrize("data", ["\ufeffx = 1\r\ny = 2\r\n".encode(), b"x = 1\r\ny = 2", b"x = 1\ny = 2\n"])
def test_byte_order_mark_and_line_ends_do_not_matter(tmp_path, data):
    file = tmp_path / NAME.path
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    assert read_snippet(Project(tmp_path), NAME).cells[0].code == "x = 1\ny = 2"


@pytest.mark.case(number="C47")
def test_other_encodings_are_refused_with_their_line(tmp_path):
    file = tmp_path / NAME.path
    file.parent.mkdir(parents=True)
    file.write_bytes("# -*- coding: cp1251 -*-\nprint('ключ')\n".encode("cp1251"))
    problem = read_snippet(Project(tmp_path), NAME).problems[0]
    assert str(problem) == ("snippets/es/masks/causal.py:2: This line is not UTF-8 (byte 0xea) [program-encoding]\n"
                            "    Save the file as UTF-8.")
