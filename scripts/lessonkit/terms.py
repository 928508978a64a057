"""Where a text speaks of a term of the glossary, in whatever inflected form.

No stemmer: a stem joins a noun with verbs (`transformer` with `transforma`), and a term must not be seen where there is
none. A Spanish noun has two forms and an adjective four, so all are written out; a Russian one is what stands before
its ending, followed by any ending of nouns and adjectives.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lessonkit.glossary import Entry
from lessonkit.pages import TOKEN_START

# fmt: off
RUSSIAN_ENDINGS = frozenset((
    "", "а", "я", "о", "е", "ы", "и", "у", "ю", "й", "ь", "ам", "ям", "ом", "ем", "ах", "ях", "ами", "ями", "ов", "ев",
    "ий", "ия", "ию", "ии", "ие", "ием", "иям", "иях", "иями", "ью", "ою", "ею",
    "ая", "яя", "ое", "ее", "ые", "ую", "юю", "ой", "ей", "ый", "ым", "им", "ых", "их", "ыми", "ими",
    "ого", "его", "ому", "ему",
))
"""Of nouns and adjectives, in each case; instead of ё stands е."""
# fmt: on
SHORTEST = 3
"""Letters of the shortest word that has inflected forms, and of what stands before a Russian ending."""
WORD = re.compile(r"\w+(?:-\w+)*")
SENTENCE_END = re.compile(r"(?:^|[.?!…:;»”\n])[\s(«“¿¡—–-]*$")


@dataclass(frozen=True)
class Use:
    """Where a term is spoken of in a text."""

    start: int
    end: int
    id: str


@dataclass(frozen=True)
class _Word:
    text: str
    """As written but for ё."""
    small: str
    start: int
    end: int


@dataclass(frozen=True)
class _Phrase:
    id: str | None
    """None if the phrase is not the term."""
    words: tuple[str, ...]
    gaps: tuple[str, ...]
    """Signs between the words, without spaces."""
    marked: tuple[int, int]
    """First and last word of what is the term."""
    before_formula: bool
    is_name: bool
    """Whether the term is written with a capital letter anywhere."""


class Finder:
    """Finds the terms of one language. `entries`: (id, English name, entry), as of `Glossary.shown`."""

    def __init__(self, language: str, entries: Iterable[tuple[str, str, Entry]]) -> None:
        self._language = language
        self._anywhere: dict[str, list[_Phrase]] = {}
        self._names: dict[str, list[_Phrase]] = {}
        for term_id, _, entry in entries:
            for phrase in entry.phrases:
                meant = None if phrase.startswith("-") else term_id
                _file(self._anywhere, _read_phrase(meant, phrase.removeprefix("-")))
            for name in (entry.name, *entry.alternatives):
                _file(self._names, _read_phrase(term_id, name))

    def uses(self, text: str) -> list[Use]:
        """All uses of terms in running text, in order. Of phrases that overlap the longest counts.

        A capital letter inside a sentence makes a word somebody's name (the library Transformers), not the term.
        """
        words = _words(text)
        taken: list[tuple[int, int, str | None]] = []
        for phrase, found in sorted(self._matches(text, words), key=lambda match: match[1][0].start - match[1][-1].end):
            first, last = found[phrase.marked[0]], found[phrase.marked[1]]
            if any(first.start < end and start < last.end for start, end, _ in taken):
                continue
            if phrase.is_name or not first.text[0].isupper() or SENTENCE_END.search(text[: first.start]):
                taken.append((first.start, last.end, phrase.id))
        return [Use(*span) for span in sorted(taken, key=lambda span: span[0]) if span[2]]

    def named(self, text: str) -> str | None:
        """The term whose name, or another name in use, is the whole of `text`."""
        words = _words(text)
        for phrase in self._names.get(words[0].small[:SHORTEST], ()) if words else ():
            if len(phrase.words) == len(words) and self._fits(phrase, text, words):
                return phrase.id
        return None

    def _matches(self, text: str, words: Sequence[_Word]) -> Iterator[tuple[_Phrase, Sequence[_Word]]]:
        for index, word in enumerate(words):
            for phrase in self._anywhere.get(word.small[:SHORTEST], ()):
                found = words[index : index + len(phrase.words)]
                if len(found) == len(phrase.words) and self._fits(phrase, text, found):
                    yield phrase, found

    def _fits(self, phrase: _Phrase, text: str, words: Sequence[_Word]) -> bool:
        return (
            all(_is_form(word.small, of, self._language) for word, of in zip(words, phrase.words, strict=True))
            and _gaps(text, words) == phrase.gaps
            and (not phrase.before_formula or text[words[-1].end :].lstrip().startswith(f"{TOKEN_START}f"))
        )


@functools.lru_cache(maxsize=8)
def finder(language: str, entries: tuple[tuple[str, str, Entry], ...]) -> Finder:
    """The finder of a language's terms; made once for the same entries."""
    return Finder(language, entries)


