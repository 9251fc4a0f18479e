"""The range in which a typed or deleted line may be, if adjacent lines are equal."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from twospeed.delivery.reconcile import _possible_ranges, is_late_deletion, splices_between, typed_elsewhere
from twospeed.text.document import Splice
from twospeed.text.edits import LineEdit


def lines(*texts: str) -> list[str]:
    return [text if text.endswith("\n") else text + "\n" for text in texts]


NEW = LineEdit(3, 0, ("NEW\n",))
"""An edit below two lines that end as Windows ends lines."""

EXPECTED = lines("a", "x\r\n", "x\r\n", "NEW", "b", "c")
BASE = lines("a", "x\r\n", "x\r\n", "b", "c")


def test_a_line_equal_to_those_below_may_have_been_inserted_below_them() -> None:
    shown = lines("a", "x", "x\r\n", "x\r\n", "NEW", "b", "c")
    assert typed_elsewhere([NEW], BASE, EXPECTED, shown) is None


def test_a_line_different_from_those_below_was_inserted_in_place() -> None:
    shown = lines("a", "y", "x\r\n", "x\r\n", "NEW", "b", "c")
    assert typed_elsewhere([NEW], BASE, EXPECTED, shown) == [Splice(1, 0, ("y\n",))]


def test_the_possible_range_of_a_line_ends_with_the_equal_lines() -> None:
    expected = lines("a", "x\r\n", "z", "NEW", "b", "c")
    shown = lines("a", "x", "x\r\n", "z", "NEW", "b", "c")
    assert typed_elsewhere([NEW], lines("a", "x\r\n", "z", "b", "c"), expected, shown) == [
        Splice(1, 0, ("x\n",))
    ]


def test_a_line_typed_at_the_end_of_the_document_is_clear_of_an_edit_above() -> None:
    assert typed_elsewhere([NEW], BASE, EXPECTED, [*EXPECTED, "typed\n"]) == [Splice(6, 0, ("typed\n",))]


def test_a_line_deleted_at_the_end_of_the_document_is_clear_of_an_edit_above() -> None:
    assert typed_elsewhere([NEW], BASE, EXPECTED, EXPECTED[:-1]) == [Splice(5, 1, ())]


def test_an_edit_below_another_is_searched_at_its_moved_place() -> None:
    # "b" becomes three lines, so the edit of "e" is two lines farther down.
    edits = [LineEdit(1, 1, ("N\n", "M\n", "O\n")), LineEdit(4, 1, ("E\n",))]
    base = lines("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
    expected = lines("a", "N", "M", "O", "c", "d", "E", "f", "g", "h", "i", "j")
    for at, is_clear in ((5, True), (6, False), (7, False), (8, True), (9, True), (10, True)):
        shown = [*expected[:at], "typed\n", *expected[at:]]
        found = typed_elsewhere(edits, base, expected, shown)
        assert found == ([Splice(at, 0, ("typed\n",))] if is_clear else None), at


def places_of(old: Sequence[str], new: Sequence[str], n: int) -> list[int]:
    """Return every place at which deleting ``n`` lines of ``old`` results in ``new``."""
    return [at for at in range(len(old) - n + 1) if [*old[:at], *old[at + n :]] == list(new)]


def test_the_range_of_a_changed_line_covers_all_possible_places() -> None:
    n_tried = 0
    for length in range(1, 6):
        for longer in map(list, itertools.product("ab", repeat=length)):
            for n, at in itertools.product((1, 2), range(length)):
                shorter = longer[:at] + longer[at + n :]
                n_gone = length - len(shorter)
                places = places_of(longer, shorter, n_gone)
                gone, came = splices_between(longer, shorter), splices_between(shorter, longer)
                if len(gone) == len(came) == 1:
                    n_tried += 1
                    reach = (places[0], places[-1] + n_gone)
                    assert list(_possible_ranges(gone, longer, shorter)) == [reach]
                    assert list(_possible_ranges(came, shorter, longer)) == [(places[0], places[-1])]
    assert n_tried > 300


@pytest.mark.parametrize(
    ("now", "splices", "expected"),
    [
        ([], [Splice(3, 1, ())], True),
        ([LineEdit(3, 1, ())], [Splice(3, 1, ())], False),
        ([LineEdit(5, 1, ())], [Splice(3, 1, ())], True),
        ([LineEdit(3, 2, ())], [Splice(3, 1, ())], True),
        ([LineEdit(3, 1, ("x",))], [Splice(3, 1, ())], True),
        ([], [Splice(3, 2, ())], False),
        ([], [Splice(4, 1, ())], False),
        ([], [Splice(3, 1, ("x",))], False),
        ([LineEdit(1, 1, ())], [Splice(0, 0, ("x", "y")), Splice(3, 1, ())], False),
        ([LineEdit(5, 1, ())], [Splice(0, 2, ()), Splice(3, 1, ())], False),
        ([LineEdit(1, 1, ())], [Splice(3, 0, ("x", "y")), Splice(3, 1, ())], False),
        ([LineEdit(3, 1, ())], [Splice(4, 0, ("x", "y")), Splice(3, 1, ())], False),
        ([LineEdit(2, 1, ())], [Splice(0, 1, ("x", "y")), Splice(3, 1, ())], False),
        ([LineEdit(3, 1, ())], [Splice(3, 1, ()), Splice(3, 1, ())], True),
    ],
)
def test_lines_are_deleted_late_if_a_sent_edit_deleted_them(
    now: list[LineEdit], splices: list[Splice], expected: bool
) -> None:
    sent = [LineEdit(3, 1, ()), LineEdit(8, 1, ("kept",))]
    assert is_late_deletion(sent, now, splices) is expected
    assert is_late_deletion(sent, now, [Splice(8, 1, ()), *splices]) is expected
