"""Where a text speaks of a term of the glossary, in whatever inflected form.

No stemmer: a stem joins a noun with verbs (`transformer` with `transforma`), and a term must not be seen where there is
none. A Spanish noun has two forms and an adjective four, so all are written out; a Russian one is what stands before
its ending, followed by any ending of nouns and adjectives.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lessonkit.glossary import Entry
from lessonkit.pages import TOKEN_START

# fmt: off
RUSSIAN_ENDINGS = (
    "ыми", "ими", "ями", "ами", "иями", "иях", "иям", "ием", "ого", "его", "ому", "ему",
    "ая", "яя", "ое", "ее", "ые", "ие", "ую", "юю", "ой", "ей", "ий", "ый", "ою", "ею", "ью", "ым", "им", "ых", "их",
    "ия", "ию", "ии", "ам", "ям", "ом", "ем", "ах", "ях", "ов", "ев", "а", "я", "о", "е", "ы", "и", "у", "ю", "й", "ь",
)
# fmt: on
ENDING = re.compile(f"(?:{'|'.join(sorted(RUSSIAN_ENDINGS, key=len, reverse=True))})$")
WORD = re.compile(r"(?<![\w-])\w+")
SPACE = r"[\s\u00a0\u202f]+"
KEY_LENGTH = 3


@dataclass(frozen=True)
class Use:
    """Where a term is spoken of in a text."""

    start: int
    end: int
    id: str


@dataclass(frozen=True)
class _Phrase:
    id: str | None
    """None if the phrase is not the term."""
    text: str
    language: str

    @functools.cached_property
    def pattern(self) -> re.Pattern:
        """Made when a text has a word that begins like it; group 1 is the term."""
        return _pattern(self.text, self.language)


class Finder:
    """Finds the terms of one language. `entries`: (id, English name, entry), as of `Glossary.shown`."""

    def __init__(self, language: str, entries: Iterable[tuple[str, str, Entry]]) -> None:
        self._anywhere: dict[str, list[_Phrase]] = {}
        self._names: dict[str, list[_Phrase]] = {}
        for term_id, _, entry in entries:
            for phrase in entry.phrases:
                meant = None if phrase.startswith("-") else term_id
                self._add(self._anywhere, meant, phrase.removeprefix("-"), language)
            for name in (entry.name, *entry.alternatives):
                self._add(self._names, term_id, name, language)

    def _add(self, index: dict[str, list[_Phrase]], term_id: str | None, phrase: str, language: str) -> None:
        first = WORD.search(_plain(phrase))
        index.setdefault(first[0][:KEY_LENGTH] if first else "", []).append(_Phrase(term_id, phrase, language))

    def uses(self, text: str) -> list[Use]:
        """All uses of terms in running text, in order. Of phrases that overlap the longest counts."""
        plain = _plain(text)
        found = [
            (match.start() - match.end(), match.start(1), match.end(1), phrase.id)
            for word in WORD.finditer(plain)
            for phrase in self._anywhere.get(word[0][:KEY_LENGTH], ())
            if (match := phrase.pattern.match(plain, word.start()))
        ]
        taken: list[tuple[int, int, str | None]] = []
        for _, start, end, term_id in sorted(found, key=lambda item: item[:3]):
            if all(end <= other_start or start >= other_end for other_start, other_end, _ in taken):
                taken.append((start, end, term_id))
        return [Use(start, end, term_id) for start, end, term_id in sorted(taken, key=lambda item: item[0]) if term_id]

    def named(self, text: str) -> str | None:
        """The term whose name, or another name in use, is the whole of `text`."""
        plain = _plain(text.strip())
        for phrase in self._names.get(plain[:KEY_LENGTH], ()):
            if phrase.pattern.fullmatch(plain):
                return phrase.id
        return None


@functools.lru_cache(maxsize=8)
def finder(language: str, entries: tuple[tuple[str, str, Entry], ...]) -> Finder:
    """The finder of a language's terms; made once for the same entries."""
    return Finder(language, entries)


def _plain(text: str) -> str:
    """Small letters, е for ё; the length stays."""
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text).replace("ё", "е")


def _pattern(phrase: str, language: str) -> re.Pattern:
    """A phrase as a regular expression; group 1 is what is marked."""
    whole = phrase if "[" in phrase else f"[{phrase.removesuffix('$').strip()}]" + (" $" if "$" in phrase else "")
    parts = []
    for part in re.findall(r"[\[\]$]|\s+|[\w-]+|[^\w\s\[\]$]", _plain(whole)):
        if part.isspace():
            parts.append(SPACE)
        elif part in "[]":
            parts.append({"[": "(", "]": ")"}[part])
        elif part == "$":
            parts.append(f"{TOKEN_START}f")
        elif part[0].isalnum():
            parts.append(rf"(?:{'|'.join(_forms(part, language))})(?![\w-])")
        else:
            parts.append(re.escape(part))
    return re.compile("".join(parts))


def _forms(word: str, language: str) -> Iterator[str]:
    """Regular expressions of the inflected forms of a word in small letters, without ё."""
    yield re.escape(word)
    if len(word) < KEY_LENGTH:
        return
    if language == "es":
        yield from map(re.escape, _spanish(word))
    elif re.search("[а-я]", word):
        yield from _russian(word)


def _spanish(word: str) -> Iterator[str]:
    """Plural, and the feminine of what ends in -o."""
    if word[-1] in "aeiouáéó":
        yield word + "s"
        if word[-1] == "o":
            yield from (word[:-1] + "a", word[:-1] + "as")
    elif word.endswith("z"):
        yield word[:-1] + "ces"
    elif word.endswith("ión"):
        yield word[:-2] + "ones"
    elif word[-1] not in "sx":
        yield from (word + "es", word + "s")


def _russian(word: str) -> Iterator[str]:
    base = ENDING.sub("", word)
    base = base if len(base) >= KEY_LENGTH else word
    yield f"{re.escape(base)}(?:{'|'.join(RUSSIAN_ENDINGS)})?"
    if re.search("[^аеиоуыэюя]к$", base):  # маска, масок; утечка, утечек
        yield f"{re.escape(base[:-1])}[ое]к"
