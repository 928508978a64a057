"""Formulas: what is drawn, what is said of wrong TeX, what is stored, and how they stand on a page."""

from __future__ import annotations

import json
import re
import shutil
import threading
import time
from pathlib import Path

import pytest

from lessonkit import formulas
from lessonkit.formulas import (
    BUNDLE,
    MACROS,
    Drawer,
    Formula,
    draw,
    keep_punctuation,
    plain_text,
    share_glyphs,
    standard_tex,
)
from lessonkit.plaintext import _SYMBOLS

ATTENTION = r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
ASSETS = Path(__file__).resolve().parents[2] / "docs" / "assets"


@pytest.fixture(scope="module")
def drawer(tmp_path_factory):
    """One for all tests that only draw: MathJax is loaded once."""
    with_mathjax = Drawer(tmp_path_factory.mktemp("formulas"), jobs=1)
    yield with_mathjax
    with_mathjax.close()


@pytest.fixture
def html_of(drawer):
    def html_of(tex, display=False):
        drawing = drawer.draw([Formula(tex, display)])[Formula(tex, display)]
        assert drawing.problem is None
        return drawing.html

    return html_of


def mathml(html):
    return re.search(r"<math.*</math>", html)[0]


class TestDrawing:
    def test_eye_gets_an_svg_and_screen_readers_the_mathml(self, html_of):
        html = html_of("x^2")
        assert html.startswith('<mjx-container class="mjx-whole" data-tex="x^2"><svg aria-hidden="true" ')
        assert mathml(html) == "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
        assert html.endswith("</math></mjx-assistive-mml></mjx-container>")
        assert html.count("<path") == 2

    def test_display_formula_says_so(self, html_of):
        html = html_of(ATTENTION, display=True)
        assert re.match(r'<mjx-container [^>]*display="true"', html)
        assert '<math display="block">' in html
        assert "tabindex" not in html  # only scrolling.js knows whether it scrolls

    def test_what_only_mathjax_needs_is_left_out(self, html_of):
        html = html_of(ATTENTION)
        for name in ("data-mml-node", "data-c", "data-latex", "xmlns", "focusable", "jax=", "role="):
            assert name not in html
        assert "<g>" not in html

    @pytest.mark.parametrize(
        ("tex", "numbers"),
        [("0{,}60", ["0,60"]), ("0.25", ["0.25"]), ("12{,}5+3", ["12,5", "3"]), ("(1,2)", ["1", "2"])],
    )
    def test_decimal_number_is_one_number(self, html_of, tex, numbers):
        assert re.findall("<mn>(.*?)</mn>", html_of(tex)) == numbers

    @pytest.mark.parametrize(
        "tex",
        [
            r"\text{если ёж, Щука}",
            r"\text{año, posición, ¿«ü»?}",
            r"\textbf{ключ} \textit{clave}",
            r"d_{модель}",
            r"\mathsf{S}",
            r"\mathfrak{g}",
            r"\mathtt{w[0]}",
            r"\checkmark",
            r"\mathscr{L}",
            r"\mathcal{L}\mathbb{E}",
            r"\boldsymbol\theta",
            r"\widehat{abc}",
            r"\underbrace{x}_{\text{сумма}}",
            "α × β ≤ ∞ − 1",
            r"\texttt{ключ}",
        ],
    )
    def test_letters_of_the_course_have_glyphs(self, html_of, tex):
        assert "<path" in html_of(tex)

    def test_roles_have_a_class_for_their_colour_in_svg(self, html_of):
        svg = html_of(r"\query{q_i}\cdot\key k=\weight{\alpha}\value{v}").partition("<mjx-assistive-mml>")[0]
        assert re.findall(r'class="(role-\w+)"', svg) == [
            "role-query",
            "role-key",
            "role-weight",
            "role-value",
        ]
        style = (ASSETS / "css" / "formulas.css").read_text("utf-8")
        for role in ("query", "key", "value", "weight"):
            assert f".role-{role} {{\n  fill: var(--vis-{role}" in style

    def test_long_inline_formula_may_break_and_short_one_may_not(self, html_of):
        long = html_of("+".join(f"a_{{{i}}}" for i in range(20)))
        assert long.count("<mjx-break") > 10
        assert "mjx-whole" not in long
        assert "mjx-whole" in html_of("a<b")

    def test_no_sign_in_tex_ends_the_attribute(self, html_of):
        assert r'data-tex="a&lt;b&gt;c \&amp; \text{&quot;}"' in html_of('a<b>c\n\\& \\text{"}')

    def test_clipboard_gets_tex_that_others_know(self, html_of):
        assert 'data-tex="\\operatorname{softmax}({Q}{K}^{\\top})"' in html_of(
            r"\softmax(\query{Q}\key{K}\T)"
        )

    def test_result_does_not_depend_on_order_threads_or_fonts_met_before(self, tmp_path):
        some = [
            Formula(tex, display)
            for display in (False, True)
            for tex in (
                ATTENTION,
                r"\text{ключ}",
                r"\mathbb{R}",
                r"\text{año}",
                "a_1+b",
                r"\hat{y}",
                r"\mathfrak{a}\mathsf{b}",
                r"\begin{pmatrix}1&2\\3&4\end{pmatrix}",
                r"x\tag{1}",
                r"\mathcal{L}",
                r"\lVert x\rVert",
            )
        ]
        many = some + [Formula(f"x_{{{i}}}", False) for i in range(100)]
        first, second = Drawer(tmp_path / "1", jobs=1), Drawer(tmp_path / "2", jobs=3)
        alone = {}
        for formula in some:  # one by one, each alone in its call
            alone |= first.draw([formula])
        together = second.draw(reversed(many))
        assert second._threads._started == 3
        assert {formula: together[formula] for formula in some} == alone
        assert list(together) == many[::-1]
        first.close()
        second.close()

    def test_caller_can_do_something_else_meanwhile(self, drawer):
        drawer.draw([Formula("x", False)])  # loads MathJax
        rows = r"\\".join(
            "&".join(["x_1"] * 20) for _ in range(20)
        )  # a single call of some tenths of a second
        drawings = drawer.start([Formula(rf"\begin{{matrix}}{rows}\end{{matrix}}", True)])
        time.sleep(0.05)
        steps = 0
        while not drawings._batch._done.is_set():
            steps += 1
        assert steps > 1000, "Python stood still while MathJax was drawing"
        assert len(drawings.collect()) == 1

    def test_function_for_one_call(self, tmp_path):
        assert draw([Formula("x", False)], cache=tmp_path, jobs=1)[Formula("x", False)].html


