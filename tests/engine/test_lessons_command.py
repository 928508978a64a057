"""`scripts/lessons.py` in a miniature course: what is broken turns red at its line, what is mended turns green."""

from __future__ import annotations

import re

import pytest

ES = "docs/es/lessons/mini.md"
RU = "docs/ru/lessons/mini.md"

BREAKS = {
    # what: (file, old, new, rule, what the report says)
    "softmax": ("snippets/es/mini/mixing/__init__.py", "np.exp(scores", "np.exp(2 * scores", None, None),
    "golden file": ("snippets/es/mini/mix.out", "0.245", "0.246", "golden", "0.246"),
    "word in a golden file": ("snippets/ru/mini/mix.out", "Веса", "Вес", "golden", "Вес"),
    "bound digit in text": (ES, "66.5", "66.4", "bound-number", "66.5"),
    "bound digit in a formula": (RU, "7{,}39", "7{,}38", "bound-number", "7{,}39"),
    "bound digit in an alt text": (ES, "llega a [0.665]", "llega a [0.675]", "bound-number", "0.665"),
    "formula": (ES, "\\frac{e^2}", "\\frak{e^2}x\\foo", "formula", "\\foo"),
    "alt text": (RU, "Три столбца; первый доходит до [0,665]{= weights[0]}.\n", "", "alt-text", "1 figure and has no alt text"),
    "heading's id": (ES, " {#mixing}", "", "heading-id", "has no id"),
    "decimal mark in a figure": ("snippets/ru/mini/mix.py", 'decimal=","', 'decimal="."', "figure", "has a point"),
    "link": (ES, "../index.md", "../indx.md", "link", "docs/es/indx.md, which does not exist"),
}


@pytest.mark.parametrize("what", BREAKS)
def test_red_at_the_right_line_and_green_again(checkout, what):
    path, old, new, rule, words = BREAKS[what]
    whole = checkout.read(path)
    line = checkout.edit(path, old, new)
    broken = checkout.lessons("check")
    assert broken.returncode == 1
    if what in ("formula", "alt text"):
        line -= 1  # told at the line where the formula, or the block, begins
    if rule == "figure":  # told where the page shows it
        assert f"{RU}:{checkout.read(RU).splitlines().index('/// snippet | mix') + 1}: In a figure: " in broken.stderr
        assert words in broken.stderr
    elif rule:
        found = [entry for entry in broken.stderr.splitlines() if entry.startswith(f"{path}:{line}:") and f"[{rule}]" in entry]
        assert found, broken.stderr
        assert words in broken.stderr
    else:  # softmax: every number that it gave turns red, on the page, in the formula, in the alt text and in the output
        for place in ("docs/es/lessons/mini.md:11:", "docs/es/lessons/mini.md:16:", "docs/es/lessons/mini.md:19:",
                      "snippets/es/mini/mix.out:2:"):
            assert place in broken.stderr, broken.stderr
        assert "docs/ru" not in broken.stderr
    checkout.write(path, whole)
    mended = checkout.lessons("check")
    assert mended.returncode == 0, mended.stderr
    assert mended.stdout == "6 pages and 4 programs: nothing is wrong\n"


def test_all_problems_at_once_each_with_its_line(checkout):
    lines = {
        "bound-number": (ES, checkout.edit(ES, "66.5", "66.4")),
        "alt-text": (RU, checkout.edit(RU, "Три столбца; первый доходит до [0,665]{= weights[0]}.\n", "") - 1),
        "program-missing": ("docs/es/lessons/other.md", checkout.edit("docs/es/lessons/other.md", "| count", "| cont")),
        "golden": ("snippets/ru/mini/mix.out", checkout.edit("snippets/ru/mini/mix.out", "0.09", "0.19")),
        "link": ("docs/ru/index.md", checkout.edit("docs/ru/index.md", "mini.md", "mnii.md")),
    }
    found = checkout.lessons("check").stderr
    for rule, (path, line) in lines.items():
        assert any(entry.startswith(f"{path}:{line}: ") and entry.endswith(f"[{rule}]") for entry in found.splitlines()), (rule, found)


def test_fix_writes_the_right_digits_in_each_language(checkout):
    before = checkout.read(ES), checkout.read(RU)
    checkout.edit(ES, "66.5", "66.4")
    checkout.edit(RU, "7{,}39", "7{,}12")
    checkout.edit(ES, "llega a [0.665]", "llega a [0.1]")
    fixed = checkout.lessons("check", "--fix")
    assert fixed.returncode == 1
    assert "docs/es/lessons/mini.md:16: 66.4\u00a0% → 66.5\u00a0%" in fixed.stdout
    assert (checkout.read(ES).replace("llega a [0.7]", "llega a [0.665]"), checkout.read(RU)) == before
    assert checkout.lessons("check", "--fix").returncode == 0


def test_fix_leaves_line_ends_and_byte_order_mark(checkout):
    checkout.edit(ES, "66.5", "66.4")
    file = checkout.root / ES
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    wanted = file.read_bytes().replace(b"66.4", b"66.5")
    assert checkout.lessons("check", "--fix").returncode == 1
    assert file.read_bytes() == wanted


