"""A lesson as a notebook: the right cells, text that Jupyter reads, the same output in one kernel, the same bytes."""

from __future__ import annotations

import ast
import base64
import csv
import functools
import hashlib
import http.server
import io
import json
import re
import shutil
import sys
import threading
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from sysconfig import get_path
from typing import ClassVar

import nbformat
import pytest

from lessonkit import notebook_conversion, notebook_publishing, wheels
from lessonkit.builder import Builder
from lessonkit.course import Course
from lessonkit.entries import EntryStore
from lessonkit.formulas import MACROS
from lessonkit.languages import LANGUAGES
from lessonkit.notebook_conversion import Conversion, ConversionError, convert_here, start_conversion
from lessonkit.notebook_pages import LessonPage, article_of, skeleton_of, with_article
from lessonkit.notebook_publishing import Notebooks
from lessonkit.notebooks import (
    Addresses,
    LessonNotebook,
    going_on,
    notebook_of,
    script_of,
    silence,
    without_future,
    write_notebook,
)
from lessonkit.problems import report
from lessonkit.project import PageName
from tests import notebooks
from tests.conftest import ROOT
from tests.engine.conftest import MiniProject, share_fonts

SITE = "https://example.org/course/"
FRONT = "---\ntitle: {title}\ndescription: D.\nminutes: 5\nneeds: []\n---\n"
NAME = PageName("es", "lessons/demo.md")

PROGRAMS = {
    # Two programs in turns, with the same names and builtins, a style and a way of printing of their own.
    "a": '''\
        """Uno."""
        from __future__ import annotations
        # %% one
        import matplotlib.pyplot as plt
        import numpy as np

        plt.style.use("ggplot")
        np.set_printoptions(precision=2)
        x = np.array([1 / 3])
        max = 7  # hides Python's own
        print("a", x)

        # %% two
        y: Later = 2  # an annotation that is never evaluated
        print("a", x, max, plt.rcParams["axes.grid"])
        plt.plot([0, 1])
        ''',
    "b": '''\
        """Dos."""
        # %% one
        import matplotlib.pyplot as plt
        import numpy as np

        x = np.array([1 / 3])
        print("b", x, max(1, 2), plt.rcParams["axes.grid"])

        # %% hidden hide=true
        x = x + 1

        # %% two
        fig, ax = plt.subplots()
        ax.plot([0, 1], color="#9041c4")
        ax.set_title("peso")

        # %% three raises=ValueError
        text = """a
        b"""
        int(text)

        # %% four stdin="3\\ncuatro"
        n = input("¿Cuántos? ")
        print(int(n) + 1, input())

        # %% never
        print("this cell is not shown, and nothing after it is")
        ''',
    "reads": '''\
        # %% read
        import json
        from pathlib import Path

        from _own import twice

        print(__name__, Path(__file__).name)
        print(twice(json.loads((Path(__file__).parent / "../../data/n.json").read_text())))
        ''',
}
PAGE = r"""
Texto con [0.67]{a= 2 * x[0]}, $\query{q}\cdot\key{k}\approx\val{0.67}{a= 2 * x[0]}$ y un precio de 5\$.[^nota]

## Peso *fuerte* {#strong}

/// snippet | a:one
///

## Una sección {#plain}

Véase [la otra](#plain), [la primera](#strong), [el inicio](../index.md#top) y [fuera](https://example.com/a_b).

$$
\weight{\alpha}=\softmax(\query{q})
$$

/// snippet | b:one
///

??? question "¿Cuánto *da* $x^2$ con `x`?"
    Da [0.67]{a= 2 * x[0]}, porque

    $$
    x\in\R
    $$

/// snippet | a:two
Una línea que sube hasta [0.67]{= 2 * x[0]}.
///

!!! note "Ojo: [1]{= 1}"
    Cuidado con esto.

    /// snippet | b:two
    Otra línea.
    ///

??? question "¿Y ahora?"
    Mira:

    /// snippet | b:three
    ///

- uno

    /// snippet | b:four
    ///

    sigue
- dos

```text
!!! note "$5 [^nota] {#id}"
```

| a | b |
|---|---|
| $|x|$ | [0.67]{a= 2 * x[0]} |

/// snippet | b:two
    show: output
Otra vez.
///

/// snippet | reads
///

/// snippet | demo2/far
    show: output
///

[Botón](../index.md){ .md-button }

[^nota]: Una nota con $\key{k}$ y [un enlace](other.md).

    Segundo párrafo.
"""


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> MiniProject:
    root = tmp_path_factory.mktemp("notebooks") / "course"
    root.mkdir()
    share_fonts(root, tmp_path_factory)
    mini = MiniProject(root)
    mini.use_libraries("nanotorch", "vis")
    for language in ("es", "ru"):
        mini.write(f"docs/{language}/index.md", "---\ntitle: I\ndescription: D.\n---\n\n## T {#top}\n")
        for slug, body in {"demo": PAGE, "other": "\n/// snippet | alone\n///\n", "demo2": "\n/// snippet | far\n///\n"}.items():
            body = body if language == "es" else body.replace("[0.67]", "[0,67]").replace("{0.67}", "{0{,}67}")
            mini.write(f"docs/{language}/lessons/{slug}.md", FRONT.format(title=f"Título {slug}") + body)
        for name, code in PROGRAMS.items():
            mini.program(f"{language}/demo/{name}", code)
        mini.write(f"snippets/{language}/demo/_own.py", "def twice(x):\n    return 2 * x\n")
        mini.program(f"{language}/other/alone", 'print("solo")\n')
        mini.program(f"{language}/demo2/far", '# %% far\nprint("lejos")\n')
    mini.write("snippets/data/n.json", "21")
    return mini


