"""Social cards: the words fit, the same words give the same bytes, a warm build draws nothing."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import pytest
from PIL import Image, ImageChops

from lessonkit import social_cards
from lessonkit.social_cards import COLUMN, HEIGHT, MARGIN, SIZE, Card, causal_weights, draw_card, write_cards

CARD = Card("assets/cards/ru/masks.png", "Внимание шаг за шагом", "Маски", "Как запретить токену смотреть на другой: набивка и будущее.")
LONG = replace(CARD, title="Очень длинное название урока " * 6, description="Предложение, которому нет конца, " * 20)


def picture(card: Card) -> Image.Image:
    return Image.open(io.BytesIO(draw_card(card))).convert("RGB")


def painted(card: Card) -> tuple[int, int, int, int]:
    """The box around what differs from the card without words."""
    return ImageChops.difference(picture(card), picture(Card("", "", "", ""))).getbbox()


def test_a_card_is_small_and_always_the_same():
    data = draw_card(CARD)
    assert Image.open(io.BytesIO(data)).size == SIZE
    assert len(data) < 40_000
    assert draw_card(CARD) == data
    assert draw_card(replace(CARD, title="Маска")) != data


@pytest.mark.parametrize("card", [CARD, LONG, replace(CARD, title="Самовнимание"), replace(CARD, title="Atención-multicabeza-interminablemente-larga")])
def test_words_stay_in_their_column(card):
    left, top, right, bottom = painted(card)
    assert left >= MARGIN - 8
    assert top >= MARGIN - 8
    assert bottom <= HEIGHT - MARGIN + 8
    assert right <= MARGIN + COLUMN + 40 or len(card.title.split()) == 1  # one endless word cannot be broken


def test_what_is_left_out_is_marked():
    lines = social_cards._shorten(["uno", "dos,", "tres"], 2)
    assert lines == ["uno", "dos…"]


def test_the_map_is_attention():
    rows = causal_weights(7)
    for number, row in enumerate(rows):
        assert math.isclose(sum(row), 1)
        assert row[number + 1 :] == [0.0] * (6 - number)
    assert all(max(row) == row[number] for number, row in enumerate(rows)), "a position is nearest to itself"


def test_a_warm_build_draws_nothing(tmp_path, monkeypatch):
    write_cards(tmp_path / "one", [CARD], tmp_path / "store")
    drawn = (tmp_path / "one" / CARD.file).read_bytes()
    assert drawn == draw_card(CARD)
    monkeypatch.setattr(social_cards, "draw_card", lambda card: pytest.fail("drawn again"))
    write_cards(tmp_path / "two", [replace(CARD, file="elsewhere.png")], tmp_path / "store")
    assert (tmp_path / "two/elsewhere.png").read_bytes() == drawn
    monkeypatch.setattr(social_cards, "draw_card", lambda card: b"new")
    write_cards(tmp_path / "three", [replace(CARD, title="Маска")], tmp_path / "store")
    assert (tmp_path / "three" / CARD.file).read_bytes() == b"new"
