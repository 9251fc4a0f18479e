"""The aligner alone: its decisions, their moment, and the number of lines that it compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import SupportsIndex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.stream import aligner as aligner_module
from twospeed.stream.aligner import MAX_HELD, Aligner, is_similar
from twospeed.stream.ops import Change, Delete, Insert, Keep, Op, without_corrected_changes
from twospeed.text.edits import common_ends


def ops_by_line(old: Sequence[str], new: Sequence[str]) -> list[list[Op]]:
    """Return the ops decided with each new line, and at the end."""
    aligner = Aligner(old)
    result = []
    for line in new:
        aligner.receive_line(line)
        result.append(aligner.take_ops())
    aligner.finish()
    return [*result, aligner.take_ops()]


def performed(old: Sequence[str], ops: Sequence[Op]) -> list[str]:
    """Return the lines that ops make of the old ones; fails if an op goes back or leaves old lines."""
    lines: list[str] = []
    i = 0
    for op in ops:
        match op:
            case Keep(until):
                assert until > i
                lines += old[i:until]
                i = until
            case Delete(until):
                assert until > i
                i = until
            case Insert(line):
                lines.append(line)
            case Change(index, line):
                assert index == i
                lines.append(line)
                i += 1
    assert i == len(old)
    return lines


# Decisions and their moment

LINES = st.lists(
    st.sampled_from(["", "}", "total = 0", "total = 1", "return total", "count(total)"]), max_size=30
)


@given(LINES, LINES)
def test_ops_turn_any_old_lines_into_any_new_lines(old, new):
    assert performed(old, [op for ops in ops_by_line(old, new) for op in ops]) == new


@given(LINES, LINES)
def test_at_most_max_held_lines_are_undecided(old, new):
    n_decided = i = 0
    for n_received, ops in enumerate(ops_by_line(old, new)[:-1], 1):
        for op in ops:
            match op:
                case Keep(until):
                    n_decided += until - i
                    i = until
                case Delete(until):
                    i = until
                case Insert():
                    n_decided += 1
                case Change(index, _):
                    n_decided += 1
                    i = index + 1
        assert n_received - n_decided < MAX_HELD


def test_the_next_old_line_is_kept_at_once():
    assert ops_by_line(["one", "two"], ["one", "two"]) == [[Keep(1)], [Keep(2)], []]


def test_a_line_not_in_the_old_text_is_inserted_at_once():
    assert ops_by_line(["one", "two"], ["zero", "one", "two"])[0] == [Insert("zero")]


def test_a_line_that_resembles_the_old_one_is_a_change_at_once():
    old = ["total = price", "return total"]
    assert ops_by_line(old, ["total = price * 2", "return total"])[:2] == [
        [Change(0, "total = price * 2")],
        [Keep(2)],
    ]


def test_a_changed_old_line_that_follows_itself_is_kept():
    old = ["total = price", "return total"]
    by_line = ops_by_line(old, ["total = price * 2", "log(price)", "total = price", "return total"])
    assert by_line[0] == [Change(0, "total = price * 2")]
    assert by_line[2] == [Insert("total = price", 0)]
    assert without_corrected_changes([op for ops in by_line for op in ops]) == [
        Insert("total = price * 2"),
        Insert("log(price)"),
        Keep(1),
        Keep(2),
    ]


def test_a_changed_old_line_after_kept_or_deleted_lines_is_inserted():
    old = ["total = price", "log(total)", "check(total)", "return total"]
    for new in (
        ["total = price * 2", "log(total)", "total = price"],
        ["total = price * 2", "return total", "total = price"],
    ):
        ops = [op for ops in ops_by_line(old, new) for op in ops]
        assert Insert("total = price") in ops


def test_a_unique_line_just_below_is_kept_at_once():
    old = ["first()", "second()", "third()"]
    assert ops_by_line(old, ["third()"])[0] == [Delete(2), Keep(3)]


@pytest.mark.parametrize(("n_deleted", "n_telling"), [(2, 1), (10, 2), (30, 4), (100, 6)])
def test_a_jump_over_more_lines_needs_more_evidence(n_deleted, n_telling):
    old = [f"step_{index}()" for index in range(200)]
    by_line = ops_by_line(old, old[n_deleted:])
    assert not any(by_line[: n_telling - 1])
    assert by_line[n_telling - 1] == [Delete(n_deleted), Keep(n_deleted + n_telling)]


def test_a_copy_of_a_line_far_below_deletes_nothing():
    old = [*(f"step_{index}()" for index in range(20)), "return total"]
    ops = [op for ops in ops_by_line(old, [old[0], "return total", *old[1:]]) for op in ops]
    assert [op for op in ops if not isinstance(op, Keep)] == [Insert("return total")]


def test_a_bracket_far_below_proves_nothing():
    old = ["if ready:", *(f"    step_{index}()" for index in range(6)), "}"]
    ops = [op for ops in ops_by_line(old, ["}", *old]) for op in ops]
    assert ops[0] == Insert("}")
    assert Delete not in map(type, ops)


def test_a_changed_line_keeps_its_place_if_lines_after_it_are_deleted():
    old = ["total = price", "log(total)", "check(total)", "store(total)", "return total"]
    ops = [op for ops in ops_by_line(old, ["total = price * 2", "return total"]) for op in ops]
    assert ops == [Change(0, "total = price * 2"), Delete(4), Keep(5)]


def test_a_similar_line_before_a_kept_line_does_not_change_the_kept_line():
    old = ["total = price", *(f"step_{index}()" for index in range(20)), "far()"]
    new = ["far()", "total = price * 2", *old]
    assert performed(old, [op for ops in ops_by_line(old, new) for op in ops]) == new


def test_a_repeated_run_matches_the_old_run_at_the_end():
    old = [*(f"gone_{index}()" for index in range(400)), *(f"stays_{index}()" for index in range(100))]
    ops = [op for ops in ops_by_line(old, old[400:]) for op in ops]
    assert sum(isinstance(op, Insert) for op in ops) < 20


# Cost


class Watched(str):  # noqa: SLOT000
    """A line that counts how many of its characters are compared."""

    n_looked_at = 0

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, str)
        Watched.n_looked_at += min(len(self), len(other)) if len(self) == len(other) else 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        text = str.__getitem__(self, key)
        Watched.n_looked_at += len(text)
        return text


def characters_looked_at(old: Sequence[str], new: Sequence[str]) -> int:
    """Count the characters compared for all new lines; indexing the old ones is not counted."""
    aligner = Aligner([Watched(line) for line in old])
    Watched.n_looked_at = 0
    for line in new:
        aligner.receive_line(Watched(line))
    aligner.finish()
    return Watched.n_looked_at


def _numbered(n: int) -> list[str]:
    return [f"    value_{index} = read({index})" for index in range(n)]


HOSTILE: dict[str, Callable[[int], tuple[list[str], list[str]]]] = {
    "all lines equal": lambda n: (["same()"] * n, ["same()"] * n),
    "all lines equal, behind a new one": lambda n: (["same()"] * n, ["other()", *["same()"] * n]),
    "equal old lines, none of which comes": lambda n: (["same()"] * n, ["sane()"] * n),
    "blank lines alone": lambda n: ([""] * n, [""] * (n + 9)),
    "blank lines before what stays": lambda n: (["stays()"] * n, ["", "stays()"] * n),
    "a last line, again and again": lambda n: ([*_numbered(n), "last()"], ["last()"] * n),
    "two lines in turn": lambda n: (["one()", "two()"] * n, ["two()", "one()"] * n),
    "everything in reverse": lambda n: (_numbered(n), _numbered(n)[::-1]),
    "everything changed": lambda n: (_numbered(n), [line + "  # changed" for line in _numbered(n)]),
    "everything new": lambda n: (_numbered(n), [f"    print({index})" for index in range(n)]),
    "the half that stays comes late": lambda n: (_numbered(n), _numbered(n)[n // 2 :]),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_the_cost_of_a_line_does_not_depend_on_the_other_lines(case):
    old, new = HOSTILE[case](2_000)
    cost = characters_looked_at(old, new)
    n_characters = sum(len(line) + 1 for line in new)
    assert cost <= 60 * n_characters
    twice_old, twice_new = HOSTILE[case](4_000)
    assert characters_looked_at(twice_old, twice_new) <= 2.2 * cost + 100


@pytest.mark.parametrize("case", ["two lines in turn", "a last line, again and again"])
def test_a_line_repeated_below_is_compared_at_few_places(case, monkeypatch):
    old, new = HOSTILE[case](1_000)
    n_weighed = 0

    def price(n_deleted: int) -> float:
        nonlocal n_weighed
        n_weighed += 1
        return 100.0 if n_deleted else 0.0  # no jump is possible, so lines are held as long as allowed

    monkeypatch.setattr(aligner_module, "_price", price)
    assert performed(old, [op for ops in ops_by_line(old, new) for op in ops]) == new
    assert n_weighed <= 500 * len(new)


@pytest.mark.parametrize("case", ["all lines equal, behind a new one", "blank lines alone"])
def test_a_hundred_thousand_equal_lines_are_aligned_in_time(case):
    old, new = HOSTILE[case](100_000)
    assert characters_looked_at(old, new) <= 20 * sum(len(line) + 1 for line in new)


def test_a_line_of_ten_million_characters_is_compared_a_few_times():
    long = "x" * 10_000_000
    assert characters_looked_at([long, "end()"], [long + "y", "end()"]) <= 6 * len(long)


def test_short_lines_read_little_of_a_very_long_line():
    old = ["x" * 10_000_000, "end()"]
    assert characters_looked_at(old, [f"x{index}" for index in range(1_000)]) <= 60 * 5_000


def test_common_ends_read_each_character_a_few_times():
    old, new = Watched("a" * 50_000 + "b" * 50_000), "a" * 50_000 + "c" + "b" * 50_000
    Watched.n_looked_at = 0
    assert common_ends(old, new) == (50_000, 50_000)
    assert Watched.n_looked_at <= 3 * len(old)


# Similarity


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("total = price * 2", "total = price"),
        ("        total = price", "    total = price"),
        ("def f(a, b):", "def f(a):"),
        ("x", "x"),
    ],
)
def test_a_line_with_much_in_common_is_a_change(new, old):
    assert is_similar(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("return total", "for item in items:"),
        ("        x", "        y"),  # indentation is nothing in common
        ("", ""),
        ("   ", "   "),
        ("", "total = price"),
    ],
)
def test_a_line_with_little_in_common_is_not_a_change(new, old):
    assert not is_similar(new, old)
