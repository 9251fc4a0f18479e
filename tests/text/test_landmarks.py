"""A change of the whole text is reduced to the places that differ."""

from __future__ import annotations

from itertools import chain, pairwise

from hypothesis import given
from hypothesis import strategies as st

from twospeed.text.document import Splice, trimmed_splice
from twospeed.text.landmarks import MAX_LINES, cut_at_landmarks

Lines = tuple[str, ...]

OFTEN, SELDOM = st.sampled_from(["}\n", "\n", "x\n"]), st.sampled_from([f"{n}\n" for n in range(12)])
LINES = st.lists(st.one_of(OFTEN, SELDOM), max_size=14).map(tuple)

CHANGES = st.sampled_from(
    [((), ("new\n",)), (("old\n",), ()), (("old\n",), ("new\n", "}\n")), (("old\n", "}\n"), ("new\n",))]
)
"""Lines of one place, before and after."""


def between(old: Lines, new: Lines) -> list[Splice]:
    splice = trimmed_splice(old, new, 0)
    return cut_at_landmarks(old, splice) if splice else []


def applied(old: Lines, splice: Splice) -> Lines:
    return (*old[: splice.start], *splice.lines, *old[splice.start + splice.count :])


@given(LINES, LINES)
def test_applying_the_splices_in_order_gives_the_new_lines(old: Lines, new: Lines) -> None:
    lines = old
    for splice in between(old, new):
        lines = applied(lines, splice)
    assert lines == new


@given(LINES, LINES)
def test_an_unchanged_line_separates_two_splices(old: Lines, new: Lines) -> None:
    splices = between(old, new)
    assert all(splices)
    assert all(above.start + len(above.lines) < below.start for above, below in pairwise(splices))


@given(LINES, LINES)
def test_a_splice_has_no_equal_lines_at_its_edges(old: Lines, new: Lines) -> None:
    lines = old
    for splice in between(old, new):
        went = lines[splice.start : splice.start + splice.count]
        assert not went or not splice.lines or (went[0] != splice.lines[0] and went[-1] != splice.lines[-1])
        lines = applied(lines, splice)


@given(st.lists(st.none() | CHANGES, min_size=1, max_size=8))
def test_separate_changes_become_separate_splices(places: list[tuple[Lines, Lines] | None]) -> None:
    def text(side: int) -> Lines:
        return tuple(
            chain.from_iterable(
                (*(place[side] if place else ()), f"{number}\n") for number, place in enumerate(places)
            )
        )

    splices = between(text(0), text(1))
    assert len(splices) == sum(place is not None for place in places)


def test_typing_above_and_below_a_function_gives_two_splices() -> None:
    old = ("import os\n", "\n", "def f():\n", "    return 1\n", "\n", "x = 1\n")
    new = ("import os, re\n", "\n", "def f():\n", "    return 1\n", "\n", "x = 12\n")
    assert between(old, new) == [Splice(0, 1, ("import os, re\n",)), Splice(5, 1, ("x = 12\n",))]


def test_a_blank_line_that_was_inserted_above_is_no_unchanged_line() -> None:
    old = ("def f(a):\n", "    x = 1\n", "    y = 2\n", "\n")
    new = ("\n", "def f(a, b):\n", "    x = 12\n", "    y = 2\n", "    z = 3\n")
    assert between(old, new) == [Splice(0, 2, new[:3]), Splice(4, 1, new[4:])]


def test_a_moved_line_is_a_deletion_and_an_insertion() -> None:
    old = ("a\n", "b\n", "c\n", "d\n")
    assert between(old, ("b\n", "c\n", "d\n", "a\n")) == [Splice(0, 1, ()), Splice(3, 0, ("a\n",))]


def test_a_splice_over_the_limit_is_not_split() -> None:
    old = tuple(f"{number}\n" for number in range(MAX_LINES // 2))
    (whole,) = between(old, ("above\n", *old, "below\n"))
    assert len(whole.lines) == len(old) + 2