class TestProblems:
    @pytest.mark.parametrize(
        ("tex", "problem"),
        [
            (
                r"\sofmax(x)",
                r"the command \sofmax is unknown; did you mean \softmax? Otherwise use one of LaTeX or "
                "amsmath, or add it to MACROS in scripts/lessonkit/formulas.py",
            ),
            (r"x+\frac{1}{2", r"a { is never closed, near “x+\frac{1}{2”; add its }"),
            ("x}", "a } has no { before it, near “x}”; take it out or add the {"),
            ("a_b_c", "one symbol has two subscripts, near “a_b_”; write x_{ij}, or {x_i}_j"),
            ("a^b^c", "one symbol has two superscripts, near “a^b^”; write x^{ij}, or {x^i}^j"),
            (r"\left(x", r"a \left has no \right, near “\left(x”; add it; \right. shows nothing"),
            (
                "a & b",
                r"& stands outside a matrix, aligned or cases, near “a &”; put it into one; the sign & is \&",
            ),
            (
                r"\begin{matrx}x\end{matrx}",
                "the environment matrx is unknown, near “\\begin{matrx}”; use one of amsmath, "
                "such as aligned, cases, pmatrix",
            ),
            (r"\begin{matrix}x", r"\end{matrix} is missing, near “\begin{matrix}x”; add it"),
            (
                r"\begin{cases}x\end{matrix}",
                r"\begin{cases} ended with \end{matrix}, near “…egin{cases}x\end{matrix}”; "
                "give both the same name",
            ),
            (r"\frac{1}", r"\frac lacks an argument, near “\frac{1}”; add it in braces"),
            (
                r"\text{a_b}",
                r"_ stands in text, near “\text{a_b}”; write \_ or \^{} for the sign, or end \text{} "
                "before it",
            ),
            (r"\sqrt[3", r"the [ after \sqrt is never closed, near “\sqrt[3”; add its ]"),
            (
                r"\text{✗}",
                "the formulas' font has no glyph for ✗ (U+2717); take another sign or write it in the text",
            ),
            (r"60%", r"a bare % hides all that follows it; write \%"),
            (r"a\\% b", r"a bare % hides all that follows it; write \%"),
            ("  ", "there is nothing between the dollars; write the formula or take them out"),
            ("{" * 3000 + "x" + "}" * 3000, "it is nested too deeply; write it in simpler parts"),
            (
                r"\newcommand{\x}{y}\x",
                r"\newcommand defines something, and each formula stands alone; add a macro for all "
                "to MACROS in scripts/lessonkit/formulas.py",
            ),
            (
                r"x\eqref{a}",
                r"\eqref refers to another place, which no formula knows; use \tag{1} and write (1) in "
                "the text",
            ),
            ("\ud800", "it contains half of a character (a lone surrogate); type the character again"),
            ("x\0", "it contains the character U+0000; take it out"),
            (
                r"\hspace{3}",
                r"missing dimension or its units for \hspace, near “\hspace{3}”; write it as LaTeX wants it",
            ),
        ],
    )
    def test_says_what_is_wrong_where_and_what_to_do(self, drawer, tex, problem):
        drawing = drawer.draw([Formula(tex, False)])[Formula(tex, False)]
        assert drawing.problem == problem
        assert drawing.html == ""

    @pytest.mark.parametrize(
        "tex", [r"60\,\%", r"a\\b", r"\begin{aligned}a&=b\\&=c\end{aligned}", r"\lbrace"]
    )
    def test_what_looks_like_a_fault_and_is_none(self, html_of, tex):
        html_of(tex)

    def test_others_are_drawn_beside_wrong_ones(self, tmp_path):
        drawer = Drawer(tmp_path, jobs=1)
        deep = "{" * 3000 + "x" + "}" * 3000
        texts = ["a", r"\foo", "b", deep, "c", r"\text{✗}", r"\text{ключ}", "😀", "d", ""]
        drawings = drawer.draw(Formula(tex, False) for tex in texts)
        assert [formula.tex for formula, drawing in drawings.items() if not drawing.problem] == [
            "a",
            "b",
            "c",
            r"\text{ключ}",
            "d",
        ]
        drawer.close()

    def test_missing_glyph_is_missing_every_time(self, drawer):
        """MathJax forgets a character whose font file it could not load, and would recurse."""
        said = [
            drawer.draw([Formula(f"{'✗'}_{i}", False)])[Formula(f"✗_{i}", False)].problem for i in range(3)
        ]
        assert len(set(said)) == 1
        assert "U+2717" in said[0]

    def test_no_macro_hides_a_command_of_tex(self):
        assert not set(MACROS) & {*"kvqwacdbutrHijloOLPS", "ae", "aa", "ss"}


