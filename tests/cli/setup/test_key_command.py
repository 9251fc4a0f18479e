"""``twospeed key``: keys are stored in the keyring, and neither printed nor taken from an argument."""

from __future__ import annotations

import getpass
import io
from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from tests.models.keyring_backend import Kept

from twospeed.cli.exits import BAD_INPUT, FAILED, OK
from twospeed.cli.main import main

KEY = "sk-test-0123456789abcdef"


class Quoting(Kept):
    """A keyring whose errors contain the key."""

    def set_password(self, service: str, username: str, password: str) -> None:
        raise ValueError(f"cannot store {password}")


@pytest.fixture
def kept() -> Iterator[Kept]:
    before = keyring.get_keyring()
    backend = Kept()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


def type_key(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_set_stores_the_key_of_stdin_for_the_provider(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_key(monkeypatch, f"{KEY}\n")
    assert main(["key", "set", "openai"]) == OK
    assert kept.entries == {("twospeed", "openai"): KEY}
    assert capsys.readouterr().out == "stored the key for openai in Test Keyring\n"


def test_set_at_a_terminal_reads_without_showing(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    prompts: list[str] = []

    def read(prompt: str) -> str:
        prompts.append(prompt)
        return KEY

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr(getpass, "getpass", read)
    assert main(["key", "set", "openai"]) == OK
    assert kept.entries == {("twospeed", "openai"): KEY}
    assert prompts == ["Key for openai (not shown): "]


def test_set_refuses_a_terminal_that_shows_the_key(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def read(_prompt: str) -> str:
        import warnings  # noqa: PLC0415

        warnings.warn("Can not control echo on the terminal.", getpass.GetPassWarning, stacklevel=2)
        return KEY

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr(getpass, "getpass", read)
    assert main(["key", "set", "openai"]) == BAD_INPUT
    assert "would show the key" in capsys.readouterr().err
    assert kept.entries == {}


def test_a_key_is_not_accepted_as_an_argument(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=str(BAD_INPUT)):
        main(["key", "set", "openai", "sk"])
    assert kept.entries == {}


@pytest.mark.parametrize(
    ("provider", "text", "complaint"),
    [
        ("opnai", KEY, 'did you mean "openai"?'),
        ("ollama", KEY, "needs no key"),
        ("openai", " \n", "is empty"),
        ("openai", "two words", "holds a character that no key has"),
    ],
)
def test_set_explains_what_it_does_not_store(
    kept: Kept,
    provider: str,
    text: str,
    complaint: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    type_key(monkeypatch, text)
    assert main(["key", "set", provider]) == BAD_INPUT
    assert complaint in capsys.readouterr().err
    assert kept.entries == {}


def test_set_says_that_the_environment_is_used_first(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other-0123456789abcdef")
    type_key(monkeypatch, KEY)
    assert main(["key", "set", "openai"]) == OK
    assert "OPENAI_API_KEY is set too, and is used first" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("backend", "complaint"),
    [
        (fail.Keyring(), "the system has no keyring; nothing was stored"),
        (null.Keyring(), "does not keep keys; nothing was stored"),
        (Quoting(), "the keyring failed with ValueError; nothing was stored"),
    ],
    ids=["none", "null", "failing"],
)
def test_set_without_a_usable_keyring_names_the_variable(
    kept: Kept,
    backend: KeyringBackend,
    complaint: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    keyring.set_keyring(backend)
    type_key(monkeypatch, KEY)
    assert main(["key", "set", "openai"]) == FAILED
    said = capsys.readouterr()
    assert complaint in said.err
    assert "or set OPENAI_API_KEY instead" in said.err
    assert KEY not in said.out + said.err


def test_remove_deletes_the_entry_once(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    kept.entries["twospeed", "openai"] = KEY
    assert main(["key", "remove", "openai"]) == OK
    assert kept.entries == {}
    assert main(["key", "remove", "openai"]) == BAD_INPUT
    said = capsys.readouterr()
    assert said.out == "removed the key for openai\n"
    assert "the keyring has no key for openai" in said.err


def test_list_shows_where_keys_are_and_no_key(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept.entries["twospeed", "openai"] = KEY
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    assert main(["key", "list"]) == OK
    out = capsys.readouterr().out
    lines = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert lines["openai"] == "The keyring has a key for openai"
    assert lines["groq"] == "GROQ_API_KEY is set"
    assert lines["xai"] == "no key in XAI_API_KEY or the keyring"
    assert lines["ollama"] == "needs no key"
    assert KEY not in out