@pytest.fixture(scope="module")
def course(mini) -> Course:
    with Builder(mini.project) as builder:
        course = builder.build()
    faults = [problem for found in course.faults.values() for _, problem in found]
    assert not faults, report(faults)
    return course


def addresses(course: Course, site_url: str = SITE) -> Addresses:
    return Addresses(site_url, {name: f"{name.site_path}/" for name in course.sources.pages})


@pytest.fixture(scope="module")
def notebook(course) -> dict:
    return notebook_of(LessonNotebook(course.sources.pages[NAME], course, addresses(course)))


def source(cell: dict) -> str:
    return "".join(cell["source"])


def by_id(notebook: dict, name: str) -> dict:
    return next(cell for cell in notebook["cells"] if cell["id"] == name)


def text_of(notebook: dict) -> str:
    return "\n\n".join(source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown")


# -- cells -------------------------------------------------------------------------------------------------------


@pytest.mark.case(number="C80")
def test_it_is_a_notebook(notebook):
    nbformat.validate(notebook)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])


def test_each_cell_of_a_program_runs_once_and_in_order(notebook):
    cells = [(name.name, index) for name, index, _ in notebooks.program_cells(notebook)]
    assert cells == [("a", 1), ("b", 0), ("a", 2), ("b", 1), ("b", 2), ("b", 3), ("b", 4), ("reads", 0), ("far", 0)]
    counts = [cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))


def test_what_the_page_does_not_show_is_folded(notebook):
    folded = {cell["id"]: cell["metadata"]["jupyter"] for cell in notebook["cells"] if "jupyter" in cell["metadata"]}
    assert folded.pop("program") == {"source_hidden": True}
    both = {"source_hidden": True, "outputs_hidden": True}
    assert folded == {"b-hidden": both, "b-three": both, "far-far": {"source_hidden": True}}


def test_what_is_shown_again_is_quoted(notebook):
    quoted = by_id(notebook, "b-two-2")
    assert quoted["cell_type"] == "markdown"
    assert source(quoted).startswith('<img alt="Otra vez." src="data:image/svg+xml;base64,')
    assert "ax.plot" not in source(quoted)


