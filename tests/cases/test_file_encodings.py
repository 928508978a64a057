"""Files as other systems' editors save them: another encoding is told with file and line, marks and line ends change nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Checkout
from tests.engine.test_mkdocs_build import digests
from tests.engine.test_search import indexed

MARK = b"\xef\xbb\xbf"


def save_as(course: Checkout, path: str, encoding: str) -> None:
    """Save a file as an editor does whose system has this code page."""
    file = course.root / path
    file.write_bytes(file.read_text(encoding="utf-8").encode(encoding))


@pytest.mark.case(number="C47")
def test_what_is_saved_in_another_encoding_is_told_with_its_line_and_a_cure(checkout):
    for path in ("docs/ru/lessons/mini.md", "snippets/ru/mini/mix.py", "snippets/ru/mini/mix.out"):
        save_as(checkout, path, "cp1251")
    checkout.write("snippets/ru/other/count.py", "# -*- coding: cp1251 -*-\n" + checkout.read("snippets/ru/other/count.py"))
    save_as(checkout, "snippets/ru/other/count.py", "cp1251")
    checkout.write("docs/glossary.tsv", "id\nключ\n")
    save_as(checkout, "docs/glossary.tsv", "cp1251")
    done = checkout.lessons("check")
    assert done.returncode == 1
    cure = "\n    Save the file as UTF-8.\n"
    for said in ("docs/glossary.tsv:2: This line is not UTF-8 (byte 0xea) [glossary]",
                 "docs/ru/lessons/mini.md:2: This line is not UTF-8 (byte 0xd1) [page-encoding]",
                 "snippets/ru/mini/mix.out:2: This line is not UTF-8 (byte 0xc2) [golden-encoding]",
                 "snippets/ru/mini/mix.py:1: This line is not UTF-8 (byte 0xc2) [program-encoding]",
                 "snippets/ru/other/count.py:2: This line is not UTF-8 (byte 0xc2) [program-encoding]"):
        assert said + cure in done.stderr
    failed = checkout.build()
    assert failed.returncode == 1
    assert "docs/ru/lessons/mini.md:2: This line is not UTF-8" in failed.stderr
    assert "snippets/ru/other/count.py:2: This line is not UTF-8" in failed.stderr


@pytest.mark.case(number="C47")
def test_a_declared_encoding_that_the_file_has_not_is_told(checkout):
    """Seen: the build read UTF-8 and was right, plain Python read what was declared and printed something else."""
    text = checkout.read("snippets/ru/other/count.py")
    for line, head in ((1, "# -*- coding: cp1251 -*-\n"), (2, "#!/usr/bin/env python\n# vim: set fileencoding=cp1251 :\n")):
        checkout.write("snippets/ru/other/count.py", head + text)
        done = checkout.lessons("check")
        assert f"snippets/ru/other/count.py:{line}: This line declares the encoding cp1251, and the file is UTF-8 [program-encoding]" in done.stderr
    checkout.write("snippets/ru/other/count.py", "# -*- coding: UTF-8 -*-\n\n# coding: cp1251\n" + text)
    assert checkout.lessons("check").returncode == 0


@pytest.mark.case(number="C47")
def test_a_module_in_another_encoding_is_told_where_it_is_imported(checkout):
    """Seen: “SyntaxError: (unicode error) 'utf-8' codec can't decode byte”, its own line unreadable, and no cure."""
    path = "snippets/ru/mini/mixing/__init__.py"
    checkout.write(path, checkout.read(path) + "name = 'Помощник'\n")
    save_as(checkout, path, "cp1251")
    done = checkout.lessons("check")
    assert (f"snippets/ru/mini/mix.py:5: {path}:8: This line is not UTF-8 (byte 0xcf) [program-encoding]\n"
            "    Save the file as UTF-8.\n") in done.stderr


def marked(data: bytes) -> bytes:
    return MARK + data.replace(b"\n", b"\r\n")


def mixed(data: bytes) -> bytes:
    """Every other line ends as on Windows, the last one does not end."""
    lines = data.rstrip(b"\n").split(b"\n")
    return b"".join(line + (b"\r\n", b"\n")[number % 2] for number, line in enumerate(lines[:-1])) + lines[-1]


@pytest.mark.case(number="C53")
@pytest.mark.parametrize("saved", [marked, mixed])
def test_a_checkout_with_marks_and_other_line_ends_gives_the_same_site(checkout, saved: Callable[[bytes], bytes]):
    """As git writes one with autocrlf, on top of a warm store: pages, notebooks, search and checks stay as they were."""
    assert checkout.build().returncode == 0
    before = digests(checkout.site)
    sources = [file for folder in ("docs/es", "docs/ru", "snippets") for file in (checkout.root / folder).rglob("*")
               if file.suffix in (".md", ".tsv", ".py", ".out")]
    assert len(sources) > 20
    for file in sources:
        library = {"nanotorch", "vis"} & {*file.parts}
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n") if library else saved(file.read_bytes()))
    done = checkout.build()
    assert (done.returncode, done.stderr) == (0, "")
    after = digests(checkout.site)
    fetched = {name for name in after if name.startswith("assets/notebooks/") and name.endswith(".py")}  # files as they are
    assert len(fetched) == 2
    assert {name for name in before if before[name] != after.get(name)} <= fetched
    assert not [file for file in checkout.site.rglob("*") if file.suffix in (".html", ".ipynb", ".py", ".json", ".txt", ".xml")
                and file.relative_to(checkout.site).as_posix() not in fetched and (MARK in (data := file.read_bytes()) or rb"\ufeff" in data or b"\r" in data)]
    assert "\ufeff" not in str(indexed(checkout.site / "pagefind"))
    checked = checkout.lessons("check")
    assert checked.returncode == 0, checked.stdout
