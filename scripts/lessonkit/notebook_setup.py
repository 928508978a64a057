"""A notebook's first cell: what a program finds in the course, made anywhere, in plain view.

It installs nanotorch and vis where they are missing, fetches the files that programs read, and gives each program of
the lesson names of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from lessonkit.languages import Language, NotebookWords
from lessonkit.wheels import FILE_NAME

ASSETS = "assets/notebooks"
"""Folder of the site with what notebooks fetch."""
WHEEL = f"{ASSETS}/{FILE_NAME}"
FETCHED = "attention-course"
"""Folder beside the notebook into which files are fetched."""
SWITCH = "program"
"""Name of the function that changes from one program to another."""


@dataclass(frozen=True)
class Setup:
    """What the notebook of a page needs."""

    language: Language
    site_url: str
    """Ends in a slash; empty if the site does not know its own address."""
    lesson: str
    """Folder of the lesson's programs, below snippets/: `es/masks`."""
    programs: Sequence[str]
    """The programs that the notebook runs, as paths from the lesson's folder without `.py`."""
    files: Sequence[str]
    """Files that they read, below snippets/."""
    module_folders: Sequence[str]
    """Folders below snippets/ with modules of the programs' own."""
    needs_place: bool
    """Whether a program asks for its own place (`__file__`), or reads a file."""
    future: Sequence[str]
    """Names that programs import from `__future__`: Python wants that before all else."""

    def code(self, *, script: bool) -> str:
        """The first cell's code; `script`: for plain Python, which knows no `%pip`."""
        parts = [self._future(), self._libraries(script), self._place()]
        if not script:
            parts.append('%config InlineBackend.figure_formats = ["svg"]')
        return "\n\n".join(part for part in parts if part)

    @property
    def words(self) -> NotebookWords:
        return self.language.in_notebook

    def _future(self) -> str:
        return f"from __future__ import {', '.join(self.future)}" if self.future else ""

    def _libraries(self, script: bool) -> str:
        lines = [f"# {self.words.prepares}", "try:", "    import nanotorch", "    import vis"]
        if self.site_url and not script:
            lines += ["except ModuleNotFoundError:", f"    %pip install --quiet {self.site_url}{WHEEL}"]
        else:
            command = f"pip install {self.site_url}{WHEEL}" if self.site_url else self.words.from_checkout
            lines += [
                "except ModuleNotFoundError as error:",
                f"    raise ModuleNotFoundError({_quoted(self.words.missing.format(command=command))}) from error",
            ]
        return "\n".join(lines)

    def _place(self) -> str:
        """Sets `lesson`, the folder in which the lesson's programs believe to lie."""
        if not self.needs_place:
            return ""
        fetch = f"urlretrieve({_quoted(self.site_url + ASSETS + '/')} + file, course / file)"
        if not self.site_url:
            fetch = f"raise FileNotFoundError({_quoted(self.words.missing.format(command=self.words.from_checkout))})"
        lines = [
            f"# {self.words.files}",
            "from pathlib import Path",
            "from urllib.request import urlretrieve",
            "",
            "import nanotorch",
            "",
            f"files = {_listed(self.files)}",
            "course = Path(nanotorch.__file__).parents[1]",
            "if not all((course / file).is_file() for file in files):",
            f"    course = Path({_quoted(FETCHED)}).absolute()",
            "    for file in files:",
            "        if not (course / file).is_file():",
            "            (course / file).parent.mkdir(parents=True, exist_ok=True)",
            f"            {fetch}",
            f"lesson = course / {_quoted(self.lesson)}",
        ]
        if self.files:
            lines.append("lesson.mkdir(parents=True, exist_ok=True)")
        if len(self.programs) == 1:
            lines.append(f"__file__ = str(lesson / {_quoted(self.programs[0] + '.py')})")
        if self.module_folders:
            lines += ["", "import sys", ""]
            lines += [f"sys.path.insert(0, str(course / {_quoted(folder)}))" for folder in self.module_folders]
        return "\n".join(lines)

    def switch(self) -> str:
        """The second cell's code: defines `program`. Empty if there is one program only.

        Names, matplotlib's settings and numpy's way of printing are each program's own; names that stood before the
        first program, and those that IPython makes (`_`, `_i3`, `_12`), are common.
        """
        if len(self.programs) < 2:
            return ""
        first, _, rest = self.words.programs.partition("\n")
        folder = '    folder = names["lesson"]\n' if self.needs_place else ""
        place = '        names["__file__"] = str(folder / f"{name}.py")\n' if self.needs_place else ""
        return SWITCHER.format(first=first, rest=rest, folder=folder, place=place).strip("\n")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _listed(files: Sequence[str]) -> str:
    return "[" + "".join(f"\n    {_quoted(file)}," for file in files) + "\n]" if files else "[]"


SWITCHER = '''
def several_programs(names):
    import re

    import matplotlib
    import numpy

    def settings():
        style = matplotlib.rcParams.copy()
        return {{key: style[key] for key in style if key not in ("backend", "interactive")}}, numpy.get_printoptions()

    kept, current = {{}}, None
    common, at_first = {{*names, "program"}}, settings()
{folder}
    def program(name):
        """{first}
        {rest}"""
        nonlocal current
        if name == current:
            return
        own = {{key: names[key] for key in names if key not in common and not re.fullmatch(r"_+|_i+|_i?\\d+", key)}}
        kept[current] = own, settings()
        for key in own:
            del names[key]
        own, (style, printing) = kept.get(name, ({{}}, at_first))
        names.update(own)
{place}        matplotlib.rcParams.update(style)
        numpy.set_printoptions(**printing)
        current = name

    return program


program = several_programs(globals())
'''
