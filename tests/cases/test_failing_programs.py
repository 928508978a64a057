"""A page whose program failed is never built in silence: exit status, log and page say what is wrong and where."""

from __future__ import annotations

import re

import pytest


@pytest.mark.case(number="C02")
@pytest.mark.case(number="C26")
def test_an_error_in_mid_program_fails_build_strict_build_and_check(checkout):
    """The build is no less strict without --strict; `check` is what the course's own test runs."""
    checkout.edit("snippets/es/other/count.py", "print(", "print('antes')\n1 / 0\nprint(")
    place = "snippets/es/other/count.py:3: ZeroDivisionError: division by zero"
    for done in (checkout.build(), checkout.build("--strict"), checkout.lessons("check")):
        assert done.returncode == 1
        assert place in done.stderr + done.stdout
        assert '  File "snippets/es/other/count.py", line 3, in <module>' in done.stderr + done.stdout
    page = checkout.page("es/lessons/other")
    assert page.count('<div class="lesson-problem"') == 1
    assert place in page
    assert "Pesos 2" not in re.sub(r"<[^>]+>", "", page), "no older output stands in its place"
    assert "<samp>Вес" in checkout.page("ru/lessons/mini")


@pytest.mark.case(number="C06")
def test_what_a_page_names_and_nobody_wrote_is_told_with_page_line_and_path(checkout):
    """Another letter case is another name, on Windows and macOS too, whose disks would find the file."""
    page = "docs/es/lessons/other.md"
    wrong = {"no-such": "There is no program snippets/es/other/no-such.py", "Count": "snippets/es/other/Count.py",
             "count:nothing": "snippets/es/other/count.py has no cell “nothing”", "mini/mix:weight": "snippets/es/mini/mix.py has no cell “weight”"}
    lines = {}
    for target in wrong:
        text = checkout.read(page)
        lines[target] = text.count("\n") + 2
        checkout.write(page, f"{text}\n/// snippet | {target}\n///\n")
    checkout.write("snippets/es/other/left-over.py", "print(1)\n")
    done = checkout.build()
    assert done.returncode == 1
    for target, said in wrong.items():
        assert re.search(rf"^{page}:{lines[target]}: .*{re.escape(said)}", done.stderr, re.M), (target, done.stderr)
    assert "snippets/es/other/left-over.py: No page shows this program [program-unused]" in done.stderr
    assert checkout.page("es/lessons/other").count('<div class="lesson-problem"') == len(wrong)


@pytest.mark.case(number="C29")
def test_a_line_added_in_one_language_is_told_and_line_numbers_cannot_be_given(checkout):
    """No page names lines of a program, so none can be the wrong ones."""
    checkout.edit("snippets/es/other/count.py", "print(", "x = 1\nprint(")
    checkout.edit("docs/es/lessons/mini.md", "/// snippet | mix\n", '/// snippet | mix\n    hl_lines: "3-5"\n')
    done = checkout.lessons("check")
    assert done.returncode == 1
    assert re.search(r"^snippets/ru/other/count\.py:\d+: .*; it stands at snippets/es/other/count\.py:2 \[parity-program\]$", done.stderr, re.M)
    assert "docs/es/lessons/mini.md:19: There is no option “hl_lines” [directive]" in done.stderr


@pytest.mark.case(number="C21")
def test_numpys_own_notation_is_told_before_a_version_changes_it(checkout):
    code = "import numpy as np\n\na = np.array([1.0, 2.0])\nprint([a.mean()], {'k': np.int64(3)}, [(a > 1).any()])\nprint(a.mean(), a)\n"
    checkout.write("snippets/es/other/count.py", code)
    done = checkout.lessons("accept", "es/other/count")
    said = done.stdout + done.stderr
    assert "a notation of NumPy that changes with its version [repr]" in said
    assert "np.float64(1.5)" in said
    assert "Print a plain number" in said
    checkout.edit("snippets/es/other/count.py", "print([a.mean()], {'k': np.int64(3)}, [(a > 1).any()])\n", "")
    assert "[repr]" not in checkout.lessons("accept", "es/other/count").stdout


EXITS = {"sys.exit()": True, "exit()": True, "sys.exit(0)": True, "sys.exit(3)": False, "raise KeyboardInterrupt": False, "os._exit(1)": False,
         "f(0)": False}


@pytest.mark.case(number="C26")
def test_whoever_exits_ends_only_itself(run):
    """Status 0 is a good end; what was printed stays, and nothing that follows runs."""
    runs = run.together(*(f"import os, sys\ndef f(n): return f(n + 1)\nprint('antes')\n{code}\nprint('nunca')" for code in EXITS))
    assert {code: found.result.failure is None for code, found in zip(EXITS, runs, strict=True)} == EXITS
    assert {found.result.cells[0].output for found in runs} == {"antes\n"}