def _words(text: str) -> list[_Word]:
    text = text.replace("ё", "е").replace("Ё", "Е")
    return [_Word(match[0], match[0].lower(), match.start(), match.end()) for match in WORD.finditer(text)]


def _gaps(text: str, words: Sequence[_Word]) -> tuple[str, ...]:
    """What stands between words, without spaces."""
    return tuple(text[one.end : two.start].strip() for one, two in itertools.pairwise(words))


def _read_phrase(term_id: str | None, phrase: str) -> _Phrase:
    bare = re.sub(r"[\[\]$]", " ", phrase)
    words = _words(bare)
    opening, closing = phrase.find("["), phrase.find("]")
    marked = [i for i, word in enumerate(words) if opening < word.start and (closing < 0 or word.end <= closing)]
    return _Phrase(
        term_id,
        tuple(word.small for word in words),
        _gaps(bare, words),
        (marked[0], marked[-1]),
        phrase.endswith("$"),
        any(letter.isupper() for letter in words[marked[0]].text),
    )


def _file(index: dict[str, list[_Phrase]], phrase: _Phrase) -> None:
    """By the letters with which each form of its first word begins."""
    index.setdefault(phrase.words[0][:SHORTEST], []).append(phrase)


def _is_form(word: str, of: str, language: str) -> bool:
    """Whether `word` is an inflected form of `of`; both in small letters, without ё."""
    if word == of:
        return True
    if len(of) < SHORTEST:
        return False
    return word in _spanish_forms(of) if language == "es" else _is_russian_form(word, of)


@functools.cache
def _spanish_forms(word: str) -> frozenset[str]:
    """Plural, and the feminine of what ends in -o."""
    if word[-1] in "aeiouáéó":
        feminine = (word[:-1] + "a", word[:-1] + "as") if word[-1] == "o" else ()
        return frozenset((word + "s", *feminine))
    if word.endswith("z"):
        return frozenset([word[:-1] + "ces"])
    if word.endswith("ión"):
        return frozenset([word[:-2] + "ones"])
    return frozenset([word + "es", word + "s"]) if word[-1] not in "sx" else frozenset()


def _is_russian_form(word: str, of: str) -> bool:
    base = _russian_base(of)
    if word.startswith(base):
        return word[len(base) :] in RUSSIAN_ENDINGS and base[-1] >= "а"
    drops_vowel = base[-1] == "к" and base[-2] not in "аеиоуыэюя"  # маска, масок; утечка, утечек
    return drops_vowel and word in (f"{base[:-1]}ок", f"{base[:-1]}ек")


@functools.cache
def _russian_base(word: str) -> str:
    """What stands before the longest ending."""
    lengths = (length for length in (4, 3, 2, 1) if len(word) - length >= SHORTEST)
    return next((word[:-length] for length in lengths if word[-length:] in RUSSIAN_ENDINGS), word)
