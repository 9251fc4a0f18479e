"""``api = "llama"``: a GGUF file in place of an address."""

from __future__ import annotations

from pathlib import Path

import pytest

from twospeed.config.load import parse_settings
from twospeed.config.settings import Settings
from twospeed.errors import SettingsError

PATH = Path("/home/me/config.toml")
MINE = '[providers.mine]\napi = "llama"\ngguf = "/models/tiny.gguf"\n'
LANE = '[[lanes.lightning]]\nprovider = "mine"\nmodel = "tiny"\n'


def parsed(text: str) -> Settings:
    return parse_settings(text, path=PATH, known={})


def test_a_gguf_file_serves_a_lane_on_this_machine() -> None:
    settings = parsed(MINE + LANE)
    mine = settings.providers["mine"]
    assert (mine.api, mine.gguf, mine.context_tokens) == ("llama", "/models/tiny.gguf", 32768)
    assert not settings.lanes["lightning"][0].is_cloud
    assert settings.lanes["lightning"][0].window_tokens == 32768


def test_a_tilde_in_the_path_is_the_home_folder(home: Path) -> None:
    mine = parsed(MINE.replace("/models", "~/models")).providers["mine"]
    assert mine.gguf == str(home / "models/tiny.gguf")


def test_the_context_window_can_be_set() -> None:
    assert parsed(MINE + "context_tokens = 4096\n").providers["mine"].context_tokens == 4096


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[providers.mine]\napi = "llama"\n', "1: providers.mine.gguf: is missing"),
        (MINE.replace("/models/", ""), "3: providers.mine.gguf: must be the absolute path of a GGUF file"),
        (
            MINE.replace("/models/", "~nobody-here/"),
            "3: providers.mine.gguf: must be the absolute path of a GGUF file",
        ),
        (
            MINE + 'base_url = "http://127.0.0.1:8080/v1"\n',
            '4: providers.mine.base_url: is not allowed for api = "llama", whose server chooses its own address',
        ),
        (MINE + "context_tokens = 0\n", "4: providers.mine.context_tokens: must be more than 0"),
        ('[providers.lab]\napi = "chat"\n', "1: providers.lab.base_url: is missing"),
        (
            MINE.replace("llama", "chat") + 'base_url = "http://127.0.0.1:8080/v1"\n',
            '3: providers.mine.gguf: is only for api = "llama"',
        ),
    ],
)
def test_an_invalid_key_is_an_error_with_its_reason(text: str, expected: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parsed(text)
    assert str(caught.value) == f"{PATH}:{expected}"