def test_fix_writes_no_break_spaces_where_the_lints_want_them_and_nowhere_else(checkout):
    wrong = "Es [7 %]{=cited} o [7 %]{=cited}, `7 %` nunca; un 8 % más. <!-- allow lint-percent: así lo pide la prueba -->\n\n"
    checkout.edit(ES, "Pesos [", wrong.partition(" <!--")[0] + "\n\n" + wrong + "Pesos [")
    checkout.edit(RU, "Веса [", "Так [7 %]{=cited} или [7 %]{=cited} так — `7 — %` никогда; а 8 % — больше.\n\n" + "Так [7\u00a0%]{=cited}.\n\nВеса [")
    fixed = checkout.lessons("check", "--fix")
    assert fixed.returncode == 1
    assert fixed.stdout.count(": no-break spaces") == 2
    assert "Es [7\u00a0%]{=cited} o [7\u00a0%]{=cited}, `7 %` nunca; un 8\u00a0% más.\n\n" + wrong in checkout.read(ES)
    assert "Так [7\u00a0%]{=cited} или [7\u00a0%]{=cited} так\u00a0— `7 — %` никогда; а 8\u00a0%\u00a0— больше." in checkout.read(RU)
    assert "lint-" not in checkout.lessons("check", "--fix").stderr


def test_unbound_numbers_are_listed_on_request(checkout):
    checkout.edit(ES, "Pesos [", "Pesos 0.25 [")
    checkout.edit(RU, "Веса [", "Веса 0,25 [")
    assert checkout.lessons("check").returncode == 0
    listed = checkout.lessons("check", "--unbound")
    assert listed.returncode == 1
    assert f"{ES}:16: No program stands behind “0.25” [unbound-number]\n" in listed.stderr
    # a notice, not a fault: the course is as healthy as before
    assert listed.stdout == "6 pages and 4 programs: nothing is wrong\n"
    assert listed.stderr.endswith("\n2 places with numbers that no program stands behind\n")
    assert "problem" not in listed.stderr


def test_unbound_numbers_are_counted_apart_from_problems(checkout):
    checkout.edit(ES, "Pesos [", "Pesos 0.25 [")
    checkout.edit(RU, "66,5", "66,4")
    listed = checkout.lessons("check", "--unbound")
    assert listed.returncode == 1
    assert "\n1 problem\n" in listed.stderr
    assert listed.stderr.endswith("\n1 place with numbers that no program stands behind\n")
    assert "nothing is wrong" not in listed.stdout


@pytest.mark.parametrize("path", [ES, RU])
def test_a_misspelled_directive_is_one_problem(checkout, path):
    line = checkout.edit(path, "/// snippet | mix", "/// snipet | mix")
    other = "docs/ru/lessons/other.md"
    checkout.write(other, checkout.read(other) + "\n$x$\n")  # another page is compared as ever
    found = checkout.lessons("check").stderr
    own = [entry for entry in found.splitlines() if "lessons/mini.md:" in entry]
    assert [entry.partition(": ")[0] for entry in own] == [f"{path}:{line}"], found
    assert own[0].endswith("[directive]")
    assert "docs/es/lessons/other.md:7: The formula $x$ is missing" in found


def test_what_an_unclosed_code_block_swallows_is_not_a_difference_between_the_languages(checkout):
    line = checkout.edit(ES, "## La mezcla", "```\ncode\n\n## La mezcla")
    found = checkout.lessons("check").stderr
    assert f"{ES}:{line}: This code block is not closed [fence]" in found
    assert "[parity-" not in found


def test_accept_shows_the_difference_and_writes(checkout):
    checkout.edit("snippets/es/mini/mix.py", '"Pesos:"', '"Los pesos:"')
    assert checkout.lessons("check").returncode == 1
    accepted = checkout.lessons("accept", "es/mini/mix")
    assert accepted.returncode == 0, accepted.stderr
    assert "Los pesos: 0.665" in accepted.stdout
    assert checkout.read("snippets/es/mini/mix.out").startswith("# %% weights\nLos pesos: 0.665 0.245 0.09\n")
    assert checkout.lessons("check").returncode == 0


def test_accept_leaves_the_file_of_a_failing_program_alone(checkout):
    before = checkout.read("snippets/es/mini/mix.out")
    checkout.edit("snippets/es/mini/mix.py", "weights = softmax(scores)", "weights = softmax(scores) / 0 + 1 / 0")
    refused = checkout.lessons("accept", "mini/mix")
    assert refused.returncode == 1
    assert "snippets/es/mini/mix.py:8: " in refused.stderr
    assert checkout.read("snippets/es/mini/mix.out") == before


