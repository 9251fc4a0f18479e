"""Limits of settings that an editor forwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from twospeed.config.layers import MAX_VALUES, read_editor_layer
from twospeed.errors import SettingsError


def read(value: object) -> None:
    read_editor_layer(value, name="initializationOptions", config_path=Path("/home/me/config.toml"))


@pytest.mark.security("R11")
@pytest.mark.parametrize(
    "value",
    [
        {"ignore": ["a"] * MAX_VALUES},
        {"limits": {str(number): number for number in range(MAX_VALUES)}},
        {"ignore": [["a"] * 100 for _ in range(100)]},
        {"gate": {"a": {"b": ["c"] * MAX_VALUES}}},
    ],
    ids=["a list", "a table", "lists in a list", "deep down"],
)
def test_settings_with_too_many_values_are_refused_unvalidated(value: object) -> None:
    with pytest.raises(SettingsError, match="holds more than 10,000 values"):
        read(value)


def test_settings_within_the_limit_of_values_are_validated() -> None:
    with pytest.raises(SettingsError, match="must have at most 1000 entries"):
        read({"ignore": ["a"] * (MAX_VALUES - 1)})


def test_nested_values_count_for_the_limit() -> None:
    # The list fills the limit, and the content of its last entry exceeds it.
    full: list[object] = ["a"] * (MAX_VALUES - 1)
    for entry, words in ((["b"], "holds more than 10,000 values"), ([], "must have at most 1000 entries")):
        with pytest.raises(SettingsError, match=words):
            read({"ignore": [*full[:-1], entry]})
