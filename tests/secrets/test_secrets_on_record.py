"""Detected secrets equal the record, to the character."""

from __future__ import annotations

import pytest
from tests.secrets.secrets_on_record import RECORDS, recorded


@pytest.mark.parametrize("name", RECORDS)
def test_detected_secrets_equal_the_record(name: str) -> None:
    assert RECORDS[name]() == recorded(name)
