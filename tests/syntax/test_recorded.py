"""The results for sources of every language equal the record, to the line and the column."""

from __future__ import annotations

import pytest
from tests.syntax.recorded import FOLDER, LANGUAGES, found_in


@pytest.mark.parametrize("language_id", LANGUAGES)
def test_the_results_for_a_language_equal_its_record(language_id: str) -> None:
    assert found_in(language_id) == (FOLDER / f"{language_id}.found").read_text("utf-8").split("\n")[:-1]
