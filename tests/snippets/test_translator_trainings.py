"""The trainings that the lesson on alignment reads: the file is what the lesson's program learns."""

import copy
import json

import pytest

import translator_trainings
from translator_trainings import DATA, TOLERANCE, TRAININGS, differences, load_program, main, measure


@pytest.fixture(scope="module")
def stored():
    return json.loads(DATA.read_text(encoding="utf-8"))


def test_every_training_is_there(stored):
    assert {name: len(seeds) for name, seeds in stored.items()} == {name: training.seeds for name, training in TRAININGS.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), [("with_attention", 4), ("without_attention", 2)])
def test_a_training_gives_what_is_stored(stored, name, seed):
    assert measure(load_program(), TRAININGS[name], seed) == pytest.approx(stored[name][seed], abs=TOLERANCE)


def test_check_says_which_share_differs(stored, monkeypatch, capsys):
    other = copy.deepcopy(stored)
    other["with_attention"][1][2] += 2 * TOLERANCE
    monkeypatch.setattr(translator_trainings, "measure", lambda program, training, seed: other[
        next(name for name, each in TRAININGS.items() if each == training)][seed])
    before = DATA.read_bytes()
    assert main(["write", "--check"]) == 1
    assert capsys.readouterr().out.startswith("with_attention, seed 1, 3 clauses: 0.015 stored, ")
    assert DATA.read_bytes() == before


def test_missing_seeds_and_trainings_are_differences(stored):
    fewer = {name: seeds[:-1] for name, seeds in stored.items() if name != "without_attention"}
    assert differences(stored, fewer) == ["without_attention: is in one of them only", "with_attention: 5 seeds stored, 4 computed",
                                          "without_attention_longer: 5 seeds stored, 4 computed"]
    assert differences(stored, stored) == []
