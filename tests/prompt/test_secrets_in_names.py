"""Secrets in the names of a scope are masked, and similar text is not."""

from __future__ import annotations

import pytest
from tests.prompt.test_build import B, part, user
from tests.prompt.test_definitions import bare, file, function, meant, where

from twospeed.prompt import texts
from twospeed.secrets.placeholders import Placeholders
from twospeed.text.code.symbols import FileSymbols, Symbol

KEY = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9z"
DIGITS = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA"


@pytest.mark.security("R2")
def test_a_secret_in_the_name_of_a_function_is_masked() -> None:
    scope = f"def {KEY}():\n    return 1\n"
    text = user(scope_name=KEY, scope_text=scope, secrets=Placeholders.of(scope, word="3fa09c17"))
    assert KEY not in text
    assert part(text, texts.ABOUT) == 'the scope is: function "***"'


def test_an_ordinary_name_is_included_as_it_is() -> None:
    text = user(secrets=Placeholders.of(f'key = "{KEY}"\n', word=B))
    assert part(text, texts.ABOUT) == 'the scope is: function "total"'


def test_an_outline_that_begins_like_base64_is_not_masked() -> None:
    name = Symbol("function", DIGITS, f"{DIGITS}()", 0, 2, 0)
    outlined = FileSymbols("shell", (name,), ())
    before = tuple(f"echo {number} of many lines above the scope\n" for number in range(4000))
    text = user(before=before, file=outlined, secrets=Placeholders.of(f'key = "{KEY}"\n', word=B))
    assert part(text, texts.OUTLINE) == f"{DIGITS}()"


def test_names_of_one_letter_are_not_looked_up() -> None:
    known = file(function("go", 5), function("f", 15))
    assert where(meant(bare("go", "f"), known)) == ["-:go"]
    assert where(meant(bare("go", "f"), file(imports=("from a import go, f",)), {"a.py": known})) == [
        "a.py:go"
    ]
