"""Lessons made by rule, as many as asked, for measuring builds: the same arguments give the same bytes.

A lesson says what it holds and not how it is written: `corpus_format` writes it for this course, `sites` for the sites
that it is measured against.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

LANGUAGES = ("es", "ru")
WORDS = {
    "es": "la cada una esta atención consulta clave fila columna suma frase palabra peso matriz vector mapa capa mira "
          "lee compara suma reparte guarda cambia poco mucho antes después siempre entonces aquí donde cuando".split(),
    "ru": "внимание запрос ключ строка столбец сумма фраза слово вес матрица вектор карта слой смотрит читает сравнивает "
          "складывает делит хранит меняет мало много раньше потом всегда тогда здесь где когда каждый этот один".split(),
}
TITLES = {"es": "Lección generada {}", "ru": "Созданный урок {}"}
PARAGRAPHS, WORDS_EACH = 12, 65
INLINE = (r"q_{{{}}}^\top k", r"\frac{{e^{{s_{}}}}}{{Z}}", r"\sqrt{{d_{{{}}}}}", r"\alpha_{{i,{}}}", r"W^Q_{{{}}}")
DISPLAY = (
    r"\operatorname{{softmax}}\left(\frac{{QK^\top}}{{\sqrt{{d_{{{}}}}}}}\right)V",
    r"\alpha_{{i{0}}}=\frac{{\exp(s_{{i{0}}})}}{{\sum_{{j=1}}^{{n}}\exp(s_{{ij}})}}",
    r"\frac{{\partial\alpha_{0}}}{{\partial s_j}}=\alpha_{0}(\delta_{{{0}j}}-\alpha_j)",
    r"\begin{{pmatrix}}0&-\infty\\x_{{{}}}&0\end{{pmatrix}}",
)
HEAD = "import numpy as np\n\nrng = np.random.default_rng({seed})\n"
PROGRAMS = (
    HEAD + "scores = rng.normal(size=(5, 7))\nweights = np.exp(scores - scores.max(axis=1, keepdims=True))\n"
           "weights /= weights.sum(axis=1, keepdims=True)\nprint(weights.round(3))\n",
    HEAD + "Q, K, V = rng.normal(size=(3, 8, 16))\nscores = Q @ K.T / 4\nscores[np.triu_indices(8, 1)] = -np.inf\n"
           "weights = np.exp(scores)\nweights /= weights.sum(axis=1, keepdims=True)\nprint((weights @ V)[:2, :5].round(2))\n",
    "import matplotlib.pyplot as plt\n" + HEAD + "weights = rng.dirichlet(np.ones(6), size=6)\nfig, ax = plt.subplots()\n"
    'image = ax.imshow(weights, vmin=0, vmax=1)\nfig.colorbar(image)\nfor (i, j), weight in np.ndenumerate(weights):\n'
    '    ax.text(j, i, f"{{weight:.2f}}", ha="center")\nprint(weights.sum(axis=1).round(6))\n',
)
FIGURE = 2
"""Which of them draws."""


@dataclass
class GeneratedProgram:
    number: int
    """Among all of the course."""
    k: int
    """Among those of its lesson."""
    edits: int = 0

    @property
    def figure(self) -> bool:
        return self.k % len(PROGRAMS) == FIGURE

    @property
    def marker(self) -> str:
        """What it prints last. It does not stand in the code: a page that only shows the program has no marker."""
        return f"m{self.number * 7 + 1}e{self.edits * 3 + 2}"

    @property
    def code(self) -> str:
        body = PROGRAMS[self.k % len(PROGRAMS)].format(seed=self.number)
        return f'{body}edits = {self.edits}\nprint(f"m{{{self.number} * 7 + 1}}e{{edits * 3 + 2}}")\n'


@dataclass
class GeneratedLesson:
    lang: str
    number: int
    """Among all of the course."""
    snippets: list[GeneratedProgram]
    formulas: int
    """How many different ones the course has."""
    edits: int = 0
    """Of its prose."""
    _words: list[list[str]] = field(default_factory=list)

    @property
    def slug(self) -> str:
        return f"lesson-{self.number // 2:03d}"  # a page of each language

    @property
    def title(self) -> str:
        return TITLES[self.lang].format(self.number)

    @property
    def word(self) -> str:
        """The word of its prose that an edit changes."""
        return f"{WORDS[self.lang][0]}{self.edits}"

    def blocks(self) -> Iterator[tuple[str, object]]:
        """("h2", text), ("p", [("t", text) or ("m", TeX), …]), ("dm", TeX) and ("code", program), in order."""
        chance = random.Random(self.number)
        first = self.number * 30
        for index in range(PARAGRAPHS):
            words = [chance.choice(WORDS[self.lang]) for _ in range(WORDS_EACH)]
            if index == 0:
                words[3] = self.word
            if index % 2 == 0:
                yield "h2", f"{words[0].capitalize()} {words[1]} {words[2]}"
            middle = WORDS_EACH // 2
            inline = [tex(INLINE, (first + 2 * index + side) % self.formulas) for side in (0, 1)]
            yield "p", [
                ("t", " ".join(words[:middle]) + " "), ("m", inline[0]), ("t", " " + " ".join(words[middle:]) + " "),
                ("m", inline[1]), ("t", "."),
            ]
            if index % 2 == 1:
                yield "dm", tex(DISPLAY, (first + 24 + index // 2) % self.formulas)
                if index // 2 < len(self.snippets):
                    yield "code", self.snippets[index // 2]


def tex(forms: tuple[str, ...], number: int) -> str:
    return forms[number % len(forms)].format(number)


def generate(lessons: int, programs: int = 6, formulas: int = 300) -> list[GeneratedLesson]:
    """Half of them in each language; `programs` each (a third of them draw), and so many different formulas in all."""
    return [
        GeneratedLesson(LANGUAGES[number % 2], number, [GeneratedProgram(number * programs + k, k) for k in range(programs)],
                        formulas)
        for number in range(lessons)
    ]