def test_stored_outputs(notebook):
    assert by_id(notebook, "a-one")["outputs"] == [{"name": "stdout", "output_type": "stream", "text": ["a [0.33]\n"]}]
    (figure,) = by_id(notebook, "b-two")["outputs"]
    svg = "".join(figure["data"]["image/svg+xml"])
    assert figure["data"]["text/plain"] == ["Otra línea."]
    assert svg.startswith("<svg ")
    assert 'aria-label="Otra línea."' in svg
    assert "#9041c4" in svg
    assert "var(" not in svg
    assert all(name.startswith("b-two-0-") for name in re.findall(r' id="([^"]*)"', svg))
    (error,) = by_id(notebook, "b-three")["outputs"]
    assert error["ename"] == "ValueError"
    assert by_id(notebook, "b-three")["metadata"]["tags"] == ["raises-exception"]
    assert by_id(notebook, "b-four")["outputs"][0]["text"] == ["¿Cuántos? 3\n", "cuatro\n", "4 cuatro\n"]


def test_each_cell_says_to_which_program_it_belongs(notebook):
    assert source(by_id(notebook, "a-one")).startswith('program("a")\nimport matplotlib')
    assert source(by_id(notebook, "far-far")).startswith('program("../demo2/far")\n')
    assert source(by_id(notebook, "prepare")).startswith("from __future__ import annotations\n")


def test_a_notebook_of_one_program_is_plain(course):
    page = course.sources.pages[PageName("es", "lessons/other.md")]
    single = notebook_of(LessonNotebook(page, course, addresses(course)))
    assert [source(cell) for cell in single["cells"] if cell["cell_type"] == "code"][1:] == ['print("solo")']
    assert "__file__" not in json.dumps(single)


# -- text --------------------------------------------------------------------------------------------------------


@pytest.mark.case(number="C40")
def test_formulas_are_such_as_jupyter_draws(notebook):
    text = text_of(notebook)
    assert r"${q}\cdot{k}\approx{0.67}$" in text
    assert "$$\n{\\alpha}=\\operatorname{softmax}({q})\n$$" in text
    assert not re.search(r"\\(?:" + "|".join([*MACROS, "val", "class"]) + r")(?![A-Za-z])", text)


def test_numbers_and_signs(notebook):
    text = text_of(notebook)
    assert "Texto con 0.67, " in text
    assert "5\\$" in text
    assert "]{" not in text.replace("$5 [^nota] {#id}", "")
    assert "\ue000" not in text
    assert "| $\\vert x\\vert$ | 0.67 |" in text


@pytest.mark.case(number="C80")
def test_folds_notes_and_lists(notebook):
    text = text_of(notebook)
    fold = "<details><summary>¿Cuánto <em>da</em> $x^2$ con <code>x</code>?</summary>\n\nDa 0.67, porque\n\n$$\nx\\in\\mathbb{R}\n$$\n\n</details>"
    assert fold in text
    assert "> **Ojo: 1**" in text
    assert "> **¿Y ahora?**\n\nMira:" in text
    assert '```text\n!!! note "$5 [^nota] {#id}"\n```' in text
    assert "\n\nsigue\n- dos" in text
    assert text.endswith("**Notas**\n\n1. Una nota con ${k}$ y [un enlace](https://example.org/course/es/lessons/other/).\n\n    Segundo párrafo.")
    assert "5\\$.<sup>1</sup>" in text


@pytest.mark.case(number="C80")
def test_headings_and_links(notebook, course):
    text = text_of(notebook)
    assert "## Una sección\n" in text
    assert "{#" not in text.replace("{#id}", "")
    assert "[la otra](#Una-sección)" in text
    assert "[la primera](https://example.org/course/es/lessons/demo/#strong)" in text
    assert "[el inicio](https://example.org/course/es/#top)" in text
    assert "[fuera](https://example.com/a_b)" in text
    assert "[Botón](https://example.org/course/es/)" in text
    assert ".md-button" not in text
    unknown = text_of(notebook_of(LessonNotebook(course.sources.pages[NAME], course, addresses(course, ""))))
    assert "[el inicio](../../#top)" in unknown
    assert "example.org" not in unknown


