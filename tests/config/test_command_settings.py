"""``[format]`` and ``[verify]``: commands of the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from twospeed.config.load import parse_settings
from twospeed.config.settings import Settings
from twospeed.errors import SettingsError

PATH = Path("/home/me/config.toml")


def parsed(text: str) -> Settings:
    return parse_settings(text, path=PATH, known={})


def test_commands_are_read_by_language() -> None:
    settings = parsed(
        '[format]\npython = ["ruff", "format", "-"]\ngolang = ["gofmt"]\n'
        '[verify]\nseconds = 30\n[verify.commands.py]\ntest = ["pytest", "{file}"]\n'
    )
    assert settings.formatters == {"python": ("ruff", "format", "-"), "go": ("gofmt",)}
    assert settings.verify_commands == {"python": {"test": ("pytest", "{file}")}}
    assert settings.verify_s == 30


def test_a_tilde_in_a_program_is_the_home_folder(home: Path) -> None:
    assert parsed('[format]\ngo = ["~/bin/gofmt"]\n').formatters["go"] == (str(home / "bin/gofmt"),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[format]\ngo = "gofmt"', "2: format.go: must be a list"),
        ("[format]\ngo = []", "2: format.go: must not be empty"),
        ('[format]\ngo = ["a", 1]', "2: format.go[1]: must be a string"),
        ('[format]\ngo = ["a\\n"]', "2: format.go[0]: must be one line without control characters"),
        ("[verify]\nseconds = 0", "2: verify.seconds: must be more than 0"),
        ("[verify]\ncommand = 1", '2: verify.command: unknown key; did you mean "commands"?'),
    ],
)
def test_an_error_names_the_place(text: str, expected: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parsed(text)
    assert str(raised.value) == f"{PATH}:{expected}"


@pytest.mark.security("R2.4")
@pytest.mark.parametrize("program", ["node_modules/.bin/prettier", "./black", "../x", "bin/ruff"])
def test_a_program_in_a_relative_folder_is_refused(program: str) -> None:
    for table in ("[format]\ngo", "[verify.commands.go]\ntest"):
        with pytest.raises(SettingsError, match="must begin with the name of a program on PATH"):
            parsed(f'{table} = ["{program}"]\n')
