"""Formulas as plain text, for places that cannot show a drawing. Wrong TeX gives some text, no error."""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Mapping

# Names and what they show, in turn.
_TABLE = """
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ
lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ
Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω infty ∞ partial ∂ nabla ∇ ell ℓ
hbar ℏ emptyset ∅ varnothing ∅ forall ∀ exists ∃ neg ¬ lnot ¬ top ⊤ bot ⊥ angle ∠ degree ° circ ∘ bullet ∙
star ⋆ ast ∗ prime ′ sum ∑ prod ∏ int ∫ cdot · times × div ÷ pm ± mp ∓ odot ⊙ otimes ⊗ oplus ⊕ cup ∪ cap ∩
setminus ∖ wedge ∧ land ∧ vee ∨ lor ∨ le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ ne ≠ neq ≠ approx ≈
equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇
to → rightarrow → longrightarrow ⟶ leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐
Leftrightarrow ⇔ implies ⟹ iff ⟺ mapsto ↦ uparrow ↑ downarrow ↓ mid ∣ parallel ∥ perp ⟂ dots … ldots …
cdots ⋯ vdots ⋮ ddots ⋱ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ langle ⟨ rangle ⟩ lvert | rvert | vert | lVert ‖
rVert ‖ Vert ‖ lbrace { rbrace } colon : checkmark ✓ S § dagger † coloneqq ≔
"""
_SYMBOLS = dict(zip(_TABLE.split()[0::2], _TABLE.split()[1::2], strict=True))
_SPACED = set("=<>≤⩽≥⩾≠≈≡∼≃≅∝≪≫∈∉∋⊂⊆⊃⊇→⟶←↔⇒⇐⇔⟹⟺↦∣∥⟂+−±∓∪∩∖∧∨≔:")
_UNSPACED_AFTER = _SPACED | set("([{⟨⌊⌈,;|‖/")
_FUNCTIONS = {
    *("sin", "cos", "tan", "cot", "sec", "sinh", "cosh", "tanh", "exp", "log", "ln", "max", "min", "sup"),
    *("inf", "lim", "arg", "det", "dim", "deg", "ker", "gcd", "Pr", "mod")}
_BIG = {"sum", "prod", "int"}
_SPACES = {",", ":", ";", " ", ">", "quad", "qquad", "thinspace", "enspace", "space"}
_NOTHING = {
    *("!", "left", "right", "middle", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "bigg", "biggl", "biggr"),
    *("Bigg", "Biggl", "Biggr", "hline", "limits", "nolimits", "displaystyle", "textstyle", "scriptstyle"),
    *("nonumber", "notag", "allowbreak")}
