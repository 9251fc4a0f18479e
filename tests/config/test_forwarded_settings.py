"""Limits of settings that an editor forwards, and the reasons why consent is not stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from twospeed.budget import consent
from twospeed.budget.consent import Consent, write_consent
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
def test_more_values_than_a_person_writes_are_refused_unread(value: object) -> None:
    with pytest.raises(SettingsError, match="holds more than 10,000 values"):
        read(value)


def test_as_many_values_as_are_allowed_are_checked() -> None:
    with pytest.raises(SettingsError, match="must have at most 1000 entries"):
        read({"ignore": ["a"] * (MAX_VALUES - 1)})


def test_the_system_says_why_a_consent_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be", "utf-8")
    with pytest.raises(SettingsError, match=r"cannot be written: file exists"):
        write_consent(tmp_path / "state" / "consent.json", Consent())


def test_an_error_without_words_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(consent, "_replace", fail)
    with pytest.raises(SettingsError, match=r"cannot be written: unknown error"):
        write_consent(tmp_path / "consent.json", Consent())
