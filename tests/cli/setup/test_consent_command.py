"""``twospeed consent``: what the user agreed to is listed and taken back."""

from __future__ import annotations

import pytest

from twospeed.budget.consent import Consent, consent_path, read_consent, write_consent
from twospeed.cli.exits import BAD_INPUT, OK
from twospeed.cli.main import main
from twospeed.config.paths import state_folder

AGREED = Consent({"groq": "https://api.groq.com", "openai": "https://api.openai.com"}, frozenset({"a" * 64}))


def agree() -> None:
    write_consent(consent_path(state_folder()), AGREED)


def kept() -> Consent:
    return read_consent(consent_path(state_folder()))


def test_list_names_providers_with_their_addresses_and_counts_notes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    agree()
    assert main(["consent", "list"]) == OK
    assert capsys.readouterr().out.splitlines() == [
        "groq    https://api.groq.com",
        "openai  https://api.openai.com",
        "project notes: 1 text",
        f"kept in {consent_path(state_folder())}",
    ]


def test_list_before_any_consent_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["consent", "list"]) == OK
    assert capsys.readouterr().out.startswith("you agreed to nothing yet\n")
    assert not consent_path(state_folder()).exists()


def test_revoke_of_a_provider_keeps_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    agree()
    assert main(["consent", "revoke", "groq"]) == OK
    assert kept() == Consent({"openai": "https://api.openai.com"}, AGREED.notes)
    assert "you no longer agree to groq" in capsys.readouterr().out


def test_revoke_of_notes_keeps_the_providers() -> None:
    agree()
    assert main(["consent", "revoke", "--notes"]) == OK
    assert kept() == Consent(AGREED.origins)


def test_revoke_without_a_name_takes_everything_back() -> None:
    agree()
    assert main(["consent", "revoke"]) == OK
    assert kept() == Consent()


@pytest.mark.parametrize("arguments", [["xai"], ["groq", "--notes"]])
def test_revoke_of_what_was_not_agreed_is_bad_input(arguments: list[str]) -> None:
    agree()
    assert main(["consent", "revoke", *arguments]) == BAD_INPUT
    assert kept() == AGREED
