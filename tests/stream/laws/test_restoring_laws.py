"""Secrets are restored in an answer for any chunks, and the old text counts as unchanged."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.security.key_formats import CANARIES
from tests.security.planted import ISSUED, hearts_of, text_of

from twospeed.secrets.placeholders import Placeholders
from twospeed.stream import EditStream, Surroundings
from twospeed.stream.ops import Change, Delete, Insert, Keep, Op, without_corrected_changes
from twospeed.stream.restored_secrets import ALTERED, LOST

WORD = "3fa09c17"
pytestmark = pytest.mark.security("R4.2")

LINES = st.lists(
    st.sampled_from(
        [
            *(f'    keep("{each}")' for each in CANARIES.values() if "\n" not in each and '"' not in each),
            "    x = 1",
            "",
        ]
    ),
    min_size=1,
    max_size=8,
)


def result(old: list[str], ops: list[Op]) -> list[str]:
    lines: list[str] = []
    at = 0
    for op in without_corrected_changes(ops):
        match op:
            case Keep(until):
                lines += old[at:until]
                at = until
            case Delete(until):
                at = until
            case Change(line=line):
                lines.append(line)
                at += 1
            case Insert(line=line):
                lines.append(line)
    return lines


def streamed(
    old: list[str], answer: str, placeholders: Placeholders, cuts: list[int]
) -> tuple[EditStream, list[Op]]:
    stream = EditStream(old, Surroundings(), placeholders)
    edges = [0, *sorted(cut % (len(answer) + 1) for cut in cuts), len(answer)]
    ops: list[Op] = []
    for start, end in itertools.pairwise(edges):
        ops += stream.receive_text(answer[start:end])
    ops += stream.finish("stop")
    return stream, ops


@given(LINES, st.lists(st.integers(0, 10_000), max_size=30))
def test_an_answer_that_repeats_the_prompt_changes_nothing(lines: list[str], cuts: list[int]) -> None:
    old = ["def f():", *lines, "    return 1"]
    text = "\n".join(old)
    placeholders = Placeholders.of(text, word=WORD)
    stream, ops = streamed(old, placeholders.hide_in_scope(text) + "\n", placeholders, cuts)
    assert stream.refusal is None
    assert all(isinstance(op, Keep) for op in ops)
    assert result(old, ops) == old


def changed(line: str) -> str:
    return line.replace("keep", "hold") + "  # so" if line else "    # so"


@given(LINES, st.lists(st.integers(0, 10_000), max_size=30), st.data())
def test_secrets_are_restored_in_changed_lines(
    lines: list[str], cuts: list[int], data: st.DataObject
) -> None:
    old = ["def f():", *lines, "    return 1"]
    text = "\n".join(old)
    placeholders = Placeholders.of(text, word=WORD)
    shown = placeholders.hide_in_scope(text).split("\n")
    number = data.draw(st.integers(1, len(old) - 1))
    new = [*old[:number], changed(old[number]), *old[number + 1 :]]
    answer = [*shown[:number], changed(shown[number]), *shown[number + 1 :]]
    stream, ops = streamed(old, "\n".join(answer) + "\n", placeholders, cuts)
    assert stream.refusal is None
    assert result(old, ops) == new


def test_a_secret_of_several_lines_is_restored_as_several() -> None:
    old = ["def f():", '    key = """', *CANARIES["pem"].split("\n"), '    """', "    return key"]
    placeholders = Placeholders.of("\n".join(old), word=WORD)
    shown = placeholders.hide_in_scope("\n".join(old)).replace("return key", "return load(key)")
    assert len(shown.split("\n")) < len(old)
    stream, ops = streamed(old, shown, placeholders, [])
    assert stream.refusal is None
    assert result(old, ops) == [*old[:-1], "    return load(key)"]


@pytest.mark.parametrize("name", ISSUED)
def test_every_kind_of_secret_is_restored_exactly_for_any_chunks(name: str) -> None:
    old = ["def f():", *text_of(ISSUED[name]).split("\n"), "    return 1"]
    placeholders = Placeholders.of("\n".join(old), word=WORD)
    shown = placeholders.hide_in_scope("\n".join(old))
    assert not any(heart in shown for heart in hearts_of(ISSUED[name]))
    for cuts in ([], [7, 40, 41, 90]):
        stream, ops = streamed(old, shown.replace("return 1", "return 2") + "\n", placeholders, cuts)
        assert stream.refusal is None
        assert result(old, ops) == [*old[:-1], "    return 2"]


def test_a_secret_with_other_line_ends_is_restored() -> None:
    old = ["def f():", '    key = """', *CANARIES["pem"].split("\n"), '    """']
    placeholders = Placeholders.of("\r\n".join(old), word=WORD)
    stream, ops = streamed(old, placeholders.hide_in_scope("\r\n".join(old)), placeholders, [])
    assert stream.refusal is None
    assert result(old, ops) == old


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        ("def f():\n    x = 1\n    return 1\n", LOST),
        ("def f():\n    keep('TS_SECRET_1_3fa09c1')\n    return 1\n", ALTERED),
        ("def f():\n    keep('TS_SECRET_2_3fa09c17')\n    return 1\n", ALTERED),
    ],
)
def test_an_answer_with_a_lost_or_altered_secret_is_refused(answer: str, refusal: object) -> None:
    old = ["def f():", f"    keep('{CANARIES['github']}')", "    return 1"]
    placeholders = Placeholders.of("\n".join(old), word=WORD)
    stream, _ = streamed(old, answer, placeholders, [])
    assert stream.refusal == refusal


def test_endlessly_repeated_placeholders_are_refused_at_the_size_limit() -> None:
    old = ['key = """', *CANARIES["pem"].split("\n"), *["A" * 640] * 40, '"""']
    text = (
        "\n".join(old).replace(CANARIES["pem"].split("\n")[-1] + "\n", "") + "\n-----END RSA PRIVATE KEY-----"
    )
    placeholders = Placeholders.of(text, word=WORD)
    (value,) = placeholders.values
    assert len(value) > 20_000
    stream = EditStream(text.split("\n"), Surroundings(), placeholders)
    for _ in range(10_000):
        stream.receive_text(f"TS_SECRET_1_{WORD}\n")
        if stream.refusal:
            break
    assert stream.refusal
    assert stream.refusal.code == "growth"


def test_repeated_surroundings_with_masked_secrets_are_removed() -> None:
    above = ["import os", "", f"TOKEN = '{CANARIES['gitlab']}'"]
    old = ["def f():", "    return 1"]
    placeholders = Placeholders.of("\n".join(old), word=WORD)
    stream = EditStream(old, Surroundings(above=above), placeholders)
    ops = stream.receive_text("import os\n\nTOKEN = '***'\ndef f():\n    return 2\n") + stream.finish("stop")
    assert stream.refusal is None or stream.refusal.code == "extent"
    assert "***" not in str(ops)
