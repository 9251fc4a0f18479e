import os
import stat

import pytest

from twospeed.budget import consent
from twospeed.budget.consent import Consent, consent_path, read_consent, write_consent
from twospeed.config.paths import state_folder
from twospeed.errors import SettingsError
from twospeed.models.base import ProviderSettings

GROQ = ProviderSettings("groq", "chat", "https://api.groq.com/openai/v1", "GROQ_API_KEY")


def test_nothing_is_allowed_before_consent():
    assert not Consent().allows(GROQ)


def test_consent_is_for_one_provider():
    consent = Consent().with_provider(GROQ)
    assert consent.allows(GROQ)
    assert not consent.allows(ProviderSettings("xai", "chat", GROQ.base_url))


@pytest.mark.security("R2.6")
def test_consent_does_not_cover_another_address():
    consent = Consent().with_provider(GROQ)
    assert consent.allows(ProviderSettings("groq", "chat", "https://API.groq.com:443/v2"))
    assert not consent.allows(ProviderSettings("groq", "chat", "https://api.groq.com.evil.example/v1"))


@pytest.mark.security("R2.6")
def test_consent_to_notes_covers_their_text_and_keeps_other_consents(tmp_path):
    path = tmp_path / "consent.json"
    write_consent(path, Consent().with_provider(GROQ).with_notes("1a2b").with_notes("3c4d"))
    kept = read_consent(path)
    assert kept.allows(GROQ)
    assert kept.notes == {"1a2b", "3c4d"}


def test_a_file_without_notes_is_valid(tmp_path):
    path = tmp_path / "consent.json"
    path.write_text('{"format": 1, "origins": {"groq": "https://api.groq.com:443"}, "notes": "1a2b"}')
    assert read_consent(path).notes == frozenset()
    path.write_text('{"format": 1, "origins": {}}')
    assert read_consent(path) == Consent()


def test_a_written_consent_can_be_read(tmp_path):
    path = tmp_path / "state" / "consent.json"
    write_consent(path, Consent().with_provider(GROQ))
    assert read_consent(path).allows(GROQ)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="modes of Unix")
def test_the_consent_file_is_private(tmp_path):
    path = tmp_path / "state" / "consent.json"
    write_consent(path, Consent())
    path.chmod(0o644)
    write_consent(path, Consent())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"format": 2, "origins": {"groq": "https://api.groq.com:443"}}',
        '{"origins": {"groq": "https://api.groq.com:443"}}',
        '{"format": 1, "origins": ["groq"]}',
        '{"format": 1, "origins": {"groq": true}}',
        '{"format": 1, "origins": {"groq": "https://api.groq.com:443"}',
        "[" * 100_000,
    ],
)
def test_an_invalid_file_is_no_consent(tmp_path, text):
    path = tmp_path / "consent.json"
    path.write_text(text)
    assert read_consent(path) == Consent()


def test_a_missing_file_or_a_folder_is_no_consent(tmp_path):
    assert read_consent(tmp_path / "none.json") == Consent()
    assert read_consent(tmp_path) == Consent()


def test_a_failed_write_is_an_error_and_leaves_no_file(tmp_path):
    (tmp_path / "consent.json").mkdir()
    with pytest.raises(SettingsError, match=r"consent\.json: cannot be written: "):
        write_consent(tmp_path / "consent.json", Consent())
    assert list(tmp_path.iterdir()) == [tmp_path / "consent.json"]


def test_the_consent_file_is_in_the_state_folder():
    assert consent_path(state_folder()).parts[-2:] == ("twospeed", "consent.json")


def test_a_consent_file_can_be_replaced_and_a_missing_one_logs_nothing(tmp_path, caplog):
    path = tmp_path / "a" / "b" / "consent.json"
    assert read_consent(path) == Consent()
    assert caplog.records == []
    for digest in ("one", "two"):
        write_consent(path, Consent(notes=frozenset({digest})))
        assert read_consent(path) == Consent(notes=frozenset({digest}))
    assert [each.name for each in path.parent.iterdir()] == ["consent.json"]
    path.unlink()
    path.mkdir()
    assert read_consent(path) == Consent()
    assert len(caplog.records) == 1


def test_a_failed_write_names_the_reason_of_the_system(tmp_path):
    (tmp_path / "state").write_text("a file where the folder should be", "utf-8")
    with pytest.raises(SettingsError, match=r"cannot be written: file exists"):
        write_consent(tmp_path / "state" / "consent.json", Consent())


def test_a_failed_write_without_a_reason_is_an_unknown_error(tmp_path, monkeypatch):
    def fail(*_: object):
        raise OSError

    monkeypatch.setattr(consent, "replace_own_file", fail)
    with pytest.raises(SettingsError, match=r"cannot be written: unknown error"):
        write_consent(tmp_path / "consent.json", Consent())
