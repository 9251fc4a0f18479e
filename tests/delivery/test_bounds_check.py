"""The bounds check of edits, at the first and last line and column of a document."""

from __future__ import annotations

from dataclasses import replace

import pytest

from twospeed.delivery.bounds_check import EditOutOfBounds, check_document, check_edits
from twospeed.text.document import Document
from twospeed.text.edits import TextEdit
from twospeed.text.positions import Position, Range

OPEN_ENDED = Document.opened("file:///a.py", 3, "python", "one\ntwo\nthree", "utf-16")
ENDED = Document.opened("file:///a.py", 3, "python", "one\ntwo\nthree\n", "utf-16")
ONE_LINE = Document.opened("file:///a.py", 3, "python", "one", "utf-16")


def passes(document: Document, lines: tuple[int, int], *places: tuple[int, int, int, int]) -> bool:
    edits = [TextEdit(Range(Position(*place[:2]), Position(*place[2:])), "x") for place in places]
    try:
        check_edits(edits, [document.editable_range(*lines)])
    except EditOutOfBounds:
        return False
    return True


@pytest.mark.parametrize(
    ("document", "lines", "place", "expected"),
    [
        (OPEN_ENDED, (0, 1), (0, 0, 1, 0), True),
        (OPEN_ENDED, (0, 1), (0, 0, 1, 1), False),
        (OPEN_ENDED, (1, 2), (0, 3, 1, 0), False),
        (OPEN_ENDED, (1, 2), (1, 0, 2, 0), True),
        (OPEN_ENDED, (2, 3), (1, 3, 2, 5), True),
        (OPEN_ENDED, (2, 3), (1, 2, 2, 5), False),
        (OPEN_ENDED, (1, 3), (0, 3, 2, 5), True),
        (OPEN_ENDED, (1, 3), (0, 2, 2, 5), False),
        (OPEN_ENDED, (2, 3), (2, 5, 2, 6), False),
        (OPEN_ENDED, (2, 2), (2, 0, 2, 0), True),
        (OPEN_ENDED, (2, 2), (1, 3, 2, 0), False),
        (OPEN_ENDED, (0, 3), (0, 0, 2, 5), True),
        (ENDED, (2, 3), (2, 0, 3, 0), True),
        (ENDED, (2, 3), (1, 3, 3, 0), False),
        (ENDED, (3, 4), (2, 5, 3, 0), True),
        (ENDED, (3, 4), (2, 4, 3, 0), False),
        (ONE_LINE, (0, 1), (0, 0, 0, 3), True),
        (ONE_LINE, (0, 1), (0, 0, 0, 4), False),
        (ONE_LINE, (1, 1), (0, 3, 0, 3), True),
        (ONE_LINE, (1, 1), (0, 2, 0, 3), False),
    ],
)
def test_an_edit_stays_within_its_lines(
    document: Document, lines: tuple[int, int], place: tuple[int, int, int, int], expected: bool
) -> None:
    assert passes(document, lines, place) is expected


def test_edits_may_touch_and_not_overlap() -> None:
    assert passes(OPEN_ENDED, (0, 2), (0, 0, 0, 2), (0, 2, 1, 0))
    assert not passes(OPEN_ENDED, (0, 2), (0, 0, 0, 2), (0, 1, 1, 0))
    assert not passes(OPEN_ENDED, (0, 2), (1, 0, 1, 1), (0, 0, 0, 1))


@pytest.mark.parametrize(
    "other",
    [
        Document.opened("file:///b.py", 3, "python", "one\ntwo\nthree", "utf-16"),
        Document.opened("file:///a.py", 4, "python", "one\ntwo\nthree", "utf-16"),
        Document.opened("file:///a.py", 3, "python", "one\ntwo\nfour", "utf-16"),
    ],
    ids=["address", "version", "text"],
)
def test_an_edit_of_another_document_does_not_pass(other: Document) -> None:
    check_document(OPEN_ENDED, OPEN_ENDED)
    check_document(replace(OPEN_ENDED), OPEN_ENDED)
    with pytest.raises(EditOutOfBounds, match="another"):
        check_document(other, OPEN_ENDED)
