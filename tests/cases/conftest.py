"""One lesson that holds everything that has ever broken a site of this kind, built once for the tests that look at it."""

from __future__ import annotations

import base64
import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import LESSON_FRONT, Checkout
from tests.engine.conftest import project, run  # noqa: F401 – miniature projects, with a runner for a file's programs

SITE_URL = "https://example.org/course/"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

PRINTS = '''"""Everything that a terminal, a page and a formula read otherwise."""
# %% dollars
price = "$5"
print("$a and $b", price, r"\\(x\\) \\[y\\] $$")

# %% colours
import os
import sys

if sys.stdout.isatty() or "FORCE_COLOR" in os.environ:
    print("\\x1b[32ma terminal\\x1b[0m")
print("\\x1b[31m{red}\\x1b[0m \\x1b[1;4mb\\x1b[22m \\x1b[38;5;208m256\\x1b[39;49m")
print("\\x1b]8;;https://example.org\\x1b\\\\{link}\\x1b]8;;\\x1b\\\\ ab\\x1b[2DAB")

# %% progress stderr=show
for step in range(1000):
    print(f"\\r{{step / 10:5.1f}}%|{{'#' * (step // 100)}}", end="", file=sys.stderr)
print(file=sys.stderr)
for step in range(300):
    print(step, end="\\r")

# %% wide
import numpy as np

np.set_printoptions(linewidth=1000)
print("x" * 300)
print(np.arange(80).reshape(2, 40))

# %% long
for number in range(2000):
    print(number)

# %% fails raises=FileNotFoundError
from pathlib import Path

open(Path(__file__).parent / "none.txt")
'''
DRAWS = '''"""What a notebook would show besides: values of last expressions, a word of the back end."""
# %% plot
import matplotlib.pyplot as plt
import vis

plt.plot([-1, 0, 1], [0.5, -0.5, 1.5], label="{red}")
vis.ticks(plt.gca(), decimal="{mark}")

# %% shown
fig, ax = plt.subplots()
ax.plot([1, 2])
vis.ticks(ax, decimal="{mark}")
ax.set_title('{title} "$x$" <b>')
plt.show()
plt.show()

# %% titled
ax.set_title("{title}")

# %% two
plt.figure()
plt.bar([0, 1], [1, 2])
vis.ticks(plt.gca(), decimal="{mark}")
vis.heatmap([[0.1, 0.9]], title="{title}", decimal="{mark}")

# %% values
class Table:
    def _repr_html_(self):
        return "<table><tr><td>{red}</td></tr></table>"


object()

# %% table
Table()
'''
LESSON = r"""{front}
## {row} $\sum_{{n}} a_n$ {{#row}}

## {function} $f(x)$ {{#function}}

{words}

{price} 5\$, `$c$`, $\weight{{\alpha}}$.[^note]

$$
\begin{{align}} a&=b_1\\ c&=d \end{{align}}
$$

$$
{wide_formula}
$$

| | {function} |
|---|---|
| $|x|$ | $P(A|B)$ |
| $\|v\|$ | `a | b` |
| {function} | ${wide_formula}$ |

/// snippet | prints
///

/// snippet | draws
{alt} «1» <b> & 2.

{alt} 2.

{alt} 3.

{alt} 4.
///

!!! note "{title}"
    {price}.

=== "{red}"
    $x_1$

=== "{link}"
    {price}.

```python hl_lines="2"
x = "$5"
y = "$6"
```

[CSV](../data/table.csv){{ .download }} ![{alt}](../data/dot.png)

[{link}](mini.md#mixing)

[^note]: {price}.
"""
WIDE = "+".join(f"a_{{{number}}}" for number in range(40))
WORDS = {
    "es": {"title": "Título", "mark": ".", "red": "rojo", "link": "enlace", "row": "Suma", "function": "Función", "price": "Cuesta", "alt": "Curva",
           "words": "Cada función tiene su gráfico; la página del año pasado también."},
    "ru": {"title": "Ёж, Щука, Я и У", "mark": ",", "red": "красный", "link": "ссылка", "row": "Ряд", "function": "Функция", "price": "Цена", "alt": "Кривая",
           "words": "У каждой функции свой график."},
}


def add_full_lesson(course: Checkout) -> None:
    """The pages es/lessons/full.md and ru/lessons/full.md with programs, golden files and data."""
    config = course.read("mkdocs.yml")
    for code, words in WORDS.items():
        page = LESSON.format(front=LESSON_FRONT.format(**words), wide_formula=WIDE, **words)
        course.write(f"docs/{code}/lessons/full.md", page)
        course.write(f"docs/{code}/data/table.csv", "1,2\n")
        (course.root / f"docs/{code}/data/dot.png").write_bytes(base64.b64decode(PNG))
        for name, program in (("prints", PRINTS), ("draws", DRAWS)):
            course.write(f"snippets/{code}/full/{name}.py", program.format(**words))
        config = config.replace(f"    - {code}/lessons/mini.md\n", f"    - {code}/lessons/mini.md\n    - {code}/lessons/full.md\n")
    course.write("mkdocs.yml", config)
    done = course.lessons("accept", "full")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def full_course(engine_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A course with the full lesson, built once with its address; tests read it and change nothing."""
    root = tmp_path_factory.mktemp("full") / "course"
    shutil.copytree(engine_copy, root)
    course = Checkout(root)
    add_full_lesson(course)
    done = course.build(SITE_URL=SITE_URL)
    assert done.returncode == 0, done.stderr
    return course


def article(course: Checkout, page: str) -> str:
    """The text of a built page, by its file below the site's root."""
    return re.search(r"(?s)<article.*</article>", (course.site / page).read_text(encoding="utf-8"))[0]


def without_drawings(page: str) -> str:
    """HTML without what formulas and figures are drawn with: what a reader finds as text."""
    return re.sub(r"(?s)<svg.*?</svg>|<mjx-assistive-mml>.*?</mjx-assistive-mml>", "", page)
