"""Pieces of a key are found where a slow search of every alignment finds them, and nowhere else."""

from __future__ import annotations

import base64
import random
import string

import pytest

from twospeed.secrets.key_pieces import spans_of_key

KEY = "lab-Zq7Xw2Rt9_Yk4Lm8Np3Vb6Hd1Sc5Gf0JaEuOi"
"""41 characters, so that whole blocks of twelve do not end where it ends."""


def compared(text: str) -> str:
    return text.lower().replace("-", "+").replace("_", "/")


def forms_of(key: str) -> list[tuple[str, int, int]]:
    """Return the forms of a key, each with the minimal lengths of a piece at its ends and of a block."""
    found = [(key, 8, 12), (key.encode().hex(), 16, 24)]
    for n_before in range(3):
        codes = [
            base64.b64encode(other * n_before + key.encode() + other * 2).decode()
            for other in (b"\0", b"\xff")
        ]
        same = "".join(one if one == other else " " for one, other in zip(*codes, strict=True))
        found.append((max(same.split(" "), key=len), 10, 16))  # without what depends on its neighbours
    return [(compared(form), n_end, n_block) for form, n_end, n_block in found]


def pieces_in(text: str, key: str) -> set[tuple[int, int]]:
    """Return the longest runs that a text shares with a form of a key, if they are long enough."""
    read, runs = compared(text), set()
    for form, n_end, n_block in forms_of(key):
        blocks = [
            (0, n_end),
            (len(form) - n_end, len(form)),
            *((at, at + n_block) for at in range(n_block, len(form) - n_block, n_block)),
        ]
        for shift in range(-len(form) + 1, len(read)):
            at = max(0, shift)
            while at < min(len(read), shift + len(form)):
                end = at
                while end < min(len(read), shift + len(form)) and read[end] == form[end - shift]:
                    end += 1
                if any(at <= shift + first and shift + last <= end for first, last in blocks):
                    runs.add((at, end))
                at = end + 1
    return runs


def random_key(dice: random.Random) -> str:
    return "".join(dice.choices(string.ascii_letters + string.digits + "-_", k=dice.randint(16, 44)))


@pytest.mark.security("R7")
def test_found_pieces_equal_those_of_a_slow_search() -> None:
    dice = random.Random(7)
    n_found = 0
    for _ in range(20):
        key = random_key(dice)
        forms = [form for form, _, _ in forms_of(key)]
        parts = []
        for _ in range(3):
            form = dice.choice(forms)
            start = dice.choice([0, 0, 1, dice.randrange(len(form))])
            end = dice.choice([len(form), len(form) - 1, dice.randint(start, len(form))])
            parts += [form[start:end], dice.choice(["", "?", " is ", "x"])]
        text = "".join(parts)
        expected = pieces_in(text, key)
        assert set(spans_of_key(text, key)) == expected, (key, text)
        n_found += len(expected)
    assert n_found > 20


@pytest.mark.security("R7")
def test_a_key_piece_is_found_by_its_ends_or_a_whole_block() -> None:
    for n in (7, 8, 9, 11, 12, 13, 19, 20, 23):
        for shown in (KEY[:n], KEY[-n:], KEY[9 : 9 + n], KEY[12 : 12 + n], KEY[24 : 24 + n]):
            text = f"<{shown}>"
            assert set(spans_of_key(text, KEY)) == pieces_in(text, KEY)
        assert bool(set(spans_of_key(KEY[:n], KEY))) is (n >= 8)
        assert bool(set(spans_of_key(KEY[12 : 12 + n], KEY))) is (n >= 12)


@pytest.mark.security("R7")
def test_an_escape_is_decoded_and_included_whole() -> None:
    for escaped in (
        *("%2d", "%2D", "\\u002d", "\\u002D", "\\x2d", "\\x2D"),
        *("&#x2d;", "&#x2D;", "&#x00002d;", "&#45;", "&#045;", "&#0000045;"),
    ):
        shown = KEY.replace("-", escaped)
        for before, after in (("", ""), ("a %20 b ", " c"), ("", "%20")):
            span = (len(before), len(before) + len(shown))
            assert set(spans_of_key(before + shown + after, KEY)) == {span}


@pytest.mark.security("R7")
def test_text_without_escapes_is_not_decoded() -> None:
    for text in (
        *("%2", "\\u002", "\\u012d", "\\x2", "&#x2d", "&#45", "&#4;"),
        *("&#x000002d;", "&#00000045;", "&#;"),
    ):
        assert set(spans_of_key(f"lab{text}Zq7Xw2Rt", KEY)) == set()
        assert set(spans_of_key(f"{text}{KEY}", KEY)) == {(len(text), len(text) + len(KEY))}


@pytest.mark.security("R7")
def test_offsets_are_unchanged_by_escaped_slashes_and_non_ascii_capitals() -> None:
    key = "ab/cd/ef0123456789"
    assert set(spans_of_key(r"<ab\/cd\/ef0123456789>", key)) == {(1, 21)}
    assert set(spans_of_key(f"İÄ%20{KEY}", KEY)) == {(5, 5 + len(KEY))}
    assert set(spans_of_key(f"İÄ {KEY.upper()}", KEY)) == {(3, 3 + len(KEY))}
