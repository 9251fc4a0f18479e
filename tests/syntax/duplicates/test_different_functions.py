"""Functions that differ in a bound, a string value or a summand are not duplicates."""

from __future__ import annotations

import pytest
from tests.syntax.duplicates.test_duplicate_functions import mark

from twospeed.syntax.duplicates.duplicate_functions import is_duplicate

BODY = """\
def work(items, others, size, width):
    found = []
    for number in range({bound}):
        if items[number] > size:
            found.append({text})
            size = size * 2 - width
    return sorted(found, reverse=True)
"""


def work(*, bound: str = "size", text: str = '"none"') -> str:
    return BODY.format(bound=bound, text=text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (work(bound="7"), work(bound="8")),
        (work(bound="7"), work(bound="size.rows")),
        (work(text='f"{items.rows()}"'), work(text='f"{items.columns()}"')),
        (work(text='"a" f"{items.rows()}"'), work(text='"a" f"{items.columns()}"')),
    ],
    ids=[
        "another number",
        "an attribute",
        "another value in a string",
        "another value in one of two strings",
    ],
)
def test_different_functions_are_no_duplicates(one: str, other: str) -> None:
    assert is_duplicate(mark(one), mark(one))
    assert not is_duplicate(mark(one), mark(other))
