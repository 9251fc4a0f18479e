"""Every small case of the text room has the recorded result."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.text.small_cases import FILE, GROUPS, Cases, rows


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_every_small_case_has_its_recorded_result(group: Callable[[], Cases]) -> None:
    """``python -m tests.text.small_cases NAME`` prints the cases of a row."""
    recorded = FILE.read_text("utf-8").splitlines()
    assert list(rows([group])) == [row for row in recorded if row.startswith(f"{group.__name__}-")]