class TestStore:
    @pytest.fixture
    def no_mathjax(self, monkeypatch):
        def fail(batch, mathjax):
            raise AssertionError("MathJax was asked")

        def forbid():
            monkeypatch.setattr(formulas._Batch, "work", fail)

        return forbid

    SOME = tuple(Formula(f"x_{{{i}}}", display) for i in range(40) for display in (False, True))

    def test_next_build_draws_nothing(self, tmp_path, no_mathjax):
        first = Drawer(tmp_path).draw(self.SOME)
        no_mathjax()
        assert Drawer(tmp_path).draw(self.SOME) == first
        with pytest.raises(AssertionError, match="MathJax was asked"):
            Drawer(tmp_path).draw([Formula("x_{0} ", False)])

    def test_same_process_reads_nothing_again(self, tmp_path, no_mathjax):
        drawer = Drawer(tmp_path)
        first = drawer.draw(self.SOME)
        no_mathjax()
        shutil.rmtree(tmp_path)
        assert drawer.draw(self.SOME) == first

    def test_problems_are_not_stored(self, tmp_path, drawer):
        bad = Formula(r"\nosuch", False)
        assert Drawer(tmp_path).draw([bad])[bad].problem
        assert not list(tmp_path.iterdir())

    @pytest.mark.case(number="C51")
    @pytest.mark.parametrize(
        "damage",
        [
            lambda data: data[:-1],
            lambda data: b"",
            lambda data: data.replace(b"path", b"PATH"),
            lambda data: b"\xff" + data,
            lambda data: b"\n",
            lambda data: data.partition(b"\n")[2],
        ],
    )
    def test_damaged_file_costs_a_warning_and_a_drawing(self, tmp_path, damage, caplog):
        one = self.SOME[0]
        first = Drawer(tmp_path).draw([one])
        [file] = tmp_path.iterdir()
        whole = file.read_bytes()
        file.write_bytes(damage(whole))
        assert Drawer(tmp_path).draw([one]) == first
        assert caplog.messages == [f"The store {tmp_path} holds a damaged entry, which is made again"]
        assert file.read_bytes() == whole

    @pytest.mark.case(number="C51")
    def test_folder_that_cannot_be_written_costs_one_warning(self, tmp_path, caplog):
        (tmp_path / "file").write_text("")
        drawings = Drawer(tmp_path / "file" / "folder").draw(self.SOME)
        assert all(drawing.html for drawing in drawings.values())
        assert len(caplog.messages) == 1

    def test_drawings_of_another_mathjax_are_forgotten(self, tmp_path, monkeypatch, caplog):
        Drawer(tmp_path).draw(self.SOME[:1])
        [file] = tmp_path.iterdir()
        file.write_bytes(b"never looked at")
        monkeypatch.setattr(formulas, "_stamp", lambda: "0" * 64)
        Drawer(tmp_path).draw(self.SOME[:1])
        assert len(list(tmp_path.iterdir())) == 2
        assert not caplog.messages

    def test_file_keeps_its_newest_entries(self, tmp_path, monkeypatch):
        monkeypatch.setattr(formulas._Store, "FILES", 1)
        monkeypatch.setattr(formulas._Store, "LARGEST", 10)
        drawer = Drawer(tmp_path)
        drawer.draw(self.SOME[:8])
        drawer.draw(self.SOME[8:16])
        store = formulas._Store(tmp_path)
        assert len(store.read(self.SOME)) == 10
        assert set(self.SOME[8:16]) <= set(store.read(self.SOME))

    @pytest.mark.case(number="C51")
    def test_two_builds_at_once_never_see_half_a_file(self, tmp_path, monkeypatch, caplog):
        monkeypatch.setattr(formulas._Store, "FILES", 1)
        drawings = {formula: formulas.Drawing(f"<x>{'y' * 5000}{formula.tex}</x>") for formula in self.SOME}

        def build():
            for formula in self.SOME:
                formulas._Store(tmp_path).write({formula: drawings[formula]})

        builds = [threading.Thread(target=build) for _ in range(2)]
        for thread in builds:
            thread.start()
        while any(thread.is_alive() for thread in builds):
            found = formulas._Store(tmp_path).read(self.SOME)
            assert all(drawings[formula] == drawing for formula, drawing in found.items())
        assert not caplog.messages
        assert len(list(tmp_path.iterdir())) == 1

    def test_five_hundred_are_read_in_a_moment(self, tmp_path):
        drawing = Drawer(tmp_path / "one").draw([Formula(ATTENTION, True)])[Formula(ATTENTION, True)]
        many = [Formula(f"{ATTENTION}+{i}", True) for i in range(500)]
        formulas._Store(tmp_path).write(dict.fromkeys(many, drawing))
        times = []
        for _ in range(5):
            before = time.thread_time()
            assert len(formulas._Store(tmp_path).read(many)) == 500
            times.append(time.thread_time() - before)
        assert min(times) < 0.04


