"""Places of a document in the output of a command."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from twospeed.edits.after.command_findings import MAX_PLACES, places_in

PATH = PurePosixPath("/home/me/project/src/shop.py")


@pytest.mark.parametrize(
    "output",
    [
        "/home/me/project/src/shop.py:12: error",
        "src/shop.py:12:5: E1 wrong",
        "shop.py:12",
        '  File "/home/me/project/src/shop.py", line 12, in total',
        "  --> src/shop.py:12:5",
        "src/shop.py(12,5): error TS1",
        "FAILED (src/shop.py:12)",
    ],
)
def test_a_place_of_the_document_is_found(output: str) -> None:
    assert list(places_in(f"first\n{output}\nlast", PATH)) == [(11, output.strip())]


@pytest.mark.parametrize(
    "output",
    [
        "my_shop.py:12",
        "lib/shop.py:12",
        "/other/src/shop.py:12",
        "shop.py: 12",
        "shop.py:0",
        "shop.pyi:12",
        "shop.py",
    ],
)
def test_a_place_elsewhere_is_not(output: str) -> None:
    assert list(places_in(output, PATH)) == []


def test_only_the_first_places_of_a_long_output_are_read() -> None:
    output = "shop.py:1 " * 50_000 + "\n" + "x" * 500_000
    assert len(list(places_in(output, PATH))) == MAX_PLACES
