"""``[prices.PROVIDER.MODEL]``: the prices of tokens that the user configures."""

from __future__ import annotations

from pathlib import Path

import pytest

from twospeed.config.load import parse_settings
from twospeed.config.settings import Settings
from twospeed.errors import SettingsError
from twospeed.models.base import Price, ProviderSettings

PATH = Path("/home/me/config.toml")
KNOWN = {"openai": ProviderSettings("openai", "chat", "https://api.openai.com/v1", "OPENAI_API_KEY")}


def parsed(text: str) -> Settings:
    return parse_settings(text, path=PATH, known=KNOWN)


def test_a_price_belongs_to_a_model_at_a_provider() -> None:
    settings = parsed(
        '[prices.openai."gpt-6.1-sol"]\ninput = 2\noutput = 8.5\ncached_input = 0\n'
        "[prices.openai.gpt-6-luna]\ninput = 0.1\noutput = 0.4\ncache_write = 0.125\n"
    )
    assert settings.prices == {
        ("openai", "gpt-6.1-sol"): Price(2.0, 8.5, cached_input=0.0),
        ("openai", "gpt-6-luna"): Price(0.1, 0.4, cache_write=0.125),
    }


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ("input = 1", 1, "prices.openai.m.output", "is missing"),
        ("input = 1\noutput = -1", 3, "prices.openai.m.output", "must be at least 0"),
        ("input = 1\noutput = nan", 3, "prices.openai.m.output", "must be a finite number"),
        ('input = "1"\noutput = 2', 2, "prices.openai.m.input", "must be a number"),
        ("input = 1\noutput = 2\ncached = 1", 4, "prices.openai.m.cached", 'did you mean "cached_input"?'),
    ],
)
def test_an_invalid_price_is_an_error_with_line_and_key(text: str, line: int, key: str, words: str) -> None:
    with pytest.raises(SettingsError, match=f"{PATH}:{line}: {key}") as caught:
        parsed(f"[prices.openai.m]\n{text}\n")
    assert words in str(caught.value)


def test_an_unknown_provider_is_an_error() -> None:
    with pytest.raises(SettingsError, match=r":1: prices.opena.*did you mean \"openai\"\?"):
        parsed("[prices.opena.m]\ninput = 1\noutput = 1\n")


def test_a_model_name_with_dots_needs_quotes() -> None:
    with pytest.raises(SettingsError, match=r"prices\.openai\.gpt-6.*put a name with dots in quotes"):
        parsed("[prices.openai.gpt-6.1-sol]\ninput = 1\noutput = 1\n")


def test_a_repository_cannot_set_prices(tmp_path: Path) -> None:
    from twospeed.config.layers import read_workspace_layer  # noqa: PLC0415

    (tmp_path / ".twospeed.toml").write_text("[prices.openai.m]\ninput = 1\noutput = 1\n")
    with pytest.raises(SettingsError, match="prices"):
        read_workspace_layer(tmp_path, config_path=PATH)
