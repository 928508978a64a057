"""The contributors' command: runs programs, checks the whole course, accepts new outputs."""

from __future__ import annotations

import argparse
import codecs
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # a checkout uses its own engine, whichever is installed

from lessonkit import freshness, golden, lints, numbers, skeletons, translations
from lessonkit.builder import Builder
from lessonkit.checking import check_course, corrections, read_goldens
from lessonkit.course import Course, read_sources
from lessonkit.freshness import SectionState
from lessonkit.problems import Problem, report, suggestion
from lessonkit.project import ProgramName, Project
from lessonkit.runner import Runner

PROJECT = Project(Path(__file__).resolve().parent.parent)
LESSONS = "scripts/lessons.py"
NAMES = "a program (masks/causal, es/masks/causal), a lesson (masks) or a language (es); none for all"
SECTIONS = "a section (masks#causal), a page's head (masks#) or a page (masks); none for all"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="lessons.py",
        description=__doc__,
        epilog="Exit status: 0 nothing is wrong, 1 something is, 2 the command was not understood.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    new = commands.add_parser(
        "new",
        help="begin a lesson in all languages",
        description="Write a small lesson that is right in every language, with a program, its golden file "
        "and its place in the navigation, to be overwritten with yours.",
    )
    new.add_argument("slug", metavar="SLUG", help="the lesson's name in addresses and folders: soft-dictionary")
    for language in PROJECT.languages:
        new.add_argument(f"--{language.code}", metavar="TITLE", help=f"its title in {language.name}")
    run = commands.add_parser(
        "run",
        help="run programs and show what they print",
        description="Run programs and show what they print. Stored results are used where nothing "
        "changed. Exit status 1 if a program fails.",
    )
    run.add_argument("names", nargs="*", metavar="NAME", help=NAMES)
    run.add_argument("--fresh", action="store_true", help="run even what is stored")
    check = commands.add_parser(
        "check",
        help="find everything that is wrong",
        description="Build everything but the site and report every problem with its place and its "
        "cure: pages, programs, bound numbers, formulas, links, golden files, and the "
        "equality of the languages. Exit status 1 if there is a problem, if --fix "
        "changed a page, or if --unbound lists a number.",
    )
    check.add_argument("names", nargs="*", metavar="NAME", help=f"what to report: {NAMES}")
    check.add_argument(
        "--fix", action="store_true", help="first write the right digits into bound numbers, and no-break spaces"
    )
    check.add_argument("--unbound", action="store_true", help="also list numbers that are bound to nothing")
    accept = commands.add_parser(
        "accept",
        help="make what programs print their golden files",
        description="Show how each program's output differs from its golden file, and write it "
        "there. Exit status 1 if a program fails (its file is left alone), or prints what no "
        "golden file should hold: an address in memory, NumPy's own notation, another text in each run.",
    )
    accept.add_argument("names", nargs="*", metavar="NAME", help=NAMES)
    translate = commands.add_parser(
        "translations",
        help="say which sections are behind in a language, and confirm that they are not",
        description="Show which sections changed since somebody confirmed that they say the same in all "
        "languages. Exit status 1 if one is behind or was never confirmed.",
    )
    translate.add_argument("names", nargs="*", metavar="NAME", help=SECTIONS)
    what = translate.add_mutually_exclusive_group()
    what.add_argument("--diff", action="store_true", help="show what changed, from git's history")
    what.add_argument("--confirm", action="store_true", help="note that the named sections say the same as they stand")
    options = parser.parse_args(arguments)
    commands = {
        "new": begin_lesson,
        "run": run_programs,
        "check": check_everything,
        "accept": accept_outputs,
        "translations": follow_translations,
    }
    return commands[options.command](options)


