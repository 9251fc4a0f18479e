"""The results for answers, versions, selections and windows equal the record."""

from __future__ import annotations

import pytest
from tests.syntax.recorded_answers import RECORDS, recorded


@pytest.mark.parametrize("name", RECORDS)
def test_the_results_of_a_function_equal_its_record(name: str) -> None:
    assert "\n".join(RECORDS[name]()).split("\n") == recorded(name)
