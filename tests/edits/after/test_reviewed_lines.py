"""Lines that a model review refers to are mapped to the current document."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from twospeed.edits.after.model_review import _LinePlaces
from twospeed.text.document import Splice


@pytest.mark.parametrize(
    ("splice", "expected"),
    [
        (Splice(0, 0, ("x",)), [3, 4, 5]),
        (Splice(1, 1, ()), [1, 2, 3]),
        (Splice(2, 0, ("x", "y")), [4, 5, 6]),
        (Splice(3, 0, ("x",)), [2, 4, 5]),
        (Splice(5, 0, ("x",)), [2, 3, 4]),
        (Splice(3, 1, ("x",)), [2, 3, 4]),
        (Splice(3, 1, ("x", "y")), [2, None, 5]),
        (Splice(2, 2, ("x",)), [None, None, 3]),
        (Splice(3, 2, ()), [2, None, None]),
    ],
)
def test_reviewed_lines_follow_typing(splice: Splice, expected: list[int | None]) -> None:
    channel = SimpleNamespace(add=lambda *_, **__: None)
    place = SimpleNamespace(scopes=None)
    edit = SimpleNamespace(live=SimpleNamespace(start=2, end=5), channel=channel, place=place)
    places = _LinePlaces(cast("Any", edit))
    assert places.lines == [2, 3, 4]
    places.follow(splice)
    assert places.lines == expected
    places.follow(Splice(0, 0, ("above",)))
    assert places.lines == [None if at is None else at + 1 for at in expected]