def begin_lesson(options: argparse.Namespace) -> int:
    words = options.slug.replace("-", " ").capitalize()
    titles = {language.code: getattr(options, language.code) or words for language in PROJECT.languages}
    try:
        written = skeletons.write_lesson(PROJECT, options.slug, titles)
    except skeletons.Refused as refusal:
        print(refusal, file=sys.stderr)
        return 2
    sources = read_sources(PROJECT)
    with Runner(PROJECT) as runner:  # its own programs alone
        runs = runner.begin([job for job in sources.jobs() if job.snippet.name.slug == options.slug]).finish()
    for name, run in runs.items():
        golden_text = golden.write(run.result, sources.snippets[name])
        (PROJECT.root / name.golden_path).write_text(golden_text, encoding="utf-8", newline="\n")
        written.append(name.golden_path)
    if sections := sources.sections:
        confirm(sections, [state for state in sections if state.slug == options.slug])
    print("\n".join(sorted(written)))
    print(f"Open the pages, see them with `mkdocs serve`, and let `python {LESSONS} check` tell what is left to do.")
    return 0


def run_programs(options: argparse.Namespace) -> int:
    course = build(fresh=options.fresh)
    chosen = choose(course, options.names)
    for name in chosen:
        result = course.results.get(name)
        if result is None:
            continue
        print(f"── {name.path}")
        print("".join(cell.output + cell.planned_error for cell in result.cells), end="")
        figures = sum(len(cell.figures) for cell in result.cells)
        if figures:
            print(f"({figures} figure{'s' if figures > 1 else ''})")
    return say(failures(course, chosen))


def check_everything(options: argparse.Namespace) -> int:
    course, fixed = build(), 0
    for fix in (fix_numbers, fix_spaces) if options.fix else ():
        if count := fix(course):
            fixed, course = fixed + count, build()
    problems = check_course(course)
    chosen = [problem for problem in problems if concerns(problem, options.names)]
    status = say(chosen)
    if len(chosen) < len(problems):
        elsewhere = len(problems) - len(chosen)
        print(f"{elsewhere} problem{'s' if elsewhere > 1 else ''} elsewhere; `python {LESSONS} check` names all")
    if not problems:
        print(f"{len(course.sources.pages)} pages and {len(course.results)} programs: nothing is wrong", flush=True)
    if options.unbound:
        unbound = [notice for page in course.sources.pages.values() for notice in numbers.unbound_numbers(page)]
        status = max(status, say(unbound, "place with numbers that no program stands behind"))
    return 1 if fixed else status


def concerns(problem: Problem, names: Sequence[str]) -> bool:
    """Whether a problem is of one of the named languages, lessons or programs; of all if none is named."""
    place = problem.path.removeprefix("docs/").removeprefix("snippets/").rpartition(".")[0]
    language, _, rest = place.partition("/")
    slug = rest.removeprefix("lessons/").removeprefix("concepts/")
    whole = (f"{language}/{slug}/", f"{slug}/")
    wanted = (name.strip("/").removeprefix("snippets/").removesuffix(".py") + "/" for name in names)
    return not names or any(part.startswith(name) for name in wanted for part in whole)


def fix_numbers(course: Course) -> int:
    """Write the right digits into the pages; how many numbers changed."""
    count = 0
    for name, texts in corrections(course).items():
        page = course.sources.pages[name]
        for index, text in texts.items():
            print(f"{name.path}:{page.bounds[index].line}: {page.bounds[index].text} → {text}")
        write_as_before(PROJECT.root / name.path, numbers.fix_page(page, texts))
        count += len(texts)
    return count


def fix_spaces(course: Course) -> int:
    """Write no-break spaces into the pages where an ordinary one is all that is wrong; how many there were."""
    count = 0
    for page in course.sources.pages.values():
        if places := lints.breakable_spaces(page):
            lines = dict.fromkeys(line for line, _ in places)
            print(*(f"{page.name.path}:{line}: no-break spaces" for line in lines), sep="\n")
            write_as_before(PROJECT.root / page.name.path, lints.with_no_break_spaces(page, places))
            count += len(places)
    return count


def write_as_before(file: Path, text: str) -> None:
    """Write a page with the line ends and the byte-order mark that its author's editor gave it."""
    before = file.read_bytes()
    encoding = "utf-8-sig" if before.startswith(codecs.BOM_UTF8) else "utf-8"
    file.write_text(text, encoding=encoding, newline="\r\n" if b"\r\n" in before else "\n")