class TestPage:
    def test_each_outline_stands_once_and_every_reference_finds_its_own(self, html_of):
        page = f"<p>{html_of('x+y')} {html_of('x+z')} {html_of(ATTENTION)}</p>"
        shared = share_glyphs(page)
        outlines = dict(re.findall(r'<path id="(\w+)" d="([^"]+)"/>', shared))
        assert len(outlines) == len(set(outlines.values()))
        assert all(shared.count(f'"#{name}"') > 1 for name in outlines)
        drawn = re.findall(r' d="([^"]{40,})"', shared)
        assert len(drawn) == len(set(drawn))
        back = re.sub(
            r'<use xlink:href="#(\w+)"(.*?)/>', lambda m: f'<path d="{outlines[m[1]]}"{m[2]}/>', shared
        )
        assert back.partition('<svg class="mjx-glyphs"')[0] == page

    def test_material_finds_no_link_in_a_drawing(self, html_of):
        assert not re.search(r"(?<!xlink:)href", share_glyphs(html_of("x+x")))

    def test_same_page_gives_the_same_html_and_others_stay(self, html_of):
        page = html_of(ATTENTION) * 2
        assert share_glyphs(page) == share_glyphs(page)
        plain = "<p>Nada. <svg><path d='M0 0'/></svg></p>"
        assert share_glyphs(keep_punctuation(plain)) == plain

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("{}, y", '<span class="mjx-keep">{},</span> y'),
            ("({}).", '<span class="mjx-keep">({}).</span>'),
            ("«{}»", '<span class="mjx-keep">«{}»</span>'),
            ("{}-й элемент", '<span class="mjx-keep">{}-й</span> элемент'),
            ("{}&nbsp;% de", '<span class="mjx-keep">{}&nbsp;%</span> de'),
            ("{}\u202f% de", '<span class="mjx-keep">{}\u202f%</span> de'),
            ("a {} b", "a {} b"),
            ("<td>{}</td>", "<td>{}</td>"),
            ("{}&lt;b", "{}&lt;b"),
        ],
    )
    def test_punctuation_stays_with_its_formula(self, html_of, before, after):
        formula = html_of("x")
        assert keep_punctuation(before.format(formula)) == after.format(formula)

    def test_display_formula_is_left_alone(self, html_of):
        page = f"{html_of('x', display=True)}. {html_of('y')}"
        assert keep_punctuation(page) == page

    def test_neighbours_are_kept_apart(self, html_of):
        x, y = html_of("x"), html_of("y")
        assert (
            keep_punctuation(f"{x}, {y}.")
            == f'<span class="mjx-keep">{x},</span> <span class="mjx-keep">{y}.</span>'
        )


