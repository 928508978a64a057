"""The contributors' command: runs programs, checks the whole course, accepts new outputs."""

from __future__ import annotations

import argparse
import codecs
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # a checkout uses its own engine, whichever is installed

from lessonkit import golden, numbers
from lessonkit.builder import Builder
from lessonkit.checking import check_course, corrections, read_goldens
from lessonkit.course import Course
from lessonkit.problems import Problem, report, suggestion
from lessonkit.project import ProgramName, Project

PROJECT = Project(Path(__file__).resolve().parent.parent)
NAMES = "a program (masks/causal, es/masks/causal), a lesson (masks) or a language (es); none for all"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="lessons.py",
        description=__doc__,
        epilog="Exit status: 0 nothing is wrong, 1 something is, 2 the command was not understood.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
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
    check.add_argument("--fix", action="store_true", help="write the right digits into bound numbers first")
    check.add_argument("--unbound", action="store_true", help="also list numbers that are bound to nothing")
    accept = commands.add_parser(
        "accept",
        help="make what programs print their golden files",
        description="Show how each program's output differs from its golden file, and write it "
        "there. Exit status 1 if a program fails (its file is left alone), or prints what no "
        "golden file should hold: an address in memory, NumPy's own notation.",
    )
    accept.add_argument("names", nargs="*", metavar="NAME", help=NAMES)
    options = parser.parse_args(arguments)
    return {"run": run_programs, "check": check_everything, "accept": accept_outputs}[options.command](options)


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
    course = build()
    fixed = fix(course) if options.fix else 0
    if fixed:
        course = build()
    problems = check_course(course)
    status = say(problems)
    if not problems:
        print(f"{len(course.sources.pages)} pages and {len(course.results)} programs: nothing is wrong", flush=True)
    if options.unbound:
        unbound = [notice for page in course.sources.pages.values() for notice in numbers.unbound_numbers(page)]
        status = max(status, say(unbound, "place with numbers that no program stands behind"))
    return 1 if fixed else status


def fix(course: Course) -> int:
    """Write the right digits into the pages; how many numbers changed."""
    count = 0
    for name, texts in corrections(course).items():
        page = course.sources.pages[name]
        for index, text in texts.items():
            print(f"{name.path}:{page.bounds[index].line}: {page.bounds[index].text} → {text}")
        write_as_before(PROJECT.root / name.path, numbers.fix_page(page, texts))
        count += len(texts)
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
    accepted, changed = 0, False
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
            changed = True
        problems += golden.compare(snippet, result, new)  # what no golden file should hold, accepted or not
        accepted += 1
    if accepted and not changed:
        print("1 program prints what its golden file says" if accepted == 1
              else f"{accepted} programs print what their golden files say")
    return say(problems)


def build(*, fresh: bool = False) -> Course:
    with Builder(PROJECT) as builder:
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