# -- code elsewhere ----------------------------------------------------------------------------------------------


@pytest.mark.case(number="C49")
@pytest.mark.parametrize(("code", "silent"), [
    ("x = 1\nx", "x = 1\nx;"),
    ("f('é')  # é", "f('é');  # é"),
    ("f(\n    1,\n)  # c\n# end", "f(\n    1,\n);  # c\n# end"),
    ("print(1)", "print(1)"),
    ("f(1);", "f(1);"),
    ("x = 1", "x = 1"),
    ("if x:\n    f()", "if x:\n    f()"),
])
def test_a_last_value_is_not_shown(code, silent):
    assert silence(code) == silent


def test_an_error_that_does_not_end_the_program(capsys):
    code = 'x = """a\nb"""\nif True:\n    raise KeyError(x)'
    names: dict = {}
    exec(going_on(code), names)
    assert names["x"] == "a\nb"
    assert "KeyError" in capsys.readouterr().err


def test_future_imports_go_to_the_first_cell():
    assert without_future("from __future__ import annotations\n\nx = 1") == "x = 1"
    assert without_future("x = '__future__'") == "x = '__future__'"


# -- runs --------------------------------------------------------------------------------------------------------


def outputs(cells) -> list[tuple[str, str, int, list[str]]]:
    return [(name.name, notebooks.printed(cell, "stdout"), notebooks.figures(cell), notebooks.errors(cell))
            for name, _, cell in cells]


@pytest.mark.case(number="C80")
@pytest.mark.slow
def test_in_one_kernel_each_program_runs_as_if_alone(notebook, mini, tmp_path):
    """Names in turns, hidden builtins, styles, files, own modules, answers, errors."""
    ran = notebooks.run_in_kernel(notebook, tmp_path, libraries=str(mini.root / "snippets"))
    assert outputs(notebooks.program_cells(ran)) == outputs(notebooks.program_cells(notebook))
    assert notebooks.printed(by_id(ran, "reads-read"), "stdout") == "__main__ reads.py\n42\n"


@pytest.mark.slow
def test_a_cell_run_again_later_finds_the_names_of_its_program(course, mini, tmp_path):
    again = notebook_of(LessonNotebook(course.sources.pages[NAME], course, addresses(course)))
    repeated = by_id(again, "a-two")
    again["cells"].append({**repeated, "id": "again"})
    ran = notebooks.run_in_kernel(again, tmp_path, libraries=str(mini.root / "snippets"))
    assert notebooks.printed(by_id(ran, "again"), "stdout") == "a [0.33] 7 True\n"


