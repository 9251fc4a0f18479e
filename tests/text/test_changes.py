"""Changes compose, invert and map: the laws of the algebra, for texts in code points and in lines.

Each law is named after what it says, and holds for both grains: a case draws either.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.changing import LETTERS, LINES, Text, chains, change_sets, forks

from twospeed.text.changes import Assoc, ChangeSet, Deleted, Replacement


def changes(notation: str) -> ChangeSet[str]:
    """Read a change set: ``2 3:xy 4`` keeps two, replaces three by ``xy``, keeps four."""
    at, replacements = 0, []
    for part in notation.split():
        match = re.fullmatch(r"(\d+)(?::(.*))?", part)
        assert match, notation
        size, new = int(match[1]), match[2]
        if new is not None:
            replacements.append(Replacement(at, at + size, new))
        at += size
    return ChangeSet.of(at, replacements)


def notation_of(change_set: ChangeSet[str]) -> str:
    parts, at = [], 0
    for start, end, new in change_set.replacements:
        parts += [f"{start - at}", f"{end - start}:{new}"]
        at = end
    return " ".join(part for part in [*parts, f"{change_set.length - at}"] if part != "0")


# The laws.


@given(chains(2))
def test_composed_changes_do_what_one_after_the_other_does(case: tuple[Text, list[ChangeSet]]) -> None:
    old, (a, b) = case
    assert a.compose(b).apply(old) == b.apply(a.apply(old))
    assert (a.compose(b).length, a.compose(b).new_length) == (a.length, b.new_length)


@given(chains(3))
def test_composition_is_associative(case: tuple[Text, list[ChangeSet]]) -> None:
    _, (a, b, c) = case
    assert a.compose(b).compose(c) == a.compose(b.compose(c))


@given(chains(1))
def test_the_empty_change_set_is_the_identity_of_composition(case: tuple[Text, list[ChangeSet]]) -> None:
    old, (a,) = case
    before, after = ChangeSet.empty(a.length), ChangeSet.empty(a.new_length)
    assert before.compose(a) == a == a.compose(after)
    assert before.apply(old) == old
    assert not before


@given(chains(1))
def test_the_inverse_undoes(case: tuple[Text, list[ChangeSet]]) -> None:
    old, (a,) = case
    assert a.invert(old).apply(a.apply(old)) == old
    assert a.compose(a.invert(old)).apply(old) == old


@given(chains(1))
def test_the_inverse_of_the_inverse_is_the_change_set(case: tuple[Text, list[ChangeSet]]) -> None:
    old, (a,) = case
    assert a.invert(old).invert(a.apply(old)) == a


@given(chains(2))
def test_composed_changes_are_undone_in_turn(case: tuple[Text, list[ChangeSet]]) -> None:
    old, (a, b) = case
    middle = a.apply(old)
    backwards = b.invert(middle).compose(a.invert(old))
    assert backwards.apply(b.apply(middle)) == a.compose(b).invert(old).apply(b.apply(middle)) == old


@given(forks())
def test_changes_made_at_the_same_time_converge(case: tuple[Text, list[ChangeSet]]) -> None:
    old, (a, b) = case
    assert a.compose(b.map(a)).apply(old) == b.compose(a.map(b, before=True)).apply(old)
    assert a.compose(b.map(a)) == b.compose(a.map(b, before=True))
    assert a.compose(b.map(a, before=True)) == b.compose(a.map(b))


@given(forks(), st.data())
def test_mapping_an_insertion_over_a_change_and_an_insertion_is_mapping_it_over_both_at_once(
    case: tuple[Text, list[ChangeSet]], data: st.DataObject
) -> None:
    old, (_, b) = case
    new = LETTERS if isinstance(old, str) else LINES
    # Insertions only: a deletion of what stood between two insertions leaves nothing to tell their order by.
    a = data.draw(change_sets(old, new, deletes=False))
    c = data.draw(change_sets(b.apply(old), new, deletes=False))
    assert a.map(b).map(c) == a.map(b.compose(c))


@given(chains(1))
def test_mapping_over_nothing_changes_nothing_and_nothing_maps_to_nothing(
    case: tuple[Text, list[ChangeSet]],
) -> None:
    _, (a,) = case
    nothing = ChangeSet.empty(a.length)
    assert a.map(nothing) == a
    assert nothing.map(a) == ChangeSet.empty(a.new_length)


def sides(deletes: bool) -> st.SearchStrategy:
    return st.tuples(chains(2, deletes=deletes), st.sampled_from([-1, 1]))


@given(sides(deletes=True))
def test_mapped_positions_keep_their_order(case: tuple[tuple[Text, list[ChangeSet]], Assoc]) -> None:
    (_, (a, _)), assoc = case
    mapped = [a.map_position(position, assoc) for position in range(a.length + 1)]
    assert mapped == sorted(mapped)
    assert all(0 <= position <= a.new_length for position in mapped)


@given(chains(1))
def test_a_position_never_sticks_to_the_left_behind_where_it_sticks_to_the_right(
    case: tuple[Text, list[ChangeSet]],
) -> None:
    _, (a,) = case
    assert all(a.map_position(each, -1) <= a.map_position(each, 1) for each in range(a.length + 1))


@given(chains(1))
def test_what_is_kept_is_found_where_its_position_maps_to(case: tuple[Text, list[ChangeSet]]) -> None:
    old, (a,) = case
    new = a.apply(old)
    for position in range(a.length):
        after = a.map_unless_deleted(position, "after", 1)
        if after is not None:
            assert new[after] == old[position]
        before = a.map_unless_deleted(position + 1, "before", -1)
        if before is not None:
            assert new[before - 1] == old[position]


@given(chains(1))
def test_an_element_is_lost_exactly_where_it_was_replaced(case: tuple[Text, list[ChangeSet]]) -> None:
    _, (a,) = case
    replaced = {index for start, end, _ in a.replacements for index in range(start, end)}
    for position in range(a.length + 1):
        before, after = position - 1 in replaced, position in replaced
        lost: dict[Deleted, bool] = {"before": before, "after": after, "across": before and after}
        assert {name: a.map_unless_deleted(position, name) is None for name in lost} == lost


@given(sides(deletes=False))
def test_positions_map_through_insertions_as_through_their_composition(
    case: tuple[tuple[Text, list[ChangeSet]], Assoc],
) -> None:
    (_, (a, b)), assoc = case
    for position in range(a.length + 1):
        assert a.compose(b).map_position(position, assoc) == b.map_position(
            a.map_position(position, assoc), assoc
        )


@given(sides(deletes=True))
def test_positions_between_survivors_map_through_any_changes_as_through_their_composition(
    case: tuple[tuple[Text, list[ChangeSet]], Assoc],
) -> None:
    (_, (a, b)), assoc = case
    both = a.compose(b)
    for position in range(a.length + 1):
        lost: tuple[Deleted, Deleted] = ("before", "after")
        if None not in [both.map_unless_deleted(position, each) for each in lost]:
            assert both.map_position(position, assoc) == b.map_position(
                a.map_position(position, assoc), assoc
            )


@given(forks(1))
def test_positions_outside_of_changes_shift_by_the_difference_in_length(
    case: tuple[Text, list[ChangeSet]],
) -> None:
    _, (a,) = case
    first = a.replacements[0].start if a else a.length
    last = a.replacements[-1].end if a else 0
    assert all(a.map_position(position) == position for position in range(first))
    for position in range(last + 1, a.length + 1):
        assert a.map_position(position) == position + a.new_length - a.length


@given(forks(1))
def test_every_change_set_is_in_normal_form(case: tuple[Text, list[ChangeSet]]) -> None:
    _, (a,) = case
    assert all(start < end or new for start, end, new in a.replacements)
    assert all(before.end < after.start for before, after in itertools.pairwise(a.replacements))
    assert ChangeSet.of(a.length, a.replacements) == a


@given(chains(1), st.data())
def test_change_sets_of_pieces_are_those_of_the_whole(
    case: tuple[Text, list[ChangeSet]], data: st.DataObject
) -> None:
    _, (a,) = case
    pieces = []
    for start, end, new in a.replacements:
        cut_old, cut_new = data.draw(st.integers(start, end)), data.draw(st.integers(0, len(new)))
        pieces += [Replacement(start, cut_old, new[:cut_new]), Replacement(cut_old, end, new[cut_new:])]
    assert ChangeSet.of(a.length, pieces) == a


@given(chains(1))
def test_iterated_changes_name_the_same_text_on_both_sides(case: tuple[Text, list[ChangeSet]]) -> None:
    old, (a,) = case
    new = a.apply(old)
    at_old = at_new = 0
    for change in a.iter_changes():
        assert old[at_old : change.start_old] == new[at_new : change.start_new]
        assert new[change.start_new : change.end_new] == change.new
        at_old, at_new = change.end_old, change.end_new
    assert old[at_old:] == new[at_new:]


# Single cases, to be read.


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("2 0:xy 2", "2 2: 2", "4"),  # what is inserted and then deleted leaves nothing
        ("2 0:xy 2", "3 0:- 3", "2 0:x-y 2"),
        ("2 2: 2", "2 0:x 2", "2 2:x 2"),
        ("0:x 4", "1 0:y 4", "0:xy 4"),
        ("1 2:xyz 1", "0 3:- 2", "3:-z 1"),
        ("4", "1 1:x 2", "1 1:x 2"),
    ],
)
def test_two_changes_read_as_one(first: str, second: str, both: str) -> None:
    assert notation_of(changes(first).compose(changes(second))) == both


@pytest.mark.parametrize(
    ("change", "over", "mapped"),
    [
        ("2 0:x 2", "0:ab 4", "4 0:x 2"),
        ("2 0:x 2", "1 2: 1", "1 0:x 1"),  # inserted in what they delete: it stays
        ("1 2: 1", "1 2: 1", "2"),  # deleted by both: deleted once
        ("4:", "2 0:x 2", "2: 1 2:"),  # what they insert in what we delete stays
        ("2 0:x 2", "2 0:y 2", "3 0:x 2"),
    ],
)
def test_a_change_reads_as_its_author_meant_it_after_another(change: str, over: str, mapped: str) -> None:
    assert notation_of(changes(change).map(changes(over))) == mapped


def test_of_two_insertions_at_one_place_the_one_before_comes_first() -> None:
    a, b = changes("2 0:x 2"), changes("2 0:y 2")
    assert notation_of(a.map(b)) == "3 0:x 2"
    assert notation_of(a.map(b, before=True)) == "2 0:x 3"


@pytest.mark.parametrize(
    ("change", "position", "to_the_left", "to_the_right"),
    [
        ("2 0:xy 2", 2, 2, 4),
        ("2 0:xy 2", 1, 1, 1),
        ("2 0:xy 2", 3, 5, 5),
        ("1 2:xyz 1", 1, 1, 1),  # at the left edge of what was replaced
        ("1 2:xyz 1", 2, 1, 4),  # inside
        ("1 2:xyz 1", 3, 4, 4),  # at its right edge
        ("0:x 0", 0, 0, 1),
    ],
)
def test_a_position_maps_to(change: str, position: int, to_the_left: int, to_the_right: int) -> None:
    assert changes(change).map_position(position, -1) == to_the_left
    assert changes(change).map_position(position, 1) == to_the_right


WRONG: dict[str, Callable[[], object]] = {
    "replacement 3:5 does not fit into 0:4": lambda: ChangeSet.of(4, [Replacement(3, 5, "x")]),
    "replacement 1:3 does not fit into 2:4": lambda: ChangeSet.of(
        4, [Replacement(0, 2, ""), Replacement(1, 3, "")]
    ),
    "replacement 3:2 does not fit into 0:4": lambda: ChangeSet.of(4, [Replacement(3, 2, "")]),
    "replacement -1:2 does not fit into 0:4": lambda: ChangeSet.of(4, [Replacement(-1, 2, "")]),
    "position 5 is outside of 0:4": lambda: changes("4").map_position(5),
    "position -1 is outside of 0:4": lambda: changes("4").map_unless_deleted(-1, "after"),
    "made for a text of length 4, not 3": lambda: changes("4").apply("abc"),
    "made for a text of length 4, not 2": lambda: changes("4").invert("ab"),
    "made for a text of length 4, not 5": lambda: changes("4").map(changes("5")),
    "made for a text of length 6, not 4": lambda: changes("4 0:xy").compose(changes("4")),
}


@pytest.mark.parametrize("message", WRONG)
def test_a_number_that_does_not_fit_is_named(message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        WRONG[message]()


def test_a_change_set_of_nothing_is_false_and_equal_to_every_other() -> None:
    assert changes("4") == ChangeSet.of(4, [Replacement(2, 2, "")]) == ChangeSet.empty(4)
    assert not changes("4")
    assert changes("4 0:x")
