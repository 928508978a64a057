"""The seeds run: every code block of the texts the course grew from, unchanged, on this nanotorch and vis.

The seeds and what their blocks print lie beside the checkout, in ../shared. They are plain texts without
fences, so a block is found by asking Python.
"""

import ast
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ROOT.parent / "shared" / "seeds"
OUTPUTS = ROOT.parent / "shared" / "facts" / "seed_outputs.txt"
SVG = "{http://www.w3.org/2000/svg}"

BLOCKS_OF = {"000": 2, "001": 0, "003": 5}
ALIGNMENT = ("003", 5)  # draws and prints nothing
RECORDED_AS = {("000", 1): "seed000_a.py", ("000", 2): "seed000_b.py",
               **{("003", block): f"seed003_{block}.py" for block in range(1, 5)}}

pytestmark = pytest.mark.skipif(not SEEDS.is_dir(), reason="no folder ../shared/seeds beside this checkout")


def seed_text(seed):
    [path] = SEEDS.glob(f"{seed}_*.txt")
    return path.read_text(encoding="utf-8")


def blocks(seed):
    """The code blocks of a seed: as many paragraphs in a row as are code, with their blank lines."""
    runs = groupby(seed_text(seed).split("\n\n"), key=is_code)
    found = ["\n\n".join(run) + "\n" for code, run in runs if code]
    assert len(found) == BLOCKS_OF[seed], f"seed {seed} has {len(found)} blocks:\n" + "\n-----\n".join(found)
    return found


def is_code(paragraph):
    """Whether Python parses it and it does something: a heading of one word ("Маски") parses as a name."""
    try:
        statements = ast.parse(paragraph).body
    except SyntaxError:
        return False
    return any(not isinstance(item, ast.Expr) or isinstance(item.value, ast.Call) for item in statements)


def recorded_output(seed, block):
    """What the block printed when the facts were gathered."""
    heading = rf"^--- [^\n]*\({re.escape(RECORDED_AS[seed, block])}\)[^\n]*\n"
    [entry] = re.findall(heading + r"(.*?)(?=^---|^===)", OUTPUTS.read_text(encoding="utf-8"), re.M | re.S)
    output = entry.partition("actual output:\n")[2] or entry  # before it, what the seed itself promises
    return output.partition("    full precision:\n")[0]


def run(program, folder):
    """Run a program in a fresh interpreter that sees this checkout's libraries; returns what it prints."""
    path = folder / "block.py"
    path.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", str(path)], cwd=folder, capture_output=True, text=True, encoding="utf-8",
        check=False, env={**os.environ, "PYTHONPATH": str(ROOT / "snippets"), "PYTHONUTF8": "1"})
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def test_every_seed_is_known():
    assert sorted(path.name[:3] for path in SEEDS.glob("*.txt")) == sorted(BLOCKS_OF)


@pytest.mark.parametrize("seed", BLOCKS_OF)
def test_every_code_block_is_found_and_tested(seed):
    tested = [key for key in (*RECORDED_AS, ALIGNMENT) if key[0] == seed]
    assert tested == [(seed, number + 1) for number in range(len(blocks(seed)))]


@pytest.mark.parametrize(("seed", "block"), RECORDED_AS)
def test_block_prints_what_was_recorded(seed, block, tmp_path):
    numbers = (1, 2) if (seed, block) == ("000", 2) else (block,)  # that one goes on where the first ends
    found = blocks(seed)
    expected = "".join(recorded_output(seed, number) for number in numbers)
    assert run("\n".join(found[number - 1] for number in numbers), tmp_path) == expected


@pytest.mark.parametrize("block", [1, 2])
def test_comments_at_the_end_of_seed_000s_blocks_are_its_output(block):
    comments = re.search(r"(?:^# .*\n)+\Z", blocks("000")[block - 1], re.M)[0]
    assert re.sub("^# ", "", comments, flags=re.M) == recorded_output("000", block)


def test_alignment_block_draws_its_weights_twice(tmp_path):
    block = blocks("003")[ALIGNMENT[1] - 1]
    report = "import json; print(json.dumps([(f.title, f.values.shape, f.svg) for f in vis.collect()]))\n"
    attention, heatmap = json.loads(run(block + report, tmp_path))  # the block itself prints nothing
    keys, queries, weights = (literal(block, name) for name in ("src", "dst", "W"))
    assert (len(keys), len(queries), [len(row) for row in weights]) == (7, 5, [7] * 5)
    for (title, shape, svg), kind, expected in [(attention, "attention", "Куда смотрит переводчик"),
                                                (heatmap, "heatmap", "Те же веса тепловой картой")]:
        assert (title, shape) == (expected, [5, 7])
        root = ET.fromstring(svg)
        assert (root.get("data-kind"), root.get("aria-label")) == (kind, expected)
        texts = [text.text for text in root.iter(f"{SVG}text")]
        assert texts[0] == expected
        assert [text for text in texts if text in queries] == queries
        assert [text for text in texts if text in keys] == keys
        assert marks(root) == [(i, j, weight, f"{queries[i]} → {keys[j]}: {weight:.2f}")
                               for i, row in enumerate(weights) for j, weight in enumerate(row)]


def literal(block, name):
    """The list that a block assigns to a name, as it is written there, also inside np.array(…)."""
    [value] = [item.value for item in ast.parse(block).body
               if isinstance(item, ast.Assign) and item.targets[0].id == name]
    return ast.literal_eval(value.args[0] if isinstance(value, ast.Call) else value)


def marks(root):
    """(row, column, value, name) of every mark of a figure."""
    return [(int(mark.get("data-row")), int(mark.get("data-col")), float(mark.get("data-value")),
             mark.find(f"{SVG}title").text) for mark in root.iter() if "data-value" in mark.attrib]