_UNSEEN_ARGUMENT = {"color", "class", "style", "hspace", "phantom", "hphantom", "vphantom"}
_STYLES = {"mathcal", "mathfrak", "mathscr", "mathbf", "mathsf", "mathtt", "mathit", "boldsymbol"}
_ACCENTS = {"hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0304", "tilde": "\u0303",
            "widetilde": "\u0303", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308"}
_RAISED = str.maketrans("0123456789+−n⊤T", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵀᵀ")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_DOUBLE_STRUCK = {"C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ"}
_FENCES = {"pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖",
           "matrix": "[]", "smallmatrix": "[]", "array": "[]", "cases": ("{ ", "")}
_CHARACTERS = {"-": "−", "'": "′", "~": " ", "&": " ", "}": "", "*": "∗"}
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\d+(?:(?:\{,\}|\.)\d+)*|\s+|.", re.S)


class PlainText:
    """Reads TeX from left to right. Each method takes from the tokens what it has read."""

    def __init__(self, tex: str, macros: Mapping[str, str | list]) -> None:
        self._tokens = deque(_TOKEN.findall(tex))
        self._macros = macros

    def read(self) -> str:
        """The whole formula."""
        text = _part_words(self._sequence())
        return unicodedata.normalize("NFC", " ".join(text.split()))

    def _sequence(self, *ends: str) -> str:
        """All up to one of the tokens `ends`, or to the end; the end token is taken."""
        text = ""
        while self._tokens:
            token = self._tokens.popleft()
            if token in ends:
                break
            text = _append(text, self._piece(token))
        return text

    def _piece(self, token: str) -> str:
        if token in "_^":
            return self._script(token)
        if token == "{":
            return self._sequence("}")
        if token.startswith("\\") and len(token) > 1:
            return self._command(token[1:].rstrip("*"))
        return _CHARACTERS.get(token, "" if token.isspace() else token.replace("{,}", ","))

    def _argument(self) -> str:
        while self._tokens and self._tokens[0].isspace():
            self._tokens.popleft()
        if not self._tokens:
            return ""
        token = self._tokens.popleft()
        if token[0].isdigit() and len(token) > 1:  # \frac12 is a half
            self._tokens.appendleft(token[1:])
            token = token[0]
        return self._piece(token)

    def _verbatim(self) -> str:
        """The argument's characters as they are, for \\text and names."""
        if not self._tokens or self._tokens[0] != "{":
            return self._argument()
        self._tokens.popleft()
        depth, text = 1, ""
        while self._tokens:
            token = self._tokens.popleft()
            depth += {"{": 1, "}": -1}.get(token, 0)
            if not depth:
                break
            if token.startswith("\\"):
                token = self._piece(token)
            text += "" if token in ("{", "}", "$") else token.replace("{,}", ",")
        return text

    def _option(self) -> str:
        if self._tokens and self._tokens[0] == "[":
            self._tokens.popleft()
            return self._sequence("]")
        return ""

    def _script(self, sign: str) -> str:
        text = _part_words(self._argument().replace(" ", ""))
        if sign == "^" and text in ("∘", "′", "∗"):
            return {"∘": "°"}.get(text, text)
        table = _RAISED if sign == "^" else _LOWERED
        if text and all(ord(c) in table for c in text):
            return text.translate(table)
        return f"{sign}{_bracket(text, _ONE_WORD)}{_APART}"

    def _command(self, name: str) -> str:
        if name in self._macros:
            return self._macro(self._macros[name])
        if name in _SYMBOLS:
            return self._big(_SYMBOLS[name]) if name in _BIG else _SYMBOLS[name]
        if name in _FUNCTIONS:
            return _word(name)
        if name in _SPACES:
            return " "
        if name in _NOTHING:
            if name in ("left", "right", "middle") and self._tokens and self._tokens[0] == ".":
                self._tokens.popleft()
            return ""
        if name in _UNSEEN_ARGUMENT:
            self._verbatim()
            return ""
        structure = getattr(self, f"_tex_{_ALIASES.get(name, name)}", None)
        if structure:
            return structure()
        if name in _ACCENTS:
            text = self._argument()
            return text + _ACCENTS[name] if len(text) == 1 else text
        if name in _STYLES or (name.isalpha() and self._tokens and self._tokens[0] == "{"):
            return self._argument()  # \mathbf x, and whatever else has an argument: \underbrace{x}
        return {"\\": "; ", "|": "‖"}.get(name) or (_word(name) if name.isalpha() else name)

    def _macro(self, macro: str | list) -> str:
        body, count = (macro, 0) if isinstance(macro, str) else macro
        arguments = [self._argument_tokens() for _ in range(count)]
        tokens: list[str] = []
        for part in re.split(r"(#\d)", body):
            tokens += arguments[int(part[1]) - 1] if re.fullmatch(r"#\d", part) else _TOKEN.findall(part)
        self._tokens.extendleft(reversed(["{", *tokens, "}"] if count else tokens))
        return self._piece(self._tokens.popleft())

    def _argument_tokens(self) -> list[str]:
        while self._tokens and self._tokens[0].isspace():
            self._tokens.popleft()
        tokens, depth = [], 0
        while self._tokens:
            tokens.append(self._tokens.popleft())
            depth += {"{": 1, "}": -1}.get(tokens[-1], 0)
            if depth <= 0:
                break
        return tokens

    def _big(self, sign: str) -> str:
        while self._tokens and self._tokens[0] in "_^":
            sign += self._script(self._tokens.popleft())
        return sign + _APART

    def _tex_frac(self) -> str:
        above = _bracket(self._argument(), r"[^\s+−=<>,]+")
        return f"{above}/{_bracket(self._argument(), _ATOM)}"

    def _tex_sqrt(self) -> str:
        degree, text = self._option(), self._argument()
        return degree.translate(_RAISED) + "√" + _bracket(text, _ATOM)

    def _tex_binom(self) -> str:
        return f"({self._argument()} {self._argument()})"

    def _tex_text(self) -> str:
        return _word(self._verbatim())

    def _tex_operatorname(self) -> str:
        return _word(self._verbatim().strip())

    def _tex_mathbb(self) -> str:
        return "".join(map(_double_struck, self._argument()))

    def _tex_overset(self) -> str:
        self._argument()
        return self._argument()

    def _tex_textcolor(self) -> str:
        self._verbatim()
        return self._argument()

    def _tex_tag(self) -> str:
        return f" ({self._verbatim()})"

    def _tex_not(self) -> str:
        return {"=": "≠", "∈": "∉"}.get(text := self._argument(), text + "\u0338")

    def _tex_begin(self) -> str:
        name = self._verbatim().rstrip("*")
        if name == "array":
            self._verbatim()
        body = self._sequence("\\end")
        self._verbatim()
        first, last = _FENCES.get(name, ("", ""))
        return first + " ".join(body.split()).strip("; ").replace(" ;", ";") + last


_ALIASES = {"dfrac": "frac", "tfrac": "frac", "cfrac": "frac", "dbinom": "binom", "tbinom": "binom",
            "stackrel": "overset", "underset": "overset", "textbf": "text", "textit": "text",
            "textrm": "text", "textsf": "text", "texttt": "text", "mbox": "text", "mathrm": "operatorname"}
_ATOM = r"√?\w[\u0300-\u036f\u20d7]?(?:_\w+|\^\w|[₀-₉⁰¹²³⁴-⁻ⁿᵀ′])*|\d[\d.,]*|[^\W\d_]+\([^()]*\)"


def _double_struck(letter: str) -> str:
    other = chr(0x1D538 + ord(letter) - ord("A")) if "A" <= letter <= "Z" else letter
    return _DOUBLE_STRUCK.get(letter, other)


_APART = "\x01"  # stands where letters must not touch


_ONE_WORD = r"[^_()]|[^\W_]*|\([^()]*\)"


def _word(text: str) -> str:
    """A word, which keeps apart from the letters beside it."""
    return f"{_APART}{text}{_APART}"


def _part_words(text: str) -> str:
    """A space for each mark between letters; elsewhere the marks go: log x, but log(x)."""
    return re.sub(rf"(?<=[\w)]){_APART}+(?=[^\W⁰¹²³⁴-⁺⁻ⁿᵀ₀-₉_]|[√∑∏∫])", " ", text).replace(_APART, "")


def _append(text: str, piece: str) -> str:
    """`text` and `piece` with the spaces that a reader expects between them."""
    if not piece:
        return text
    if piece in _SPACED:
        before = text.rstrip()
        return f"{before} {piece} " if before and before[-1] not in _UNSPACED_AFTER else text + piece
    return f"{text}{piece} " if piece in ",;" else text + piece


def _bracket(text: str, pattern: str) -> str:
    """In brackets unless the whole of it is of the pattern."""
    text = _part_words(text).strip()
    return text if re.fullmatch(pattern, text) else f"({text})"