@pytest.mark.slow
def test_as_a_plain_program(course, notebook, mini, tmp_path):
    script = script_of(LessonNotebook(course.sources.pages[NAME], course, addresses(course)))
    ast.parse(script)
    script = script.replace("from __future__ import annotations\n", f"from __future__ import annotations\nimport sys\nsys.path.insert(0, {str(mini.root / 'snippets')!r})\n")
    done = notebooks.run_as_program(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(text for _, text, _, _ in outputs(notebooks.program_cells(notebook)))
    assert "ValueError: invalid literal" in done.stderr


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and its address."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.slow
def test_in_a_fresh_environment_the_first_cell_fetches_what_is_missing(course, served, tmp_path):
    """numpy and matplotlib are there (a test needs no registry); nanotorch, vis and the data are not."""
    site, address = served
    environment = tmp_path / "fresh"
    venv.create(environment, with_pip=True)
    python = next(path for path in (environment / "bin/python", environment / "Scripts/python.exe") if path.exists())
    packages = notebooks.only_these(Path(get_path("purelib")), tmp_path / "packages")
    own = next((environment / "lib").glob("python*/site-packages")) if sys.platform != "win32" else environment / "Lib/site-packages"
    (own / "shared.pth").write_text(f"{packages}\n", encoding="utf-8")
    notebook_publishing._write_fetched(course, [course.sources.pages[NAME]], site)
    fetching = notebook_of(LessonNotebook(course.sources.pages[NAME], course, addresses(course, address)))
    for cell in fetching["cells"]:
        if cell["id"] == "far-far":
            cell["source"] = ["import nanotorch, vis\n", "print(nanotorch.__file__, vis.__file__)"]
    ran = notebooks.run_in_kernel(fetching, tmp_path, python=str(python), libraries="")
    places = notebooks.printed(by_id(ran, "far-far"), "stdout").split()
    assert len(places) == 2
    assert all(place.startswith(str(own)) for place in places), places
    assert notebooks.printed(by_id(ran, "reads-read"), "stdout") == "__main__ reads.py\n42\n"
    assert (tmp_path / "work/attention-course/data/n.json").read_text() == "21"


# -- the wheel ---------------------------------------------------------------------------------------------------


def test_the_wheel_is_whole_and_the_same_each_time(tmp_path):
    wheel = wheels.library_wheel(ROOT / "snippets")
    assert wheels.library_wheel(ROOT / "snippets") == wheel
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (project["name"], project["version"]) == (wheels.NAME, wheels.VERSION)
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        names = archive.namelist()
        assert {(entry.date_time, entry.compress_type, entry.create_system) for entry in archive.infolist()} == {
            ((1980, 1, 1, 0, 0, 0), zipfile.ZIP_STORED, 3)}
        record = next(name for name in names if name.endswith("/RECORD"))
        listed = list(csv.reader(archive.read(record).decode().splitlines()))
        assert [row[0] for row in listed] == names
        for name, digest, size in listed[:-1]:
            data = archive.read(name)
            assert size == str(len(data))
            found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert digest == f"sha256={found}"
        kept = {name for name in names if ".dist-info/" not in name}
    here = {file.relative_to(ROOT / "snippets").as_posix() for library in ("nanotorch", "vis")
            for file in (ROOT / "snippets" / library).rglob("*") if file.suffix in (".py", ".mplstyle")}
    assert kept == here


# -- the page that shows it --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def article(course) -> str:
    page = course.sources.pages[NAME]
    (converted,) = start_conversion([skeleton_of(LessonNotebook(page, course, addresses(course)))]).finish()
    return article_of(converted, LessonNotebook(page, course, addresses(course)))


def test_the_article_is_the_course_s_own(article):
    assert "<script" not in article
    assert "<style" not in re.sub(r"<svg.*?</svg>", "", article, flags=re.S)
    assert not re.findall(r'(?:src|href)="(?:https?:)?//(?!example\.com/a_b)[^"]*', article)
    assert "jp-" not in article
    assert "lessoncode" not in article
    assert "\ue000" not in article
    assert article.count("<mjx-container") == 6
    assert 'class="role-query"' in article or "role-query" in article
    assert article.count("<div") == article.count("</div>")


def test_the_article_holds_the_cells_in_order(article, notebook):
    prompts = re.findall(r'<span class="lesson-label">(In \[\d+\])</span>', article)
    count = sum(cell["cell_type"] == "code" for cell in notebook["cells"])
    assert prompts == [f"In [{number}]" for number in range(1, count + 1)]
    assert '<h2 id="plain">Una sección<a class="headerlink" href="#plain">¶</a></h2>' in article
    assert '<a href="#plain">la otra</a>' in article
    assert '<a href="../../#top">el inicio</a>' in article
    assert "<samp>a [0.33]</samp>" in article
    assert article.count('<figure class="lesson-figure"') == 3
    assert article.count('<details class="lesson-folded">') == 5  # program; hidden; three, code and error; far's code
    assert '<a href="demo.ipynb" download>demo.ipynb</a>' in article


def test_several_notebooks_are_converted_at_once_and_told_apart(course):
    pages = [course.sources.pages[PageName(code, f"lessons/{slug}.md")] for code in ("es", "ru") for slug in ("demo", "other")]
    skeletons = [skeleton_of(LessonNotebook(page, course, addresses(course))) for page in pages]
    together = start_conversion(skeletons).finish()
    for page, converted, skeleton in zip(pages, together, skeletons, strict=True):
        alone = article_of(convert_here([skeleton])[0], LessonNotebook(page, course, addresses(course)))
        assert article_of(converted, LessonNotebook(page, course, addresses(course))) == alone


def test_a_converter_that_gives_something_else_is_told(course):
    page = course.sources.pages[NAME]
    with pytest.raises(ConversionError, match="became 1"):
        article_of("<div>something else</div>", LessonNotebook(page, course, addresses(course)))
    with pytest.raises(ConversionError, match="could not convert"):
        start_conversion([{"nonsense": True}]).finish()


def test_the_page_keeps_what_the_theme_puts_around_a_lesson(course):
    lesson = LessonPage.of(
        b'<head><title>T</title></head><a class="course-languages__link" href="../x/">R</a>'
        b'<article class="c" data-pagefind-body><p>Old</p></article><footer>'
    )
    page = with_article(lesson, b"<p>New</p>", course.sources.pages[NAME], addresses(course)).decode()
    assert "<title>Cuaderno: T</title>" in page
    assert '<meta name="robots" content="noindex">' in page
    assert 'href="../../../assets/css/notebook.css"' in page
    assert '<a class="course-languages__link" href="../x/notebook.html">' in page
    assert page.endswith('<article class="c" data-pagefind-ignore="all"><p>New</p></article><footer>')
    with pytest.raises(ValueError, match="no <article>"):
        LessonPage.of(b"<main></main>")


# -- the site ----------------------------------------------------------------------------------------------------


class Here(Conversion):
    """Converts in this process, and keeps what it was asked for."""

    asked: ClassVar[list[dict]] = []
    """By the last build."""

    def __init__(self, skeletons: list[dict]) -> None:
        self._skeletons = skeletons
        Here.asked += skeletons

    def finish(self) -> list[str]:
        return convert_here(self._skeletons) if self._skeletons else []


@pytest.fixture
def site(course, tmp_path, monkeypatch) -> Path:
    """Lessons as a theme could write them; the converter runs in this process, which loads it once."""
    monkeypatch.setattr(notebook_conversion, "start_conversion", Here)
    shutil.rmtree(course.sources.project.cache / "notebooks", ignore_errors=True)
    for name in course.sources.pages:
        page = tmp_path / "site" / name.site_path / "index.html"
        page.parent.mkdir(parents=True)
        page.write_text(f"<title>T</title><article><p>{name}</p></article>", encoding="utf-8")
    return tmp_path / "site"


def files(site: Path) -> dict[str, bytes]:
    return {file.relative_to(site).as_posix(): file.read_bytes() for file in sorted(site.rglob("*")) if file.is_file()}


def write(course: Course, site: Path, *, serving: bool = False) -> dict[str, bytes]:
    urls = {name: f"{name.site_path}/" for name in course.sources.pages}
    Here.asked.clear()
    assert Notebooks(course, urls, site, SITE, serving=serving).write() == []
    return files(site)


@pytest.mark.case(number="C80")
def test_unchanged_notebooks_come_from_the_store(course, site):
    first = write(course, site)
    assert {"es/lessons/demo/demo.ipynb", "es/lessons/demo/demo.py", "es/lessons/demo/notebook.html",
            "assets/notebooks/data/n.json", "assets/notebooks/es/demo/_own.py"} <= first.keys()
    assert "es/index.ipynb" not in first
    assert "es/notebook.html" not in first
    assert first["es/lessons/demo/demo.ipynb"].decode() == write_notebook(
        notebook_of(LessonNotebook(course.sources.pages[NAME], course, addresses(course))))
    assert write(course, site) == first
    assert not Here.asked


def with_text(course: Course, text: str) -> Course:
    """The course, with one more paragraph at the end of the lesson."""
    page = course.sources.pages[NAME]
    changed = replace(page, text=f"{page.text}\n{text}\n", markdown=f"{page.markdown}\n{text}\n")
    return replace(course, sources=replace(course.sources, pages={**course.sources.pages, NAME: changed}))


def test_a_lesson_with_another_text_alone_is_converted(course, site):
    write(course, site)
    written = write(with_text(course, "Otro párrafo."), site)
    assert [skeleton["metadata"]["lesson"] for skeleton in Here.asked] == [{"language": "es"}]
    assert "Otro párrafo." in written["es/lessons/demo/notebook.html"].decode()
    assert "Otro párrafo." in written["es/lessons/demo/demo.ipynb"].decode()


def with_output(course: Course, cell: int) -> Course:
    """The course, in which this cell of a program printed something else."""
    program = NAME.program("b")
    result = course.results[program]
    cells = [replace(one, output="other\n") if index == cell else one for index, one in enumerate(result.cells)]
    return replace(course, results={**course.results, program: replace(result, cells=tuple(cells))})


def test_another_output_is_written_without_a_converter(course, site):
    """The page does not show this cell: nothing in its HTML says that it changed."""
    write(course, site)
    written = write(with_output(course, 1), site)
    assert not Here.asked
    assert b"other" in written["es/lessons/demo/demo.ipynb"]
    assert b"other" in written["es/lessons/demo/notebook.html"]
    shutil.rmtree(course.sources.project.cache / "notebooks")
    assert write(with_output(course, 1), site) == written


def test_text_is_converted_while_the_pages_are_rendered(course, site):
    urls = {name: f"{name.site_path}/" for name in course.sources.pages}
    Here.asked.clear()
    notebooks = Notebooks(course, urls, site, SITE, serving=False)
    asked = [*Here.asked]
    assert [skeleton["metadata"]["lesson"]["language"] for skeleton in asked] == ["es"] * 3 + ["ru"] * 3
    assert notebooks.write() == []
    assert Here.asked == asked


def test_a_store_that_cannot_be_written_costs_no_second_conversion(course, site, monkeypatch):
    monkeypatch.setattr(EntryStore, "save", lambda *_: None)
    assert "es/lessons/demo/notebook.html" in write(course, site)
    assert len(Here.asked) == 6


def test_a_page_with_problems_has_no_notebook(course, site):
    broken = replace(course, faults={**course.faults, NAME: ((None, object()),)})
    written = write(broken, site)
    assert "es/lessons/demo/demo.ipynb" not in written
    assert "ru/lessons/demo/demo.ipynb" in written


@pytest.fixture
def started(monkeypatch) -> list[threading.Thread]:
    """The threads that would convert later, none of them running."""
    threads = []

    def start(thread):
        threads.append(thread)

    monkeypatch.setattr(notebook_publishing.threading.Thread, "start", start)
    return threads


def test_serve_says_at_once_that_a_notebook_is_to_come(course, site, started):
    written = write(course, site, serving=True)
    assert "es/lessons/demo/demo.ipynb" not in written
    assert LANGUAGES["es"].in_notebook.being_converted.encode() in written["es/lessons/demo/notebook.html"]
    (thread,) = started
    thread.run()
    assert "es/lessons/demo/demo.ipynb" in files(site)
    later = files(site)["es/lessons/demo/notebook.html"]
    assert b"lesson-cell" in later
    assert b"refresh" not in later