def accept_outputs(options: argparse.Namespace) -> int:
    course = build()
    chosen = choose(course, options.names)
    goldens, _ = read_goldens(PROJECT, chosen)
    problems = failures(course, chosen)
    accepted, changed = 0, {}
    for name in chosen:
        result, snippet = course.results.get(name), course.sources.snippets[name]
        if result is None or result.failure:
            continue
        new = golden.write(result, snippet)
        old = goldens.get(name)
        if new != old:
            print(f"── {name.golden_path}" + ("" if old is not None else " (new)"))
            print(golden.difference(old or "", new))
            (PROJECT.root / name.golden_path).write_text(new, encoding="utf-8", newline="\n")
            changed[name] = new
        problems += golden.compare(snippet, result, new)  # what no golden file should hold, accepted or not
        accepted += 1
    problems += unsteady_outputs(course, changed)
    if accepted and not changed:
        print("1 program prints what its golden file says" if accepted == 1
              else f"{accepted} programs print what their golden files say")
    return say(problems)


def unsteady_outputs(course: Course, accepted: Mapping[ProgramName, str]) -> Iterator[Problem]:
    """What programs print otherwise when they run again and sets have another order, as in a reader's own Python."""
    jobs = [job for job in course.sources.jobs() if job.snippet.name in accepted]
    with Runner(PROJECT, hash_seed=1) as runner:
        runs = runner.begin(jobs).finish()
    for name, run in runs.items():
        for problem in golden.compare(course.sources.snippets[name], run.result, accepted[name]):
            if problem.rule == "golden":
                cure = "Sort what has no order, as in sorted(words); give random numbers a seed; print no clock."
                yield replace(problem, text="This line is another one each time the program runs", cure=cure)
                break


def follow_translations(options: argparse.Namespace) -> int:
    sources = read_sources(PROJECT)
    record, problem = freshness.read_record(PROJECT)
    if problem:
        return say([problem])
    states = freshness.section_states(sources.pages, record or {})
    try:
        chosen = translations.choose_sections(states, options.names)
    except translations.UnknownSection as error:
        print(error, file=sys.stderr)
        return 2
    if options.confirm:
        if not options.names:
            print("Name what you have read: masks#causal, or masks for the whole page.", file=sys.stderr)
            return 2
        confirm(states, chosen)
        print(f"{len(chosen)} section{'s say' if len(chosen) > 1 else ' says'} the same, as of now")
        return 0
    lines = translations.differences(PROJECT, chosen) if options.diff else translations.status(chosen)
    print("\n".join(lines))
    return 1 if any(state.changed for state in chosen) else 0


def confirm(states: Sequence[SectionState], chosen: Sequence[SectionState]) -> None:
    freshness.write_record(PROJECT, freshness.confirmed(states, chosen))


def build(*, fresh: bool = False) -> Course:
    with Builder(PROJECT).prepare() as builder:
        return builder.build(fresh=fresh)


def choose(course: Course, patterns: list[str]) -> list[ProgramName]:
    """The programs that the command's names mean; ends the command if one means none."""
    known = list(course.sources.snippets)
    chosen: set[ProgramName] = set()
    for pattern in patterns or [""]:
        wanted = pattern.strip("/").removeprefix("snippets/").removesuffix(".py")
        found = [name for name in known if wanted in ("", str(name), *_shorter(name))]
        if not found and known:
            names = {n for name in known for n in (str(name), *_shorter(name))}
            print(
                f"There is no program, lesson or language “{pattern}”. {suggestion(wanted, names, '')}", file=sys.stderr
            )
            raise SystemExit(2)
        chosen.update(found)
    return sorted(chosen)


def _shorter(name: ProgramName) -> Iterable[str]:
    return name.language, name.slug, f"{name.language}/{name.slug}", f"{name.slug}/{name.name}"


def failures(course: Course, chosen: list[ProgramName]) -> list[Problem]:
    """Problems of the chosen programs themselves."""
    paths = {name.path for name in chosen}
    return [problem for problem in course.problems if problem.path in paths and problem.rule != "program-unused"]


def say(problems: list[Problem], noun: str = "problem") -> int:
    if problems:
        print(report(problems, noun), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
