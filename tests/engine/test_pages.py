"""The reader: what it finds, at which line, what it leaves alone, and what it says of every fault."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessonkit.pages import TOKEN, parse_page
from lessonkit.project import PageName, ProgramName

NAME = PageName("es", "lessons/masks.md")
CAUSAL = ProgramName("es", "masks", "causal")
FRONT = "---\ntitle: T\ndescription: D\nminutes: 20\nneeds: []\n---\n"


def read(text, front=FRONT, name=NAME):
    return parse_page(name, front + text)


def shown(page):
    """The Markdown with readable tokens."""
    return TOKEN.sub(lambda m: f"<{m['kind']}{m['index']}>", page.markdown)


def said(page):
    return [(problem.line, problem.rule, problem.text) for problem in page.problems]


class TestDirectives:
    def test_whole_program_and_one_cell_and_another_lessons(self):
        page = read("/// snippet | causal\nAlt.\n///\n\n/// snippet | causal:weights\n///\n\n/// snippet | sqrt-d/spread\n///\n")
        assert [(d.line, d.program, d.cell) for d in page.directives] == [
            (7, CAUSAL, None), (11, CAUSAL, "weights"), (14, ProgramName("es", "sqrt-d", "spread"), None)]
        assert not page.problems

    def test_concept_page_finds_programs_in_its_own_folder(self):
        page = parse_page(PageName("ru", "concepts/scaled-dot-product.md"),
                          "---\ntitle: T\ndescription: D\n---\n/// snippet | mix\n///\n")
        assert page.directives[0].program == ProgramName("ru", "concepts/scaled-dot-product", "mix")
        assert page.directives[0].program.path == "snippets/ru/concepts/scaled-dot-product/mix.py"

    def test_alt_texts_keep_colons_hashes_and_brackets(self):
        page = read("/// snippet | causal\nalt: Mapa: ocho # y \\[más]\nsigue.\n\nSegundo: [60 %]{= w}.\n///\n")
        assert [a.text for a in page.directives[0].alts] == ["alt: Mapa: ocho # y [más] sigue.", "Segundo: 60 %."]
        assert [a.line for a in page.directives[0].alts] == [8, 11]
        assert not page.problems

    def test_option_is_indented_and_alt_text_is_not(self):
        page = read("/// snippet | causal\n    show: output\nshow: code es texto.\n///\n")
        assert page.directives[0].show == "output"
        assert page.directives[0].alts[0].text == "show: code es texto."

    @pytest.mark.case(number="C15")
    @pytest.mark.parametrize(("before", "indent"), [("- lista\n\n", "    "), ("!!! note\n    x\n\n", "    "),
                                                    ('=== "Uno"\n\n    1. dos\n\n', "        "), ("a[^a]\n\n[^a]: nota\n\n", "    ")])
    def test_nested_block_keeps_its_indentation(self, before, indent):
        page = read(f"{before}{indent}/// snippet | causal\n{indent}    show: code\n{indent}///\n{indent}texto\n")
        assert f"\n{indent}<d0>\n" in shown(page)
        assert page.directives[0].show == "code"
        assert not page.problems

    def test_block_right_below_text_becomes_a_paragraph_of_its_own(self):
        assert "Texto\n\n<d0>\n\nmás" in shown(read("Texto\n/// snippet | causal\n///\nmás\n"))

    @pytest.mark.parametrize("text", ["```\n/// snippet | causal\n[1]{= x} $x$\n```\n", "~~~~ python\n```\n/// snippet | a\n~~~~\n",
                                      "    /// no, código\n    [1]{= x} $x$\n", "<!-- /// snippet | a\n[1]{= x} -->\n",
                                      "- lista\n\n        [1]{= x} $y$\n", "`[1]{= x} $x$`\n", "``a ` [1]{= x}``\n",
                                      "<pre>\n[1]{= x} $x$\n</pre>\n", "<code>[1]{= x}</code>\n", "<a title='$x$'>y</a>\n"])
    def test_nothing_is_read_in_code_and_comments(self, text):
        page = read(text)
        assert not page.directives
        assert not page.bounds
        assert not page.formulas
        assert shown(page) == text

    @pytest.mark.parametrize(("text", "line", "what"), [
        ("/// snippet | causal\ntexto\n", 7, "This snippet block is not closed"),
        ("/// snippet | a\n\n/// snippet | b\n///\n", 7, "This snippet block is not closed"),
        ("x\n\n/// exercise | a\n///\n", 9, "There is no directive “exercise”"),
        ("/// snippet\n///\n", 7, "This block names no program"),
        ("/// snippet | dos palabras\n///\n", 7, "“dos palabras” names no program"),
        ("/// snippet | a\n    size: 3\n///\n", 8, "There is no option “size”"),
        ("/// snippet | a\n    show: all\n///\n", 8, "show cannot be “all”"),
        ("texto\n\n///\n", 9, "This /// closes nothing"),
        ("- /// snippet | a\n", 7, "A directive cannot begin in the same line as a list item or a quotation"),
        ("- x\n\n        /// snippet | a\n        ///\n", 9, "This block is indented so far that Markdown takes it for code"),
        ("> /// snippet | a\n", 7, "A directive cannot begin in the same line as a list item or a quotation"),
    ])
    def test_faults(self, text, line, what):
        assert (line, "directive", what) in said(read(text))

    def test_faulty_block_stays_in_the_text(self):
        assert "/// snippet | causal\ntexto" in read("/// snippet | causal\ntexto\n").markdown


class TestImages:
    @pytest.mark.case(number="C90")
    @pytest.mark.parametrize("text", ["![](a.png)", "![ ](a.png)", "- x\n    ![](a.png)"])
    def test_one_without_alt_text_is_told(self, text):
        assert [(rule, what) for _, rule, what in said(read(text + "\n"))] == [("alt-text", "This image has no alt text")]

    @pytest.mark.parametrize("text", ["![una curva](a.png)", "![$x^2$](a.png)", "![[0.60]{causal= x}](a.png)", "`![](a.png)`", "[](a.png)"])
    def test_one_with_alt_text_is_right(self, text):
        assert said(read(text + "\n")) == []

    @pytest.mark.case(number="C44")
    @pytest.mark.parametrize("text", ["![x](https://cdn.example.com/a.png)", "![x](//cdn.example.com/a.png)", '<img src="http://cdn.example.com/a.png">',
                                      '<script src="https://polyfill.io/v3/polyfill.min.js"></script>', '<link rel="stylesheet" href="//fonts.example.com/a">'])
    def test_what_would_be_loaded_from_another_host_is_told(self, text):
        assert any(rule == "link" and "would be loaded from another host" in what for _, rule, what in said(read(text + "\n")))

    def test_links_to_other_hosts_are_links(self):
        assert said(read('[x](https://example.com/) <a href="https://example.com/">y</a> <https://example.com/>\n')) == []


class TestBoundNumbers:
    def test_place_text_program_and_expression(self):
        page = read('Un [60 %]{causal= w[0, 7]} y [a [1] 0.5]{sqrt-d/spread= d["k"] == 2}.\n')
        first, second = page.bounds
        assert (first.line, first.text, first.program, first.after, first.expression) == (7, "60 %", CAUSAL, None, "w[0, 7]")
        assert (second.text, second.program, second.expression) == (
            "a [1] 0.5", ProgramName("es", "sqrt-d", "spread"), 'd["k"] == 2')
        assert shown(page) == "Un <n0> y <n1>.\n"
        for bound in page.bounds:
            assert page.text[bound.start : bound.start + len(bound.text)] == bound.text

    def test_program_is_the_one_shown_above(self):
        page = read("[1]{= a}\n\n/// snippet | causal:weights\nAlt [2]{= b}\n///\n\n[3]{= c} [4]{other= d}\n\n"
                    "/// snippet | other\n///\n\n[5]{causal= e}, $\\val{6}{= f}$\n", FRONT.replace("needs", "snippet: first\nneeds"))
        names = [(b.expression, b.program.name, b.after) for b in page.bounds]
        assert names == [("a", "first", None), ("b", "causal", "weights"), ("c", "causal", "weights"), ("d", "other", None),
                         ("e", "causal", "weights"), ("f", "other", None)]

    def test_in_headings_tables_titles_footnotes(self):
        page = read('# [1]{causal= a}\n\n| x |\n|---|\n| [2]{causal= w[0, 1]} |\n\n!!! note "[3]{causal= c}"\n    [^n]\n\n'
                    "[^n]: [4]{causal= d}\n")
        assert [b.text for b in page.bounds] == ["1", "2", "3", "4"]
        assert [b.line for b in page.bounds] == [7, 11, 13, 16]

    def test_cited_numbers_are_bound_to_nothing(self):
        page = read("BLEU [25.8]{=cited}\n")
        assert page.bounds[0].cited
        assert not page.problems

    def test_escapes(self):
        page = read("\\[1]{= x} y $\\text{a} \\\\val$\n")
        assert not page.bounds
        assert not page.problems
        assert page.markdown.startswith("\\[1]{= x}")

    @pytest.mark.parametrize(("text", "line", "what"), [
        ("[1]{= x}", 7, "No program is shown above this number, so its expression means nothing"),
        ("a\n[1]{causal= x | y}", 8, "This bound number cannot be read"),
        ("[1]{causal= {1}}", 7, "This bound number cannot be read"),
        ("[1]{causal= 1 +}", 7, "The expression “1 +” is not Python: invalid syntax"),
        ("[1]{causal=}", 7, "The expression “” is empty"),
        ("[1]{causal= (x := 2)}", 7, "The expression “(x := 2)” has an effect"),
        ("\\val{1}{= x}", 7, "\\val stands outside a formula"),
        ("$\\val{1}$", 7, "This \\val cannot be read"),
        ("$\\val{1{= x}$", 7, "This \\val cannot be read"),
        ("/// snippet | causal\nAlt [1]{= a\n///", 8, None),
        ("/// snippet | causal\nAlt [1]{= a|b}\n///", 8, "This bound number cannot be read"),
    ])
    def test_faults(self, text, line, what):
        found = said(read(text + "\n"))
        assert ((line, "bound-number", what) in found) if what else all(rule != "x" for _, rule, _ in found)

    def test_links_and_attribute_lists_are_not_bound_numbers(self):
        page = read("[x](y.md){ .button } [a][b] ![i](c.png){ width=300 }\n")
        assert not page.problems
        assert [link.url for link in page.links] == ["y.md", "c.png"]


@pytest.mark.case(number="C19")
class TestFormulas:
    @pytest.mark.parametrize("text", [
        r"$a_{i}$ и $b_{j}$", "$x^*$ y $y^*$", r"$\{1,2\}$", "$a<b$", "$c'$", r"$\|v\|$", "$P(A|B)$", "**$x$**", "«$x$»", "($x$)"])
    def test_tex_is_taken_out_unchanged(self, text):
        page = read(text + "\n")
        assert [f.formula.tex for f in page.formulas] == re.findall(r"\$(.+?)\$", text)
        assert "$" not in page.markdown
        assert not page.problems

    @pytest.mark.case(number="C14")
    @pytest.mark.parametrize("text", ["$5 y $6", "cuesta $5, o $ 6$", r"\$x\$ y \$", "`$x$` $", "a $x", "$x$5"])
    def test_dollars_that_are_no_formula(self, text):
        page = read(text + "\n")
        assert not page.formulas
        assert not page.problems

    def test_escaped_dollar_loses_its_backslash(self):
        assert read("\\$5\n").markdown == "$5\n"

    def test_display_block_is_a_paragraph_of_its_own(self):
        page = read("Texto\n$$\na = b \\\\\n- c\n$$\nmás $$x$$ fin\n\n- punto\n\n    $$y$$\n")
        assert [(f.line, f.formula.display, f.formula.tex) for f in page.formulas] == [
            (8, True, "a = b \\\\\n- c"), (12, True, "x"), (16, True, "y")]
        assert "Texto\n\n<f0>\n\nmás <f1> fin" in shown(page)
        assert "\n    <f2>\n" in shown(page)

    def test_formula_does_not_reach_into_the_next_row_or_item(self):
        page = read("| a $x |\n|---|\n| y$ |\n\n- a $x\n- y$ b\n")
        assert not page.formulas

    def test_bound_number_in_a_formula(self):
        page = read(r"$e^{1.8}\approx\val{6{,}05}{causal= np.exp(1.8)}$" + "\n")
        assert page.formulas[0].formula.tex == r"e^{1.8}\approx{6{,}05}"
        assert page.formulas[0].bounds == (0,)
        assert (page.bounds[0].text, page.bounds[0].place) == ("6{,}05", "formula")
        assert page.text[page.bounds[0].start :].startswith("6{,}05}{causal")

    @pytest.mark.parametrize(("text", "line", "what"), [
        ("$$\na\n\nb\n$$\n", 7, "This formula is not closed"), ("texto\n\n$$ a\n", 9, "This formula is not closed"),
        ("a $$b\n", 7, "This formula is not closed"), ("\\begin{align}\nx\n\\end{align}\n", 7, "\\begin stands outside a formula"),
    ])
    def test_faults(self, text, line, what):
        assert (line, "formula", what) in said(read(text))


class TestHeadings:
    def test_levels_ids_and_native_mark(self):
        page = read("# T\n\n## A {#a .native}\n\n### B\n\n## C {#c}\n")
        assert [(s.line, s.level, s.title, s.id, s.native) for s in page.sections] == [
            (7, 1, "T", None, False), (9, 2, "A", "a", True), (11, 3, "B", None, False), (13, 2, "C", "c", False)]
        assert not page.problems

    @pytest.mark.parametrize(("text", "line", "rule", "what"), [
        ("## A\n", 7, "heading-id", "The section “A” has no id"),
        ("## A {#a}\n\n## B {#a}\n", 9, "heading-id", "The id “a” is taken by line 7"),
        ("## A {#Mal_id}\n", 7, "heading-id", "“Mal_id” is no id"),
        ("### $x$\n", 7, "heading-id", "A heading with a formula or a bound number needs an id"),
        ("Texto\n---\n", 8, "heading", "A line of dashes or equal signs makes a heading of the line above"),
    ])
    def test_faults(self, text, line, rule, what):
        assert (line, rule, what) in said(read(text))

    def test_comment_in_code_is_no_heading(self):
        assert not read("```python\n# x\n## y\n```\n\n    # z\n").sections

    def test_table_rule_is_no_heading(self):
        assert not read("| a |\n|---|\n\na | b\n--|--\n1 | 2\n").problems


class TestFrontMatter:
    @pytest.mark.parametrize(("front", "line", "what"), [
        ("", 1, "In the front matter “title” is missing"),
        ("---\ntitle: A: b\n---\n", 2, "The front matter cannot be read: mapping values are not allowed here"),
        ("---\ntitle: T\ndescription: D\nminutes: veinte\nneeds: []\n---\n", 4, "In the front matter “minutes” is not a whole number"),
        ("---\ntitle: T\ndescription: D\nminutes: 3\nneeds: masks\n---\n", 5, "In the front matter “needs” is not a list"),
    ])
    def test_faults(self, front, line, what):
        assert (line, "front-matter", what) in said(read("x\n", front))

    def test_a_page_that_ends_with_its_front_matter(self):
        assert "“title” is missing" in " ".join(what for _, _, what in said(parse_page(NAME, "---\n---")))

    def test_lines_count_from_the_top_of_the_file(self):
        page = read("texto\n\n[1]{= \n", "---\ntitle: T\ndescription: D\nminutes: 2\nneeds: []\n---\n\n\n")
        assert page.body_line == 7

    def test_unclosed_fence(self):
        assert (9, "fence", "This code block is not closed") in said(read("x\n\n```python\ncode\n"))


def test_prose_has_only_what_a_reader_reads():
    page = read("Un 3 [x](a2.md) y `4` $5$ [6]{causal= x}.\n\n```\n7\n```\n\n/// snippet | causal\n8\n///\n")
    assert [(line, " ".join(text.split())) for line, text in page.prose] == [(7, "Un 3 [x] y .")]


PIECES = st.sampled_from([
    "", "texto", "    ", "/// snippet | a", "///", "    show: code", "```", "~~~", "$$", "$", "[1]{= x}", "[1]{a= x}", "]{=", "\\val{1}{= x}",
    "$\\val{1}{a= x}$", "- ", "1. ", "!!! note", '=== "t"', "<!--", "-->", "<pre>", "</pre>", "## A {#a}", "# ", "---", "| a |", "`", "``", "\\", "\\[",
    "[^a]:", "> ", "ё\u00a0", "{", "}", "\t", "$x$", "[", "]", "(x.md)", "\ue000n0\ue001"])


@given(st.lists(st.lists(PIECES, max_size=4).map("".join), max_size=14).map("\n".join))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_and_nothing_is_lost(text):
    page = parse_page(NAME, text)
    last = text.count("\n") + 1
    assert all(0 <= problem.line <= last for problem in page.problems)
    assert all(page.text[b.start : b.start + len(b.text)] == b.text for b in page.bounds)
    tokens = [(m["kind"], int(m["index"])) for m in TOKEN.finditer(page.markdown)]
    if "\ue000" not in text:
        alts = {i for d in page.directives for a in d.alts for i in a.bounds}
        inside = {i for f in page.formulas for i in f.bounds}
        wanted = ([("d", i) for i in range(len(page.directives))] + [("f", i) for i in range(len(page.formulas))]
                  + [("n", i) for i in range(len(page.bounds)) if i not in alts | inside])
        assert sorted(tokens) == sorted(wanted)
    if not tokens and not page.meta and page.body_line == 1:
        assert page.markdown == text.replace("\\$", "$") or "\\$" in text


@pytest.mark.parametrize(("text", "line", "rule", "what"), [
    ("??? question ¿Cuánto?\n    Tres.\n", 7, "container", "Markdown does not recognise this note, fold or tab"),
    ('?? question "¿Cuánto?"\n    Tres.\n', 7, "container", "Markdown does not recognise this note, fold or tab"),
    ("=== Uno\n    Tres.\n", 7, "container", "Markdown does not recognise this note, fold or tab"),
    ('??? question "¿Cuánto?"\nTres.\n', 7, "container", "Nothing stands inside this note, fold or tab"),
    ('!!! note "Ojo"\n\n  Tres.\n', 7, "container", "Nothing stands inside this note, fold or tab"),
    ("x [5]{len(words)}\n", 7, "bound-number", "This bound number cannot be read"),
    ("x [5] {= len(words)}\n", 7, "bound-number", "This bound number cannot be read"),
    ("$d\\approx[1.41]{causal= d}$\n", 7, "bound-number", "[0.60]{= …} is for text"),
    ("[**0.6**]{causal= x}\n", 7, "bound-number", "The marks in “**0.6**” would be shown as they are"),
    ("si a <b y c> d\n", 7, "html", "Markdown takes “<b y c>” for an HTML tag, and a reader would not see it"),
    ("si a <b y [0.9]{causal= x} > c\n", 7, "html",
     "Markdown takes “<b y [0.9]{causal= x} >” for an HTML tag, and a reader would not see it"),
    ("<span title='[0.5]{causal= x}'>y</span>\n", 7, "html", "A bound number or a formula in an HTML attribute stays as it is"),
    ("x <img src='nope.png'>\n", 7, "link", "The address nope.png in HTML would not be right on the built site"),
    ("```python hello world\nx\n```\n", 7, "fence", "“python hello world” after ``` keeps this from being a code block"),
    ("##Otra\n", 7, "heading", "Markdown makes a heading of this line"),
    ("# A\n\n# B\n", 9, "heading", "A page has one title; it stands at line 7"),
    ("x \\(x_1\\) y\n", 7, "formula", "\\( … \\) makes no formula here"),
    ("Sea $x_1 la suma.\n", 7, "formula", "This dollar sign seems to begin a formula that nothing ends"),
    ("1. uno\n   $$ x $$\n", 8, "indent", "Markdown does not see in which list item this block stands"),
])
def test_what_markdown_would_publish_as_source_is_a_fault(text, line, rule, what):
    assert (line, rule, what) in said(read(text))


@pytest.mark.parametrize("text", ['!!! note ""\n    x\n', "!!! note\n    x\n", '??? question "a «b»"\n\n    x\n', '=== "Uno"\n    x\n',
                                  "[a]{.c}\n", "<b>x</b> <details open> <https://a.b/?x=$y_1$> <a@b.c>\n", "a < b y c > d\n",
                                  '```python title="x"\ny\n```\n', "$5 y $HOME\n", "<div markdown>\nx\n</div>\n", "x == y\n"])
def test_what_markdown_understands_is_left_alone(text):
    assert read(text).problems == ()


@pytest.mark.parametrize("text", ["<!-- nota --> El [0.9]{causal= x} y $x_1$.\n", "<pre>a</pre> El [0.9]{causal= x} y $x_1$.\n",
                                  "<!-- dos\nlíneas --> El [0.9]{causal= x} y $x_1$.\n"])
def test_prose_after_a_comment_on_its_line_is_read(text):
    page = read(text)
    assert len(page.bounds) == len(page.formulas) == 1


def test_a_formula_may_be_wrapped_before_an_operator():
    page = read("Largo $a\n+ b$ y $c\n- d$ fin.\n")
    assert [f.formula.tex for f in page.formulas] == ["a\n+ b", "c\n- d"]


def test_a_faulty_block_still_names_its_program():
    page = read("/// snipet | causal\n///\n\n[1]{= x}\n")
    assert page.mentioned == {CAUSAL}
    assert said(page) == [(7, "directive", "There is no directive “snipet”")]


@pytest.mark.parametrize(("front", "line", "what"), [
    ("---\ntitle: T\ndescription: D\n\ntexto\n", 1, "The front matter is not closed"),
    ("---\ntitle: A $x$\ndescription: D\nminutes: 2\nneeds: []\n---\n", 2, "Formulas and bound numbers in “title” stay as they are"),
    ("---\ntitle: T\ndescription: D\nminutes: true\nneeds: []\n---\n", 4, "In the front matter “minutes” is not a whole number"),
    ("---\ntitle: T\ndescription: D\nminutes: 2\nneeds: []\ntemplate: x.html\n---\n", 6, "A page of the course has no template of its own"),
])
def test_more_faults_of_front_matter(front, line, what):
    assert said(read("x\n", front)) == [(line, "front-matter", what)]


class TestWhatMarkdownWouldNotSee:
    @pytest.mark.parametrize(("text", "found"), [
        ("Uno[^hinton].\n\n[^hinto]: Texto.\n", [(7, "footnote", "The note [^hinton] has no definition"),
                                                (9, "footnote", "Nothing refers to the note [^hinto]")]),
        ("| a[^x] |\n|---|\n", [(7, "footnote", "The note [^x] has no definition")]),
        ("x[^a]\n\n[^a]: véase[^b]\n", [(9, "footnote", "The note [^b] has no definition")]),
        ("[^a]: se nombra [^a]: no\n\nx[^b]: y\n\n??? note\n    x\n\n    [^b]: dentro\n", []),
        ("`[^a]` y \\[^b] y $[^c]$\n\n<!-- [^d] -->\n\n```\n[^e]\n[^f]: x\n```\n", []),
    ])
    def test_footnotes(self, text, found):
        assert said(read(text)) == found

    def test_a_footnote_of_nearly_that_name_is_offered(self):
        cures = [problem.cure for problem in read("a[^hinton] b[^zzz]\n\n[^hinto]: x\n").problems]
        assert cures[0] == "Did you mean [^hinto]?"
        assert cures[1] == r"Write [^zzz]: and the note below, or \[^zzz] to show it as it is."

    @pytest.mark.parametrize(("text", "found"), [
        ('??? note "N"\n    a\n\n  b\n', [(10, "indent", "This paragraph stands outside the fold above: it is indented by 2 spaces")]),
        ('=== "N"\n    !!! note\n        a\n\n     b\n', [
            (11, "indent", "This paragraph stands outside the note above: it is indented by 5 spaces")]),
        ('=== "N"\n    a\n\n b\n', [(10, "indent", "This paragraph stands outside the tab above: it is indented by 1 space")]),
        ('??? note "N"\n    a\n\n    b\n\nc\n\n  d\n', []),
        ('```\n??? note "N"\n    a\n\n  b\n```\n', []),
    ])
    def test_paragraph_that_leaks_out_of_a_fold(self, text, found):
        assert said(read(text)) == found

    @pytest.mark.parametrize(("text", "line"), [
        ("Hay dos:\n- una\n- otra\n", 8),
        ("Hay dos,\ncon calma:\n1. una\n2. otra\n", 9),
        ('??? note "N"\n    Hay dos:\n    - una\n    - otra\n', 9),
        ("- a\n\n    Dos:\n    * una\n", 10),
        ("# Título\nHay `dos`:\n+ una\n", 9),
    ])
    def test_a_list_inside_a_paragraph(self, text, line):
        what = "Markdown does not take this line for a list: it goes on with the paragraph above"
        assert said(read(text)) == [(line, "list", what)]

    @pytest.mark.parametrize("text", [
        "Hay dos:\n\n- una\n  sigue\n- otra\n", "- una\n\n    sigue\n- otra\n", "# Título\n- una\n", '??? note "N"\n    - una\n    - otra\n',
        "Vale `a`\n`b` - c\n", "Nació en\n1928. Después\n", "Mide -\n-5 o\n*así*\n", "```\nx\n- y\n```\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n- y\n", "x\n\n$$\na\n- b\n$$\n",
    ])
    def test_what_is_a_list_or_none_is_left_alone(self, text):
        assert said(read(text)) == []

    @pytest.mark.parametrize(("text", "found"), [
        ("| a | b | `|` | $|x|$ |\n|---|:-:|--|\n| 1 | 2 | 3 | 4 |\n", [
            (8, "table", "Markdown does not take these rows for a table: 4 columns in the head, 3 in the second row")]),
        ("| a | b \\| c |\n|---|---|\n| - | - | - |\n", []),
        ("a | b\n--|--\n", []),
        ("```\n| a | b |\n|---|\n```\n", []),
    ])
    def test_tables_that_are_none(self, text, found):
        assert said(read(text)) == found
