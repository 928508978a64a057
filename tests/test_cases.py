"""Every fault that tools of this kind are known for has a test that carries its number.

`pytest -m 'case(number="C07")'` runs the tests of one of them.
"""

from __future__ import annotations

import re

from tests.conftest import ROOT

CASES = {
    "C01": "a changed helper module leaves old results",
    "C02": "a program fails and the build is green",
    "C03": "programs that run at once mix their output",
    "C04": "the caller's locale changes the output",
    "C05": "formulas stay raw after instant navigation",
    "C06": "a program that is missing is left out without a word",
    "C07": "printed text becomes HTML",
    "C08": "figures of equal names take each other's place",
    "C10": "the preview builds without end",
    "C11": "the preview does not see programs",
    "C12": "headings in Cyrillic have no anchors",
    "C13": "the language link leads nowhere",
    "C14": "dollars in code become formulas",
    "C15": "a program inside a box or a list loses its lines",
    "C16": "a program without end stops the build",
    "C17": "another Python or library leaves old results",
    "C18": "a failure is kept as a result",
    "C19": "Markdown eats what stands in a formula",
    "C20": "search does not know the forms of a word",
    "C21": "numpy's own notation is printed",
    "C22": "a program's settings reach the next",
    "C23": "sets have another order each time",
    "C24": "printed text becomes Markdown",
    "C26": "a program that exits ends the build",
    "C28": "what goes to stderr is lost",
    "C29": "translations drift apart",
    "C31": "an error that is shown on purpose",
    "C32": "search mixes the languages",
    "C34": "where a program runs, and where it writes",
    "C37": "figures appear twice or in another place",
    "C38": "a program waits for the keyboard",
    "C40": "formulas stay raw in notebooks",
    "C42": "notebooks in several languages",
    "C44": "pages load from foreign hosts",
    "C46": "figures have other bytes each time",
    "C47": "a file in another encoding stops the build without a place",
    "C48": "the language link loses the page",
    "C49": "values and warnings of libraries stand in the output",
    "C50": "addresses in memory are printed",
    "C51": "the store is damaged, or locked by another build",
    "C53": "byte-order marks and line ends of Windows",
    "C54": "programs that run at once take more cores than there are",
    "C56": "letters that a font lacks",
    "C57": "a program with an error ends the preview",
    "C60": "links and files that hold in one language only",
    "C61": "wide formulas and outputs on a phone",
    "C64": "search without accents",
    "C67": "last digits differ between machines",
    "C70": "hooks that cannot be run twice",
    "C73": "formulas in headings",
    "C74": "bars in formulas in tables",
    "C80": "notebooks lose what the page holds",
    "C81": "colours for terminals are printed",
    "C82": "progress bars are printed",
    "C86": "paths of the machine that built are published",
    "C87": "figures cannot be read on the dark theme",
    "C90": "figures without alternative text",
}
"""C45, C75 and C77 are about programs that run in the reader's browser."""
MARK = re.compile(r'\bcase\(number="(C\d+)"\)')


def marked() -> dict[str, list[str]]:
    """Number of the case → the files that test it."""
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "tests").glob("*/**/test_*.py")):
        for number in MARK.findall(file.read_text(encoding="utf-8")):
            found.setdefault(number, []).append(file.name)
    return found


def test_every_case_has_a_test_under_its_number_and_no_number_is_unknown():
    found = marked()
    assert sorted(CASES.keys() - found.keys()) == []
    assert sorted(found.keys() - CASES.keys()) == []
