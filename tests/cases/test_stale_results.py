"""What a page shows was computed from the files as they are: after an edit, after a repair, after an interrupted build."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time

import pytest

from tests.conftest import Checkout, clean_environment


def built(course: Checkout, **environment: str) -> tuple[int, str, str]:
    """Build: exit status, which programs ran, and all that was said."""
    done = course.run(sys.executable, "-m", "mkdocs", "build", "--site-dir", str(course.site), **environment)
    ran = re.search(r"\d+ of \d+ programs ran.*", done.stderr)
    return done.returncode, ran[0] if ran else "", done.stderr


@pytest.mark.case(number="C01")
def test_a_changed_helper_and_a_helpers_helper_show_on_the_page_and_rerun_no_other(checkout):
    """One helper lies in a package, one beside the program, one is imported by the other."""
    checkout.write("snippets/es/other/reckon.py", "from adding import add\n\n\ndef double(x):\n    return add(x, x)\n")
    checkout.write("snippets/es/other/adding.py", "def add(a, b):\n    return a + b\n")
    checkout.edit("snippets/es/other/count.py", "1 + 1)", "double(2))")
    checkout.edit("snippets/es/other/count.py", "print(", "from reckon import double\n\nprint(")
    built(checkout)
    assert "<samp>Pesos 4</samp>" in checkout.page("es/lessons/other")
    for path, old, new, program, page, shown in (
        ("other/adding.py", "a + b", "a + b + 1", "other/count", "other", "Pesos 5"),
        ("other/reckon.py", "add(x, x)", "add(x, 0)", "other/count", "other", "Pesos 3"),
        ("mini/mixing/__init__.py", "exps.sum()", "exps.max()", "mini/mix", "mini", "Pesos: 1.0 0.368 0.135"),
    ):
        checkout.edit(f"snippets/es/{path}", old, new)
        _, ran, _ = built(checkout)
        assert ran.split("ran: ")[1] == f"es/{program}"
        assert f"<samp>{shown}</samp>" in checkout.page(f"es/lessons/{page}")


@pytest.mark.case(number="C18")
def test_a_module_that_is_there_later_heals_the_build(checkout):
    """Neither page nor program changed between the builds."""
    checkout.edit("snippets/es/other/count.py", "print(", "import answers\n\nprint(answers.a, ")
    status, _, said = built(checkout)
    assert (status, "ModuleNotFoundError: No module named 'answers'" in said) == (1, True)
    checkout.write("snippets/answers.py", "a = 42\n")
    status, ran, said = built(checkout)
    assert (status, ran) == (0, "1 of 4 programs ran: es/other/count"), said
    assert "<samp>42 Pesos 2</samp>" in checkout.page("es/lessons/other")


def children(process: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout.split()
    return [int(number) for number in found]


@pytest.mark.case(number="C18")
@pytest.mark.skipif(sys.platform != "linux", reason="looks for the program's process as Linux starts it")
def test_an_interrupted_build_leaves_no_result(checkout):
    """Ctrl+C while a program runs; on Windows it is CTRL_C_EVENT."""
    checkout.edit("snippets/es/other/count.py", "print(", "import time\n\nprint('antes')\ntime.sleep(1.5)\nprint(")
    stored = {file.name for file in (checkout.root / ".cache/results").iterdir()}
    build = subprocess.Popen([sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(checkout.site)], cwd=checkout.root,
                             env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while not any(children(parent) for parent in children(build.pid)):  # the programs' parent process has started one
        assert build.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)
    build.send_signal(signal.SIGINT)
    assert build.wait(20) != 0
    assert {file.name for file in (checkout.root / ".cache/results").iterdir()} <= stored
    status, ran, said = built(checkout)
    assert (status, ran) == (0, "1 of 4 programs ran: es/other/count"), said
    assert "<samp>antes\nPesos 2</samp>" in checkout.page("es/lessons/other")
