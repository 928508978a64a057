"""The same sources give the same bytes: on another day, for another user, in another folder, from a damaged store, three times
in one process. On Windows the paths' slashes are the same: pages name no path of the machine at all."""

from __future__ import annotations

import getpass
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cases.conftest import SITE_URL
from tests.conftest import ROOT, Checkout, clean_environment
from tests.engine.test_mkdocs_build import digests

TEXTS = (".html", ".ipynb", ".py", ".json", ".xml", ".txt", ".css")


@pytest.fixture
def copy(full_course: Checkout, tmp_path: Path) -> Checkout:
    """The course with the full lesson, warm, for one test to break."""
    shutil.copytree(full_course.root, tmp_path / "another place/course")
    return Checkout(tmp_path / "another place/course")


@pytest.mark.case(number="C46")
@pytest.mark.case(number="C86")
@pytest.mark.slow
def test_another_day_user_time_zone_and_folder_give_the_same_bytes(full_course, copy):
    """Cold: figures, cards, notebooks, the wheel, the index of the search. Both matplotlib and MkDocs take the day from there."""
    shutil.rmtree(copy.root / ".cache")
    shutil.rmtree(copy.site)
    home = copy.root.parent / "home of Ñandú"
    home.mkdir()
    done = copy.build(SITE_URL=SITE_URL, SOURCE_DATE_EPOCH="1000000000", TZ="Pacific/Auckland", HOME=str(home), USER="ñandú", LOGNAME="ñandú")
    assert (done.returncode, done.stderr) == (0, "")
    assert digests(copy.site) == digests(full_course.site)


@pytest.mark.case(number="C86")
def test_no_path_and_no_user_of_the_machine_is_published(full_course):
    """Tracebacks of planned errors, notebooks, programs to download, the index: pages with all of them."""
    user = getpass.getuser()
    private = {str(full_course.root), str(Path.home()), sys.prefix, str(ROOT), tempfile.gettempdir() + "/"} | ({user} if len(user) > 5 else set())
    found = {}
    for file in full_course.site.rglob("*"):
        if file.suffix in TEXTS:
            text = file.read_text(encoding="utf-8")
            if named := [path for path in private if path in text]:
                found[file.relative_to(full_course.site).as_posix()] = named
    assert found == {}
    page = (full_course.site / "es/lessons/full/index.html").read_text(encoding="utf-8")
    assert "No such file or directory: 'snippets/es/full/none.txt'" in page


@pytest.mark.case(number="C86")
@pytest.mark.parametrize(("code", "shown"), [
    ('# %% a stderr=show\nimport warnings\nwarnings.warn("ojo")', r"snippets/es/demo/p\d+\.py:3: UserWarning: ojo\n.*\n"),
    ('# %% a stderr=show\nimport logging\nlogging.basicConfig(format="%(pathname)s %(message)s")\nlogging.warning("ojo")',
     r"snippets/es/demo/p\d+\.py ojo\n"),
    ("# %% a raises=FileNotFoundError\nfrom pathlib import Path\nopen(Path(__file__).parent / 'no.txt')", None),
    ("# %% a raises=json.JSONDecodeError\nimport json\njson.loads('{')", None),
])
def test_warnings_logs_and_planned_errors_name_files_of_the_course_alone(run, code, shown):
    found = run(code)
    assert found.result.failure is None, found.result.failure
    [cell] = found.result.cells
    text = cell.output + cell.planned_error
    assert text
    assert shown is None or re.fullmatch(shown, cell.output)
    for path in (str(run.project.root), sys.prefix, sys.base_prefix, tempfile.gettempdir() + "/"):
        assert path not in text


@pytest.mark.case(number="C51")
@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: bytes(len(data))], ids=["empty", "cut", "zeroed"])
def test_any_damaged_entry_of_any_store_costs_work_and_never_a_page(full_course, copy, damage):
    """Results, pages, formulas, notebooks, cards, search, templates: every third file."""
    stored = [file for file in sorted((copy.root / ".cache").rglob("*")) if file.is_file() and "matplotlib" not in file.parts]
    assert len({file.relative_to(copy.root / ".cache").parts[0] for file in stored}) >= 5
    for file in stored[::3]:
        file.write_bytes(damage(file.read_bytes()))
    done = copy.build(SITE_URL=SITE_URL)
    assert done.returncode == 0, done.stderr
    assert digests(copy.site) == digests(full_course.site)


THREE_TIMES = """
import hashlib, json, logging, sys
from pathlib import Path
from mkdocs.commands.build import build
from mkdocs.config import load_config

class Told(logging.Handler):
    def emit(self, record):
        said.append(record.getMessage())

said, lists = [], []
logging.getLogger("mkdocs.hooks.lessonkit").addHandler(Told())
logging.getLogger("mkdocs.hooks.lessonkit").setLevel(logging.INFO)
config = load_config("mkdocs.yml", site_dir=sys.argv[1], site_url="https://example.org/course/")
config.plugins.on_startup(command="build", dirty=False)
for number in range(3):
    build(config)
    files = [hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(Path(sys.argv[1]).rglob("*")) if file.is_file()]
    lists.append([len(config.extra_javascript), len(config.extra_css), len(files), "".join(files)])
    if number == 0:
        program = Path("snippets/es/other/count.py")
        program.write_text(program.read_text().replace("1 + 1", "2"))
config.plugins.on_shutdown()
print(json.dumps([lists, said]))
"""


@pytest.mark.case(number="C70")
def test_three_builds_in_one_process_repeat_nothing(checkout):
    """As `mkdocs serve` does, with one configuration: each program runs once, for both languages, and only after its edit."""
    import json

    shutil.rmtree(checkout.root / ".cache/results")
    done = subprocess.run([sys.executable, "-c", THREE_TIMES, str(checkout.site)], cwd=checkout.root, env=clean_environment(),
                          capture_output=True, text=True, encoding="utf-8", check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    lists, said = json.loads(done.stdout.splitlines()[-1])
    counts = [one for one in said if "programs ran" in one]
    assert [re.match(r"\d+ of \d+", one)[0] for one in counts] == ["4 of 4", "1 of 4", "0 of 4"]
    assert [one[:3] for one in lists] == [lists[0][:3]] * 3, "nothing is added twice to the configuration or the site"
    assert lists[1] == lists[2]


def test_full_lesson_is_what_the_course_accepts(full_course):
    """The other tests of this folder look at a lesson in which nothing is wrong."""
    done = full_course.lessons("check")
    assert done.returncode == 0, done.stdout + done.stderr
