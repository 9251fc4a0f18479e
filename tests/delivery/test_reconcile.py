"""Recognition of our edits in a document with typing elsewhere."""

from __future__ import annotations

from twospeed.delivery.reconcile import typed_elsewhere
from twospeed.text.document import Splice
from twospeed.text.edits import LineEdit


def explained(edits: list[LineEdit], expected: str, document: str, *, base: str = "") -> list[Splice] | None:
    return typed_elsewhere(edits, base.split(), expected.split(), document.split())


def test_changes_clear_of_an_edit_were_typed() -> None:
    edit = LineEdit(1, 0, ("NEW",))
    assert explained([edit], "a NEW b c d e", "a NEW b c typed d end") == [
        Splice(4, 0, ("typed",)),
        Splice(6, 1, ("end",)),
    ]


def test_a_change_at_the_edge_of_an_edit_may_be_the_edit_itself() -> None:
    assert explained([LineEdit(1, 0, ("NEW",))], "a NEW b", "a NEW x b") is None


def test_a_line_typed_among_equal_lines_may_touch_an_edit_despite_typing_below() -> None:
    # The old text was "a gone - b c": the edit was to delete "gone", the user inserted a line above it.
    assert explained([LineEdit(1, 1)], "a - b c", "a - gone - b c") is None
    assert explained([LineEdit(1, 1)], "a - b c", "a - gone - b typed") is None


def test_a_line_deleted_among_equal_lines_may_touch_an_edit() -> None:
    assert explained([LineEdit(1, 0, ("NEW",))], "a NEW - - b c", "a NEW - b typed") is None
    assert explained([LineEdit(1, 0, ("NEW",))], "a NEW x - - b c", "a NEW x - b typed") is not None


def test_a_line_that_an_edit_removes_does_not_count_as_typed() -> None:
    # The edit was to delete "gone"; the user inserted a line above it that equals the one below it.
    edit = LineEdit(1, 1)
    assert explained([edit], "a - b c", "a - gone - b c", base="a gone - b c") is None
    assert explained([LineEdit(1, 2)], "a - b c", "a - x y - b c", base="a x y - b c") is None
    assert explained([edit], "a - b c", "a - b c typed", base="a gone - b c") == [Splice(4, 0, ("typed",))]


def test_a_line_that_an_edit_removes_does_not_count_as_typed_far_from_it() -> None:
    edit = LineEdit(1, 2, ("NEW",))
    base = "a gone too b c d e"
    for line in ("gone", "too"):
        assert explained([edit], "a NEW b c d e", f"a NEW b c d {line} e", base=base) is None
    for line in ("a", "b", "other"):
        typed = explained([edit], "a NEW b c d e", f"a NEW b c d {line} e", base=base)
        assert typed == [Splice(5, 0, (line,))]
