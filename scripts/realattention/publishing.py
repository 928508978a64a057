"""The data files: what is computed for each, how numbers are rounded, how a file is compared with a fresh computation."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from realattention import experiments, method
from realattention.method import Case
from realattention.model import E5

LANGUAGES = ("es", "ru", "en")
TAUGHT = ("es", "ru")
"""The languages of the course: types of heads, fresh sentences and ablations are computed for these."""
WEIGHT_DIGITS, EFFECT_DIGITS = 4, 6
WEIGHT_TOLERANCE, EFFECT_TOLERANCE = 2e-3, 2e-5

ABOUT = {
    "pairs.json": "For each pair of sentences: the heads whose largest weight from the word falls on the deciding word in both; in how many it "
    "falls on the deciding word, on marks, on the word itself (per sentence). placebo: the same for all other pairs of words. "
    "maps: the chosen head, word by word and piece by piece, rows are queries.",
    "heads.json": "Means over the words of plain sentences: weight on the next word, the previous, itself, marks; entropy over its maximum (broad). "
    "Heads are chosen in the sentences of even places and tested in those of odd ones. marks: share of a row by layer, by weight and by "
    "the length of what is let through (Kobayashi et al. 2020).",
    "senses.json": "Six and six sentences of two senses: where the chosen head's largest weight falls; in how many sentences each head hits; how often "
    "the word's vector lies nearer to its own sense's centroid (leave one out, Euclidean), by layer from the input on, and the "
    "same with a word of one sense in its place.",
    "ablation.json": "How far (1 − cosine) the word's last vector moves if another word is hidden, or if one head's weights are made equal; how far a plain "
    "sentence's embedding moves if a word is hidden, beside the weight and the contribution it receives.",
}
for _language in LANGUAGES:
    ABOUT[f"atlas-{_language}.json"] = (
        "All heads, word by word: base64 of bytes, shape (layers, heads, words, words), weight = byte / 255; rows are queries."
    )


def compute(model: E5, inputs: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """All data files by name, with rounded numbers."""
    found = {"pairs.json": _pairs(model, inputs), "heads.json": _heads(model, inputs)}
    for language in LANGUAGES:
        found[f"atlas-{language}.json"] = _atlas(model, inputs[language]["pairs"][0])
    found["senses.json"] = _senses(model, inputs)
    found["ablation.json"] = _ablation(model, inputs)
    return {
        name: rounded(
            {
                "provenance": {
                    **model.provenance,
                    "computed by": "scripts/real_attention.py write",
                    "about": ABOUT[name],
                    "numbering": "layers and heads from 1; no “query: ” or “passage: ” before the sentence",
                },
                **content,
            }
        )
        for name, content in found.items()
    }


def chosen_heads(model: E5, inputs: dict[str, Any], language: str) -> list[list[int]]:
    """The heads that the method finds in the pair that is shown, the winner first."""
    return [entry["head"] for entry in method.compare(model, cases(inputs[language]["pairs"][0]))["qualifying"]]


def cases(pair: list[list[str]]) -> tuple[Case, Case]:
    first, second = (Case(*side) for side in pair)
    return first, second


def sense_cases(inputs: dict[str, Any], language: str) -> list[list[Case]]:
    word = inputs[language]["word"]
    return [[Case(sentence, word, decides) for sentence, decides in group] for group in inputs[language]["senses"]]


def _map(model: E5, sentence: str, head: list[int]) -> dict[str, Any]:
    reading = model.read(sentence)
    return {"words": reading.texts, "weights": reading.maps[head[0] - 1, head[1] - 1].tolist()}


def _pieces(model: E5, sentence: str, head: list[int]) -> dict[str, Any]:
    """The same map before pieces become words, for those who want to do that step by hand."""
    reading = model.read(sentence)
    weights = reading.attention[head[0] - 1, head[1] - 1]
    return {"texts": list(reading.pieces), "weights": weights.tolist()}


def _pairs(model: E5, inputs: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for language in LANGUAGES:
        given = inputs[language]
        compared = [method.compare(model, cases(pair)) for pair in given["pairs"]]
        found[language] = {"pairs": compared, "placebo": method.placebo(model, cases(given["pairs"][0]))}
        if compared[0]["qualifying"]:
            head = compared[0]["qualifying"][0]["head"]
            found[language]["maps"] = [
                {**_map(model, sentence, head), "pieces": _pieces(model, sentence, head)}
                for sentence in compared[0]["sentences"]
            ]
        if "control" in given:
            found[language]["control"] = method.compare(model, cases(given["control"]))
    return found


def _heads(model: E5, inputs: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for language in TAUGHT:
        plain = inputs[language]["plain"]
        chosen, tested, every = (method.mean_habits(model, part) for part in (plain[::2], plain[1::2], plain))
        kinds = {}
        for kind in method.KINDS:
            best = method.cleanest(chosen[kind], tested[kind])
            shown = _map(model, inputs[language]["pairs"][0][0][0], best["head"])
            kinds[kind] = {**best, "average": every[kind].mean(), "all": every[kind].tolist(), "map": shown}
        found[language] = {
            "sentences": len(plain),
            "kinds": kinds,
            "marks": experiments.share_of_marks(model, plain),
            **_largest_on_itself(model, plain),
        }
    return found


def _largest_on_itself(model: E5, sentences: list[str]) -> dict[str, float]:
    """The part of all rows (words only, all heads) whose largest weight falls on the word itself, and what that part
    would be if it fell anywhere: among words and marks, and among the words alone.
    """
    found: dict[str, list[np.ndarray]] = {"largest": [], "chance": [], "largest_word": [], "chance_word": []}
    for sentence in sentences:
        reading = model.read(sentence)
        inner = np.array([place for place, word in enumerate(reading.words) if not word.mark])
        rows = reading.maps[:, :, inner]
        found["largest"].append((rows.argmax(axis=-1) == inner).ravel())
        found["largest_word"].append((rows[..., inner].argmax(axis=-1) == np.arange(len(inner))).ravel())
        found["chance"].append(np.full(len(inner), 1 / len(reading.words)))
        found["chance_word"].append(np.full(len(inner), 1 / len(inner)))
    return {f"{name}_on_itself": float(np.concatenate(parts).mean()) for name, parts in found.items()}


def _atlas(model: E5, pair: list[list[str]]) -> dict[str, Any]:
    pages = []
    for case in cases(pair):
        reading = model.read(case.sentence)
        levels = np.round(reading.maps * 255).astype(np.uint8)
        pages.append(
            {
                "sentence": case.sentence,
                "words": reading.texts,
                "marks": [word.mark for word in reading.words],
                "word": reading.place(case.word),
                "decides": reading.place(case.decides),
                "shape": list(levels.shape),
                "bytes": base64.b64encode(levels.tobytes()).decode(),
            }
        )
    return {"sentences": pages}


def _senses(model: E5, inputs: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for language in TAUGHT:
        given, groups = inputs[language], sense_cases(inputs, language)
        everything = [case for group in groups for case in group]
        table = experiments.hits(model, everything)
        replaced = [[case.sentence.replace(case.word, given["neutral"]) for case in group] for group in groups]
        found[language] = {
            "word": given["word"],
            "neutral": given["neutral"],
            "sentences": len(everything),
            "heads": [
                {"head": head, "cases": experiments.look_again(model, head, everything)}
                for head in chosen_heads(model, inputs, language)
            ],
            "hits": table.tolist(),
            "word_by_layer": experiments.accuracy_by_layer(
                model, [[case.sentence for case in group] for group in groups], given["word"]
            ),
            "neutral_by_layer": experiments.accuracy_by_layer(model, replaced, given["neutral"]),
        }
    return found


def _ablation(model: E5, inputs: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for language in TAUGHT:
        heads, plain = chosen_heads(model, inputs, language), inputs[language]["plain"]
        sides = []
        for case in cases(inputs[language]["pairs"][0]):
            effects = experiments.flatten_each_head(model, case)
            sides.append(
                {
                    "sentence": case.sentence,
                    "word": case.word,
                    "hidden": experiments.hide_each_word(model, case),
                    "flat_heads": effects.tolist(),
                    "chosen": experiments.ranks(effects, heads),
                    "strongest": experiments.strongest(effects),
                    "median": float(np.median(effects)),
                }
            )
        found[language] = {
            "pair": sides,
            "plain": [experiments.weight_against_effect(model, sentence) for sentence in plain],
            "flat": experiments.everything_flat(model, plain),
        }
    return found


def rounded(value: Any, digits: int = WEIGHT_DIGITS) -> Any:
    """The same tree with plain numbers: effects, which are small, with more digits than weights."""
    if isinstance(value, dict):
        return {key: rounded(item, _digits(key, digits)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(item, digits) for item in value]
    if isinstance(value, (float, np.floating)):
        return round(float(value), digits) + 0.0
    return value.item() if isinstance(value, np.generic) else value


def _digits(key: str, digits: int) -> int:
    return EFFECT_DIGITS if key in ("effect", "flat_heads", "median") else digits


def text(content: dict[str, Any]) -> str:
    """JSON with one line for each entry of the two upper levels, so that a difference can be read."""
    return (
        json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace('},"', '},\n"').replace("},{", "},\n{")
        + "\n"
    )


def differences(old: Any, new: Any, place: str = "", tolerance: float = WEIGHT_TOLERANCE) -> Iterator[str]:
    """Where two files differ: numbers by more than the tolerance, bytes by more than one step, all else at all."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key in old:
            small = _digits(key, WEIGHT_DIGITS) == EFFECT_DIGITS
            yield from differences(old[key], new[key], f"{place}/{key}", EFFECT_TOLERANCE if small else tolerance)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{place}/{index}", tolerance)
    elif isinstance(old, float) and isinstance(new, float):
        if abs(old - new) > tolerance:
            yield f"{place}: the file says {old}, computed now {new}"
    elif place.endswith("/bytes") and isinstance(old, str) and isinstance(new, str) and len(old) == len(new):
        one, other = (np.frombuffer(base64.b64decode(each), np.uint8).astype(int) for each in (old, new))
        if (apart := int(np.abs(one - other).max())) > 1:
            yield f"{place}: some weight differs by {apart}/255"
    elif old != new or isinstance(old, float) != isinstance(new, float):
        yield f"{place}: the file says {_short(old)}, computed now {_short(new)}"


def _short(value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    return shown if len(shown) < 80 else shown[:77] + "…"


def load_inputs(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "sentences.json").read_text(encoding="utf-8"))
