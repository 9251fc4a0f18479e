"""What is taken for a secret is what is on record, to the character."""

from __future__ import annotations

import pytest
from tests.secrets.secrets_on_record import RECORDS, recorded


@pytest.mark.parametrize("name", RECORDS)
def test_what_is_taken_for_a_secret_is_what_is_on_record(name: str) -> None:
    assert RECORDS[name]() == recorded(name)