class TestPlainText:
    @pytest.mark.parametrize(
        ("tex", "text"),
        [
            (ATTENTION, "softmax(QKᵀ/√d_k)V"),
            (r"\softmax(\query{Q}\key{K}\T)", "softmax(QKᵀ)"),
            (r"o_i=\sum_j\alpha_{ij}\,v_j", "o_i = ∑_j α_ij v_j"),
            (r"\sum_{i=1}^{n} x_i", "∑_(i=1)ⁿ x_i"),
            (r"x_{t-1}", "x_(t−1)"),
            (r"W_1x^{23}", "W₁x²³"),
            (r"10^{-8}", "10⁻⁸"),
            (r"-1", "−1"),
            (r"a-b", "a − b"),
            (r"0{,}60", "0,60"),
            (r"60\,\%", "60 %"),
            (r"\frac12x", "1/2x"),
            (r"\frac{a+b}{2\sigma^2}", "(a + b)/(2σ²)"),
            (r"\R^{n\times d_k}", "ℝ^(n×d_k)"),
            (
                r"M_{ij}=\begin{cases}0,&\text{если } j\le i\\-\infty,&\text{иначе}\end{cases}",
                "M_ij = { 0, если j ≤ i; −∞, иначе",
            ),
            (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "(1 2; 3 4)"),
            (r"\log p_\theta(x)", "log p_θ(x)"),
            (r"\log(x)", "log(x)"),
            (r"\frac{\partial \mathcal L}{\partial s}", "∂L/(∂s)"),
            (r"\hat y, \vec{v}", "ŷ, v⃗"),
            (r"f(x)", "f(x)"),
            (r"\left\{1,2\right\}", "{1, 2}"),
            (r"\mathbf{x}'\in X", "x′ ∈ X"),
            (r"e^{s_{ij}}", "e^(s_ij)"),
            (r"x_{(1,2)}", "x_(1,2)"),
        ],
    )
    def test_reads_as_one_would_write_it(self, tex, text):
        assert plain_text(tex) == text

    @pytest.mark.parametrize(
        "tex", ["", "}", "{", "_", "^", "\\", r"\frac", r"\begin{", r"\end{x}", r"\left", r"\query", "x^{^{"]
    )
    def test_wrong_tex_gives_some_text(self, tex):
        assert isinstance(plain_text(tex), str)

    def test_symbols_are_those_that_mathjax_draws(self, html_of):
        other = {"cdot": "⋅", "coloneqq": ":="}  # typed more often, or one sign instead of two
        wrong = {}
        for name, symbol in _SYMBOLS.items():
            if name == "degree":  # not in amsmath
                continue
            shown = (
                re.sub("<.*?>", "", mathml(html_of(f"\\{name}"))).replace("&lt;", "<").replace("&gt;", ">")
            )
            if shown != other.get(name, symbol):
                wrong[name] = (symbol, shown)
        assert not wrong


