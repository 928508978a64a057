"""What `lessons.py translations` does: shows which sections are behind and what changed in them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence

from lessonkit import golden
from lessonkit.freshness import SectionState, section_texts
from lessonkit.languages import LANGUAGES
from lessonkit.pages import parse_page
from lessonkit.problems import suggestion
from lessonkit.project import PageName, Project


class UnknownSection(Exception):
    """A name that means no section; its text is for the contributor."""


def choose_sections(states: Sequence[SectionState], names: Iterable[str]) -> list[SectionState]:
    """The sections that `masks#causal`, `masks` (all of a page), `masks#` (its head) mean; all for no names."""
    chosen: list[SectionState] = []
    for name in names:
        slug, mark, id_ = name.partition("#")
        slug = PageName("", slug.strip("/").removeprefix("docs/").removesuffix(".md")).slug
        of_page = [state for state in states if state.slug == slug]
        found = [state for state in of_page if not mark or state.id == id_]
        if not found:
            known = [state.name for state in of_page] or {state.slug for state in states}
            raise UnknownSection(f"There is no page or section “{name}”. {suggestion(name, known, '')}".rstrip())
        chosen += found
    return chosen or list(states)


def status(states: Sequence[SectionState]) -> Iterator[str]:
    """A line for each section that is not as it was confirmed, and one that counts."""
    behind = [state for state in states if state.behind]
    unconfirmed = [state for state in states if state.unconfirmed]
    for state in behind:
        late = ", ".join(f"{LANGUAGES[code].name} ({state.place(code)})" for code in state.behind)
        yield f"{state.name}: behind in {late}; {' and '.join(map(state.place, state.changed))} changed"
    for state in unconfirmed:
        what = "changed in all languages" if state.confirmed else "new"
        yield f"{state.name}: {what}, not confirmed ({next(map(state.place, state.texts))})"
    same = len(states) - len(behind) - len(unconfirmed)
    yield f"{len(states)} sections: {same} say the same, {len(behind)} behind, {len(unconfirmed)} not confirmed"


def differences(project: Project, states: Iterable[SectionState]) -> Iterator[str]:
    """For each section, in every language that changed, what changed since it was confirmed."""
    for state in states:
        for code in state.changed:
            text, digest = state.texts[code], (state.confirmed or {}).get(code)
            yield f"── {state.place(code)} {{#{state.id}}}"
            if digest is None:
                yield "(never confirmed: there is nothing to compare with)"
            elif (before := _text_when(project, PageName(code, state.file), state.id, digest)) is None:
                yield "(the text that was confirmed is in no commit of this page that git has here)"
            else:
                yield golden.difference(before, text.source)


def _text_when(project: Project, page: PageName, id_: str, digest: str) -> str | None:
    """The section as it was when its digest was `digest`, from the newest commit in which it was so."""
    for commit in _git(project, "log", "--format=%H", "--", page.path).split():
        old = _git(project, "show", f"{commit}:{page.path}").replace("\r\n", "\n").removeprefix("\ufeff")
        for text in section_texts(parse_page(page, old)):
            if (text.id, text.digest) == (id_, digest):
                return text.source
    return None


def _git(project: Project, *arguments: str) -> str:
    """What git prints; nothing where there is no git or no repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=project.root, capture_output=True, check=False)
    except OSError:
        return ""
    return done.stdout.decode("utf-8", errors="replace") if done.returncode == 0 else ""
