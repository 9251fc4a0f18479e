"""What is found in answers, versions, selections and windows equals the record."""

from __future__ import annotations

import pytest
from tests.syntax.recorded_answers import RECORDS, recorded


@pytest.mark.parametrize("name", RECORDS)
def test_what_is_found_is_what_is_on_record(name: str) -> None:
    assert "\n".join(RECORDS[name]()).split("\n") == recorded(name)
