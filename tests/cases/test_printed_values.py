"""Values that differ from run to run or from machine to machine are told, or do not count; threads do not multiply.

On ARM, macOS and Windows last digits differ as in `test_last_digits_of_another_machine_do_not_count`; CI runs the whole course there.
"""

from __future__ import annotations

import os
import re

import numpy as np
import pytest

from lessonkit import golden
from lessonkit.results import CellResult, Result
from lessonkit.runner import Runner
from tests.conftest import ROOT

ADDRESSES = """
    class Caja:
        def __repr__(self): return f"<Caja:{hex(id(self))}>"
        def abre(self): pass
    # %% object
    print(object())
    # %% lambda
    print(lambda x: x)
    # %% generator
    print(x for x in [])
    # %% method
    print(Caja().abre)
    # %% own
    print(Caja())
    # %% plain
    print(0xff, hex(255), [1, 2], Caja)
    """


@pytest.mark.case(number="C50")
def test_each_form_of_an_address_is_told_and_two_runs_say_the_same(run):
    first, second = run.together(ADDRESSES, ADDRESSES)
    snippet = run.project.snippet(f"p{run._count}")
    kept = golden.write(first.result, snippet)
    said = [golden.compare(snippet, found.result, kept) for found in (first, second)]  # first: where the golden file has them
    assert not [problem for problem in said[0] + said[1] if "“plain”" in problem.text]
    assert [[problem.rule for problem in problems] for problems in said] == [["address"] * 5] * 2


LAST_DIGITS = """
    import numpy as np
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    # %% inverse
    print(np.linalg.inv(a) @ a)
    # %% sum
    print(sum([0.1] * 10), sum([0.1] * 3))
    # %% fft
    print(np.fft.fft([1.0, 2.0, 3.0, 4.0]).round(3))
    # %% fit
    print(*np.polyfit([0, 1, 2, 3], [1, 3, 5, 7.1], 1))
    # %% zero
    print(-0.0, np.array([-0.0, 1.0]), round(-1e-17, 3))
    """


def as_elsewhere(output: str, step: int) -> str:
    """The output with its last digits moved, and with zeros of the other sign, as another BLAS gives them."""

    def moved(match: re.Match) -> str:
        text = match[0]
        if float(text) == 0:
            return text.lstrip("-") if step > 0 else text
        digits = len(text.lstrip("-").replace(".", "").lstrip("0"))
        return repr(float(np.nextafter(float(text), step * np.inf))) if digits >= 16 else text

    return re.sub(r"-?\d+\.\d*", moved, output)


@pytest.mark.case(number="C67")
def test_last_digits_of_another_machine_do_not_count(run):
    found = run(LAST_DIGITS)
    assert found.result.failure is None, found.result.failure
    snippet = run.project.snippet(f"p{run._count}")
    kept = golden.write(found.result, snippet)
    assert "0.9999999999999999" in kept
    assert "-0.0" in kept
    for step in (1, -1):
        cells = tuple(CellResult(as_elsewhere(cell.output, step)) for cell in found.result.cells)
        assert any(cell.output != old.output for cell, old in zip(cells, found.result.cells, strict=True))
        assert golden.compare(snippet, Result(cells), kept) == []
    words = tuple(CellResult(cell.output.replace("0.", "cero ")) for cell in found.result.cells)
    assert golden.compare(snippet, Result(words), kept), "text is compared exactly"


@pytest.mark.case(number="C67")
def test_lessons_round_what_they_print():
    """What rounding left of zero has another size and sign on each machine: no tolerance would be right for it."""
    goldens = sorted((ROOT / "snippets").rglob("*.out"))
    assert len(goldens) > 50
    noise = re.compile(r"(?<![\w.])-?\d(?:\.\d+)?e-1[5-9]\b|\d\.\d{16,}")
    assert {file.name: found for file in goldens if (found := noise.findall(file.read_text(encoding="utf-8")))} == {}


MATRICES = """
    import os, re, pathlib
    import numpy as np
    a = np.ones((700, 700))
    (a @ a).sum()
    print(os.environ["OMP_NUM_THREADS"], os.environ["OPENBLAS_NUM_THREADS"], os.environ["MKL_NUM_THREADS"])
    print(os.getpid())
    """


@pytest.mark.case(number="C54")
@pytest.mark.parametrize("start", ["fork", "spawn"] if hasattr(os, "fork") and os.path.isdir("/proc") else ["spawn"])
def test_each_program_computes_in_one_thread_and_its_process_ends_with_it(project, start):
    """Seen: every one of many programs at once started as many threads as there are cores. Memory goes with the process."""
    names = [project.program(f"p{number}", MATRICES) for number in range(4)]
    if os.path.isdir("/proc"):
        project.program("threads", MATRICES + """
    print(re.search(r"Threads:\\t(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
    """)
        names.append(project.name("threads"))
    with Runner(project.project, start=start) as runner:
        runs = runner.begin([project.job(name) for name in names]).finish()
        printed = [runs[name].result.cells[0].output.split() for name in names]
        assert [one[:3] for one in printed] == [["1", "1", "1"]] * len(names)
        assert len({one[3] for one in printed}) == len(names), "a process each"
        if os.path.isdir("/proc"):
            assert printed[-1][4] == "1"
            assert not [one[3] for one in printed if os.path.exists(f"/proc/{one[3]}")]
