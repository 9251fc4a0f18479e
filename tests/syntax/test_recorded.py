"""What is found in sources of every language equals the record, to the line and the column."""

from __future__ import annotations

import pytest
from tests.syntax.recorded import FOLDER, LANGUAGES, found_in


@pytest.mark.parametrize("language_id", LANGUAGES)
def test_what_is_found_is_what_is_on_record(language_id: str) -> None:
    assert found_in(language_id) == (FOLDER / f"{language_id}.found").read_text("utf-8").split("\n")[:-1]
