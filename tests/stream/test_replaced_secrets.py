"""A secret with a replacement may be removed; one that the model lost may not."""

from __future__ import annotations

import pytest
from tests.security.key_formats import CANARIES

from twospeed.secrets.placeholders import Placeholders
from twospeed.stream import EditStream, Surroundings
from twospeed.stream.restored_secrets import LOST

KEY = CANARIES["github"]
WORD = "3fa09c17"

REPLACED = {
    "a call": (f'TOKEN = "{KEY}"\nlimit = 3', 'TOKEN = os.environ["TOKEN"]\nlimit = 3'),
    "a constant by a function": (
        f'const TOKEN: &str = "{KEY}";',
        'fn token() -> String {\n    env::var("TOKEN").unwrap()\n}',
    ),
    "an interpolation": (f"db:\n  token: {KEY}\n  user: ada", "db:\n  token: ${TOKEN}\n  user: ada"),
    "an interpolation in quotes": (f'token = "{KEY}"', 'token = "${var.token}"'),
    "an argument": (f'open("{KEY}", 3)\nsend()', "open(settings.key, 3)\nsend()"),
    "an entry of an object": (
        f'const options = {{\n  user: "ada",\n  token: "{KEY}",\n}};',
        'const options = {\n  user: "ada",\n  token: process.env.TOKEN,\n};',
    ),
    "a file to read": (
        f'key="{KEY}"\ncurl "$url"',
        'key=$(cat "$HOME/.key")\ncurl "$url"',
    ),
}

FORGOTTEN = {
    "the line": (f'TOKEN = "{KEY}"\nlimit = 3', "limit = 3"),
    "the line, beside another that changed": (
        f'token = "{KEY}"\nclient = Client(token)',
        "client = Client(token, retries=3)",
    ),
    "the value": (f'TOKEN = "{KEY}"\nlimit = 3', 'TOKEN = ""\nlimit = 3'),
    "the value, for a word": (f'TOKEN = "{KEY}"\nlimit = 3', 'TOKEN = "your-token-here"\nlimit = 3'),
    "the value, for a mask": (f'TOKEN = "{KEY}"\nlimit = 3', 'TOKEN = "***"\nlimit = 3'),
    "the value of a key": (f"db:\n  token: {KEY}", "db:\n  token: changeme"),
    "one place of two": (
        f'token = "{KEY}"\nlimit = 3\nsend("{KEY}", limit)',
        "token = os.environ['T']\nlimit = 3",
    ),
}


def refusal(old: str, new: str) -> object:
    placeholders = Placeholders.of(old, word=WORD)
    assert placeholders.needed == {KEY}
    stream = EditStream(old.split("\n"), Surroundings(fence="```"), placeholders)
    stream.receive_text(f"```\n{new}\n```\n")
    stream.finish("stop")
    return stream.refusal


@pytest.mark.parametrize("name", REPLACED)
def test_a_secret_may_be_replaced_by_code(name: str) -> None:
    assert refusal(*REPLACED[name]) is None


@pytest.mark.parametrize("name", FORGOTTEN)
def test_an_answer_with_a_forgotten_secret_is_refused(name: str) -> None:
    assert refusal(*FORGOTTEN[name]) == LOST
