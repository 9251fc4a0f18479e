"""Every small case of the text room has the result that is on record."""

from __future__ import annotations

from tests.text.small_cases import FILE, rows


def test_every_small_case_has_the_result_that_is_on_record() -> None:
    """``python -m tests.text.small_cases NAME`` prints the cases of a row."""
    assert list(rows()) == FILE.read_text("utf-8").splitlines()
