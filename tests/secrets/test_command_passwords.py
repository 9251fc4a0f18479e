"""A password in a command is found in its line, as a shell parses it."""

from __future__ import annotations

import pytest

from twospeed.secrets.search import mask_secrets


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("curl https://x/y -u me:hunter22", "curl https://x/y -u me:***"),
        ("curl https://x/y \\\n  -u me:hunter22", "curl https://x/y \\\n  -u me:***"),
        ("curl https://x/y\necho -u me:hunter22", "curl https://x/y\necho -u me:hunter22"),
        ("mysql -h db -phunter22 shop", "mysql -h db -p*** shop"),
        ("docker login -u me -p hunter22 reg", "docker login -u me -p *** reg"),
        ("redis-cli -h x -a hunter22\nredis-cli -a other333", "redis-cli -h x -a ***\nredis-cli -a ***"),
    ],
)
def test_a_password_of_a_command_is_masked(command: str, expected: str) -> None:
    assert mask_secrets(f"{command}\n") == f"{expected}\n"


def test_a_value_compared_with_a_password_is_masked() -> None:
    for head in ("", "= ", "if ", "a = b = "):
        assert mask_secrets(f'{head}"xK9mQ2vLpp" == password') == f'{head}"***" == password'
