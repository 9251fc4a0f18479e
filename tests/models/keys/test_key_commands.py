"""A command of the user's config prints the key of a provider."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from twospeed.errors import SettingsError
from twospeed.models.base import ProviderSettings
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.models.keys.key_commands import VALID_S, KeyCommands
from twospeed.models.keys.key_store import KeyStore
from twospeed.models.keys.secret import key_header

pytestmark = pytest.mark.usefixtures("any_process")  # each test names its command

KEY = "printed-0123456789abcdef"


def lab(*command: str, base_url: str = "https://lab.example/v1") -> ProviderSettings:
    return ProviderSettings("lab", "chat", base_url, key_command=command)


def printing(code: str) -> ProviderSettings:
    return lab(sys.executable, "-c", code)


async def test_a_command_prints_the_key() -> None:
    provider, keys = printing(f"print('{KEY}')"), KeyStore({})
    assert keys.needs_query(provider)
    assert not keys.has_key(provider)
    await keys.look_up([provider])
    assert not keys.needs_query(provider)
    assert keys.obstacle(provider) is None
    assert keys.key_location(provider) == f"{sys.executable} printed a key for lab"
    key = keys.key_of(provider)
    assert key_header(key, provider.endpoint.origin) == {"Authorization": f"Bearer {KEY}"}


@pytest.mark.security("R2.1")
async def test_a_printed_key_goes_to_its_own_origin_and_is_not_shown() -> None:
    provider, keys = printing(f"print('{KEY}')"), KeyStore({})
    await keys.look_up([provider])
    key = keys.key_of(provider)
    assert key
    assert key.origins == {provider.endpoint.origin}
    assert KEY not in f"{key} {key!r} {keys.key_location(provider)}"
    assert key_header(key, parse_endpoint("http://127.0.0.1:1").origin) == {}
    assert keys.name_of_key_in(f"my key is {KEY}", [provider]) == "key_command of lab"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise SystemExit(3)", "failed with status 3"),
        ("pass", "printed nothing"),
        ("print('x' * 100_000)", "printed more than a key"),
    ],
)
async def test_a_command_that_prints_no_key_is_named(code: str, words: str) -> None:
    provider, keys = printing(code), KeyStore({})
    await keys.look_up([provider])
    assert keys.obstacle(provider) == f"key_command: {sys.executable} {words}"
    with pytest.raises(SettingsError, match=words):
        keys.key_of(provider)


async def test_a_missing_program_is_named() -> None:
    provider, keys = lab("no-such-program-here"), KeyStore({"PATH": ""})
    await keys.look_up([provider])
    assert keys.obstacle(provider) == "key_command: there is no program no-such-program-here"


async def test_what_is_no_key_is_refused_without_being_shown() -> None:
    provider, keys = printing("print('please log in first')"), KeyStore({})
    await keys.look_up([provider])
    with pytest.raises(SettingsError) as caught:
        keys.key_of(provider)
    assert "log in" not in str(caught.value)


@pytest.mark.security("R2.1")
async def test_a_command_runs_without_a_shell_a_terminal_or_the_keys_of_other_providers(
    tmp_path: Path,
) -> None:
    code = (
        "import os, sys; print(sys.argv[1], sys.stdin.read() == '', 'OPENAI_API_KEY' in os.environ, sep='-')"
    )
    provider = lab(sys.executable, "-c", code, f"$HOME;touch${{IFS}}{tmp_path}/x")
    keys = KeyStore({"OPENAI_API_KEY": "openai-0123456789abcdef"})
    await keys.look_up([provider])
    key = keys.key_of(provider)
    assert key
    assert key.reveal() == f"$HOME;touch${{IFS}}{tmp_path}/x-True-False"
    assert not (tmp_path / "x").exists()


async def test_a_command_runs_once_for_edits_that_follow_and_again_when_its_key_may_have_expired(
    tmp_path: Path,
) -> None:
    now = 0.0
    runs = tmp_path / "runs"
    commands = KeyCommands({}, now=lambda: now)
    provider = printing(f"print('{KEY}'); open({str(runs)!r}, 'a').write('x')")
    for _ in range(3):
        await commands.run([provider, provider])
    assert runs.read_text() == "x"
    now = VALID_S + 1
    assert commands.is_due(provider)
    assert commands.get(provider).key == KEY
    await commands.run([provider])
    assert runs.read_text() == "xx"