class TestStandardTex:
    @pytest.mark.parametrize(
        ("tex", "standard"),
        [
            (r"\softmax(\query{Q}\key{K}\T)\value V", r"\operatorname{softmax}({Q}{K}^{\top}){V}"),
            (r"\query{Q_{\key{a}}}x", "{Q_{{a}}}x"),
            (r"\query \alpha b", r"{\alpha} b"),
            (r"\query{\{}", r"{\{}"),
            (r"a\\softmax", r"a\\softmax"),
            (r"\Re\Theta\queryx", r"\Re\Theta\queryx"),
            (r"\query", "{}"),
            (r"\query{x", "{x}"),
        ],
    )
    def test_own_macros_are_written_out(self, tex, standard):
        assert standard_tex(tex) == standard

    def test_drawing_is_the_same_but_for_the_colours(self, html_of):
        tex = r"\argmax_i\softmax(\query{Q}\key{K}\T)\in\R"
        drawn = [
            re.sub(r' class="role-\w+"| data-tex="[^"]*"', "", html_of(t)) for t in (tex, standard_tex(tex))
        ]
        paths = [re.findall(r' d="([^"]+)"', html) for html in drawn]
        assert paths[0] == paths[1]


class TestBundle:
    def test_files_are_those_of_the_manifest(self):
        manifest = json.loads((BUNDLE / "manifest.json").read_text("utf-8"))
        found = {file.relative_to(BUNDLE).as_posix() for file in BUNDLE.rglob("*.js")}
        assert found == set(manifest["sha256"])
        for name in found:
            assert formulas._digest((BUNDLE / name).read_bytes()) == manifest["sha256"][name]

    def test_version_is_that_of_the_packages(self):
        manifest = json.loads((BUNDLE / "manifest.json").read_text("utf-8"))
        packages = json.loads((SCRIPTS / "mathjax" / "package.json").read_text("utf-8"))["devDependencies"]
        locked = json.loads((SCRIPTS / "mathjax" / "package-lock.json").read_text("utf-8"))["packages"]
        assert (
            manifest["mathjax"] == packages["@mathjax/src"] == locked["node_modules/@mathjax/src"]["version"]
        )
        assert "resolved" not in (SCRIPTS / "mathjax" / "package-lock.json").read_text("utf-8")

    def test_changed_file_is_not_used(self, tmp_path, monkeypatch):
        shutil.copytree(BUNDLE, tmp_path / "bundle")
        monkeypatch.setattr(formulas, "BUNDLE", tmp_path / "bundle")
        formulas._script.cache_clear()
        with (tmp_path / "bundle" / "core.js").open("a") as file:
            file.write("//")
        with pytest.raises(RuntimeError, match=r"bundle/core\.js is not the file that its manifest names"):
            formulas._script("core.js")
        formulas._script.cache_clear()