def test_accept_says_what_no_golden_file_should_hold(checkout):
    checkout.edit("snippets/es/other/count.py", "1 + 1)", "repr(object()))\nprint('np.float64(0.5)')")
    for _ in range(2):  # once accepted it is no better
        accepted = checkout.lessons("accept", "es/other/count")
        assert accepted.returncode == 1
        assert "snippets/es/other/count.out:1: The output shows <object object at 0x" in accepted.stderr
        assert "[address]" in accepted.stderr
        assert "snippets/es/other/count.out:2: The output shows np.float64(0.5)" in accepted.stderr
        assert "[repr]" in accepted.stderr
        assert accepted.stderr.endswith("\n2 problems\n")
    assert "np.float64(0.5)" in checkout.read("snippets/es/other/count.out")


@pytest.mark.case(number="C23")
def test_accept_says_what_another_run_prints_otherwise(checkout):
    """Builds have one order of sets; a reader's Python has another each time."""
    program, golden = "snippets/es/other/count.py", "snippets/es/other/count.out"
    for code in ("print('fijo')\nprint({'uno', 'dos', 'tres', 'cuatro', 'cinco'})\n", "print('fijo')\nfor w in {'кот', 'луна', 'ключ', 'дом'}: print(w)\n",
                 "import random\n\nprint('fijo')\nprint(random.random())\n"):
        checkout.write(program, code)
        done = checkout.lessons("accept", "es/other/count")
        assert done.returncode == 1
        assert re.search(rf"^{golden}:[2-5]: This line is another one each time the program runs \[golden\]$", done.stderr, re.M), done.stderr
        assert "sorted(words)" in done.stderr
    checkout.write(program, "print(sorted({'uno', 'dos', 'tres', 'cuatro', 'cinco'}))\n")
    done = checkout.lessons("accept", "es/other/count")
    assert (done.returncode, done.stderr) == (0, "")


def test_accept_with_nothing_new_says_so(checkout):
    for names, line in ((), "4 programs print what their golden files say\n"), (
        ("es/mini/mix",), "1 program prints what its golden file says\n"
    ):
        accepted = checkout.lessons("accept", *names)
        assert (accepted.returncode, accepted.stdout, accepted.stderr) == (0, line, "")


def test_run_prints_and_fails_honestly(checkout):
    shown = checkout.lessons("run", "ru/mini/mix")
    assert shown.returncode == 0
    assert shown.stdout == "── snippets/ru/mini/mix.py\nВеса: 0.665 0.245 0.09\n(1 figure)\n"
    checkout.edit("snippets/ru/mini/mix.py", "scores = ", "scores = 1 / 0 + ")
    failed = checkout.lessons("run", "mini")
    assert failed.returncode == 1
    assert "Pesos: 0.665" in failed.stdout
    assert "snippets/ru/mini/mix.py:7: ZeroDivisionError: division by zero [program-error]" in failed.stderr


@pytest.mark.parametrize(("arguments", "words"), [
    (["run", "mini/mixx"], "There is no program, lesson or language “mini/mixx”. Did you mean mini/mix?"),
    (["frobnicate"], "invalid choice"), ([], "required"), (["check", "--fast"], "unrecognized arguments"),
])
def test_what_is_not_understood_exits_with_2(checkout, arguments, words):
    done = checkout.lessons(*arguments)
    assert done.returncode == 2
    assert words in done.stderr


@pytest.mark.parametrize("command", [[], ["run"], ["check"], ["accept"]])
def test_every_command_explains_itself(checkout, command):
    done = checkout.lessons(*command, "--help")
    assert done.returncode == 0
    assert "Exit status" in done.stdout


def test_golden_file_without_a_program(checkout):
    checkout.write("snippets/es/mini/old.out", "x\n")
    assert "snippets/es/mini/old.out: No program belongs to this golden file [golden-orphan]" in checkout.lessons("check").stderr


def test_check_reports_what_is_asked_for_and_counts_the_rest(checkout):
    checkout.edit(ES, "66.5", "66.4")
    checkout.edit("docs/ru/index.md", "mini.md", "mnii.md")
    for name in ("mini", "es", "es/mini"):
        asked = checkout.lessons("check", name)
        assert asked.returncode == 1
        assert "2 problems elsewhere" in asked.stdout
        assert ES in asked.stderr
        assert "index.md" not in asked.stderr
    assert "3 problems elsewhere" in checkout.lessons("check", "mini/mix").stdout
    checkout.edit(ES, "66.4", "66.5")
    asked = checkout.lessons("check", "mini")
    assert asked.returncode == 0
    assert "2 problems elsewhere" in asked.stdout


def test_a_program_renamed_without_its_page_is_offered(checkout):
    for path in ("count.py", "count.out"):
        (checkout.root / "snippets/es/other" / path).rename(checkout.root / "snippets/es/other" / path.replace("count", "xyz"))
    told = checkout.lessons("check").stderr
    assert "Was it renamed? No page shows snippets/es/other/xyz.py." in told


def test_a_val_that_cannot_be_read_is_told_once(checkout):
    line = checkout.edit(ES, "$e^2\\approx\\val{7.39}{mix= np.exp(2)}$", "$e^2\\approx\\val{7.39}mix= np.exp(2)$")
    told = checkout.lessons("check", "es").stderr
    assert f"{ES}:{line}: This \\val cannot be read [bound-number]" in told
    assert "[formula]" not in told
