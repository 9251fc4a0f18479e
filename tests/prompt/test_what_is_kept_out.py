"""What a prompt leaves out, to the character: byte order marks, secrets in paths, definitions without room."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.prompt.test_build import FACTS, B, part, user
from tests.prompt.test_definitions import bare, file, function, meant, where

from twospeed.prompt import texts
from twospeed.prompt.budget import CHARS_PER_TOKEN
from twospeed.prompt.build import build_prompt
from twospeed.prompt.definitions import DefinitionText
from twospeed.text.placeholders import Placeholders

KEY = "sk-" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9z" * 2
DEFINITIONS = tuple(DefinitionText(f"a{n}.py", 0, 2, f"def f{n}():\n") for n in range(30))


def test_a_byte_order_mark_is_left_out_and_no_line_with_it() -> None:
    text = user(before=("\ufeffimport math\n", "import os\n", "\n"))
    assert part(text, texts.ABOVE) == ("import math\nimport os\n")
    assert "\ufeff" not in text


@pytest.mark.security("R2")
def test_a_secret_in_the_path_of_a_definition_is_masked() -> None:
    secrets = Placeholders.of(f'key = "{KEY}"\n', word=B)
    definition = DefinitionText(f"keys/{KEY}.py", 0, 2, "def load():\n")
    text = user(secrets=secrets, definitions=(definition,))
    assert "def load():" in text
    assert KEY not in text


def test_more_definitions_are_told_where_there_is_more_room_and_none_beyond_it() -> None:
    told = []
    for budget in range(800, 1200, 10):
        messages = build_prompt(replace(FACTS, definitions=DEFINITIONS), budget_tokens=budget)
        assert sum(len(each.content) for each in messages) <= budget * CHARS_PER_TOKEN
        told.append(messages[1].content.count("def f"))
    assert told == sorted(told)
    assert told[0] == 0
    assert 1 < told[-1] < len(DEFINITIONS)


@pytest.mark.parametrize(
    ("one", "other", "is_known"),
    [
        ("c", "cpp", True),
        ("cpp", "c", True),
        ("c", "c", True),
        ("c", "python", False),
        ("cpp", "python", False),
    ],
)
def test_a_file_of_c_may_use_what_one_of_cpp_defines(one: str, other: str, is_known: bool) -> None:
    others: dict[str, Any] = {"a.x": file(function("load"), language_id=other)}
    own = file(imports=('#include "a.x"',), language_id=one)
    found = meant(bare("load"), own, others, is_imported_by_name=False)
    assert where(found) == (["a.x:load"] if is_known else [])