@pytest.mark.browser
class TestBrowser:
    @pytest.fixture
    def page(self, chromium):
        context = chromium.new_context(viewport={"width": 390, "height": 800})
        page = context.new_page()
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        yield page
        context.close()

    def show(self, page, body):
        style = (ASSETS / "css" / "formulas.css").read_text("utf-8")
        script = "".join((ASSETS / "js" / f"{name}.js").read_text("utf-8") for name in ("formulas", "scrolling"))
        page.set_content(
            f"<style>{style}</style><body>{share_glyphs(keep_punctuation(body))}<script>{script}</script>"
        )
        page.wait_for_timeout(100)
        assert not page.errors

    COPY = """(range) => {
        const r = document.createRange();
        r.setStart(...range(document)[0]); r.setEnd(...range(document)[1]);
        getSelection().removeAllRanges(); getSelection().addRange(r);
        const settings = {clipboardData: new DataTransfer(), bubbles: true, cancelable: true};
        const event = new ClipboardEvent("copy", settings);
        document.body.dispatchEvent(event);
        return [event.defaultPrevented, event.clipboardData.getData("text/plain")];
    }"""

    def copied(self, page, start, end):
        return page.evaluate(f"({self.COPY})((document) => [{start}, {end}])")

    def test_copying_gives_tex(self, page, html_of):
        softmax, below, square = html_of(r"\softmax(x)"), html_of("a<b"), html_of("x^2", display=True)
        self.show(page, f"<p id=a>Peso {softmax}, y {below}.</p>{square}<p id=b>Fin.</p><p id=c>Sin.</p>")
        assert self.copied(
            page, "[document.getElementById('a'), 0]", "[document.getElementById('b'), 1]"
        ) == [True, "Peso $\\operatorname{softmax}(x)$, y $a<b$.\n\n$$x^2$$\n\nFin."]
        inside = "document.querySelector('mo').firstChild"
        assert self.copied(page, f"[{inside}, 0]", f"[{inside}, 1]") == [True, "$\\operatorname{softmax}(x)$"]
        assert self.copied(
            page, f"[{inside}, 1]", "[document.querySelectorAll('math')[1].querySelector('mo').firstChild, 0]"
        ) == [
            True,
            "$\\operatorname{softmax}(x)$, y $a<b$",
        ]
        assert self.copied(
            page, "[document.getElementById('c'), 0]", "[document.getElementById('c'), 1]"
        ) == [False, ""]

    def test_short_formula_is_not_broken_and_punctuation_does_not_leave_it(self, page, html_of):
        long = html_of("+".join(f"a_{{{i}}}" for i in range(12)))
        body = f"y {html_of('a<b')} o {html_of('c<d')}% {long}, {long} fin"
        self.show(page, f'<p style="width: 1px">{body}</p>')
        lines = page.evaluate("""[...document.querySelectorAll("mjx-container")].map((formula) => {
            const parts = [...formula.querySelectorAll("svg")].map((svg) => svg.getBoundingClientRect());
            return new Set(parts.map((part) => Math.round((part.top + part.bottom) / 20))).size;
        })""")
        assert lines[:2] == [1, 1]
        assert min(lines[2:]) > 5
        sign = page.evaluate("""(() => {
            const range = document.createRange();
            range.selectNode(document.querySelector(".mjx-keep").lastChild);
            const last = [...document.querySelectorAll(".mjx-keep svg")][1].getBoundingClientRect();
            return Math.abs(range.getBoundingClientRect().bottom - last.bottom);
        })()""")
        assert sign < 12

    @pytest.mark.case(number="C61")
    def test_page_never_scrolls_sideways_and_only_wide_formulas_scroll(self, page, html_of):
        wide = "+".join(f"a_{{{i}}}" for i in range(40))
        tagged = r"\begin{bmatrix}1&2&3&4&5&6\end{bmatrix}=\text{una línea bastante larga}\tag{1}"
        self.show(
            page,
            html_of(wide, display=True)
            + html_of(tagged, display=True)
            + f"<p>{html_of(wide)}.</p>"
            + html_of(r"\int_0^1\hat{\vec x}\,dx", display=True)
            + html_of(r"\frac{a}{b}", display=True),
        )
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        boxes = "[...document.querySelectorAll('mjx-container[display]')]"
        assert page.evaluate(f"{boxes}.map((box) => [box.tabIndex, box.hasAttribute('data-more-after')])") == [
            [0, True],
            [0, True],
            [-1, False],
            [-1, False],
        ]
        assert page.evaluate(f"{boxes}.every((box) => box.scrollHeight <= box.clientHeight)")
        page.evaluate(f"{boxes}[0].scrollLeft = 1e6")
        page.wait_for_timeout(100)
        assert not page.evaluate(f"{boxes}[0].hasAttribute('data-more-after')")
