"""Printed text as a terminal shows it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessonkit.terminal import plain_text

BAR = "".join(f"\r{done:3}%|{'#' * (done // 10):10}| {done} it/s" for done in range(101))


@pytest.mark.case(number="C82")
@pytest.mark.case(number="C81")
@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("hola\nмир\n", "hola\nмир\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        # carriage returns
        ("12\r3", "32"),
        ("1\r2\r3\r", "3"),
        ("1\r2\r3\r\n", "3\n"),
        (BAR + "\n", "100%|##########| 100 it/s\n"),
        ("a\nlong line\rshort\nz", "a\nshortline\nz"),
        ("ab\b\bX", "Xb"),
        ("niño\rпр", "прño"),
        # erasing
        ("Downloading 100%\r\x1b[Kdone\n", "done\n"),
        ("abcdef\x1b[3D\x1b[Kx", "abcx"),
        ("abc\x1b[2K\rx", "x"),
        ("abc\x1b[1Kd", "   d"),
        ("one\ntwo\x1b[1A\rONE\x1b[J", "ONE"),
        ("old\nolder\x1b[2J\x1b[Hnew", "new\n"),
        # moves
        ("a: 0\nb: 0\n\x1b[2A\ra: 1\x1b[B\rb: 2\n", "a: 1\nb: 2\n"),
        ("a\x1b[3Cb", "a   b"),
        ("abc\x1b[1Gx", "xbc"),
        ("\x1b[5A\x1b[9Dx", "x"),
        # colours and the rest
        ("\x1b[31mrojo\x1b[0m \x1b[1m\x1b[38;5;208mnaranja\x1b[m", "rojo naranja"),
        ("\x1b]8;;https://example.org\x1b\\enlace\x1b]8;;\x07!", "enlace!"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b(Bx\x1b=y\x1b", "xy"),
        ("a\x07b\x00c\x9b31md", "abcd"),
        ("a\tb\rc", "c\tb"),
    ],
)
def test_text_is_what_a_terminal_shows(printed, shown):
    assert plain_text(printed) == shown


def test_accents_take_no_column_of_their_own():
    assert plain_text("nin\u0303o\rN") == "Nin\u0303o"
    assert plain_text("n\x1b[m\u0303o\r\x1b[2Cx") == "n\u0303ox"


def test_a_far_cursor_costs_no_memory():
    assert len(plain_text("\x1b[999999999Cx")) <= 10_001
    assert plain_text("\x1b[999999999Bx") == "x"


@pytest.mark.case(number="C82")
def test_a_megabyte_of_progress_is_quick():
    printed = "".join(f"{step}%|####   | it/s\r" for step in range(50_000))
    start = time.perf_counter()
    assert plain_text(printed) == "49999%|####   | it/s"
    assert time.perf_counter() - start < 5


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"], include_characters="\n\t")))
def test_text_without_controls_is_untouched(text):
    assert plain_text(text) == text


@pytest.mark.case(number="C81")
@given(st.text(st.sampled_from("ab\r\n\b\x1b[]0123;KJHABCDGm\x07\x9b\t\\")))
def test_nothing_of_a_terminal_is_left(printed):
    shown = plain_text(printed)
    assert not set(shown) & {"\r", "\b", "\x1b", "\x07", "\x9b"}
    assert plain_text(shown) == shown
