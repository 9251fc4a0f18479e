"""Text that a prompt omits, to the character: byte order marks, secrets in paths, definitions beyond the budget."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from tests.prompt.test_build import FACTS, B, part, user
from tests.prompt.test_definitions import bare, file, function, meant, where

from twospeed.prompt import texts
from twospeed.prompt.budget import CHARS_PER_TOKEN
from twospeed.prompt.build import build_prompt
from twospeed.prompt.definitions import DefinitionText
from twospeed.secrets.placeholders import Placeholders
from twospeed.text.code.symbols import FileSymbols

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


def test_definitions_fill_the_space_without_exceeding_it() -> None:
    counts = []
    for budget in range(800, 1200, 10):
        messages = build_prompt(replace(FACTS, definitions=DEFINITIONS), budget_tokens=budget)
        assert sum(len(each.content) for each in messages) <= budget * CHARS_PER_TOKEN
        counts.append(messages[1].content.count("def f"))
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert 1 < counts[-1] < len(DEFINITIONS)


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


class Telling:
    """Placeholders that replace the word SECRET by how each text was treated."""

    values = ("SECRET",)
    ends_in_key = True

    def hide_in_scope(self, text: str) -> str:
        return text.replace("SECRET", "hidden-in-scope")

    def hide(self, text: str, *, is_prose: bool = False) -> str:
        return text.replace("SECRET", "hidden" + "-in-prose" * is_prose)

    def mask(self, text: str, *, begins_in_key: bool = False, is_prose: bool = False) -> str:
        return text.replace("SECRET", "masked" + "-in-key" * begins_in_key + "-in-prose" * is_prose)


WITH_SECRETS = replace(
    FACTS,
    language_id="SECRET",
    file_name="SECRET.py",
    instruction="use SECRET",
    scope_name="SECRET",
    scope_text="scope SECRET\n",
    before=("above SECRET\n",),
    after=("below SECRET\n",),
    selected=("selected SECRET",),
    diagnostics=("reported SECRET",),
    draft="draft SECRET\n",
    fault="fault SECRET",
    previous_edit="former SECRET\n",
    notes="notes SECRET\n",
    definitions=(DefinitionText("SECRET/a.py", 0, 1, "defined SECRET\n"),),
)


@pytest.mark.security("R2")
def test_each_part_is_hidden_or_masked_as_specified() -> None:
    secrets: Any = Telling()
    assert user(WITH_SECRETS, secrets=secrets) == (
        f"=== data === {B}\n"
        'file: "masked.py"\n'
        "language: masked\n"
        f"=== {texts.NOTES} === {B}\n"
        "notes masked-in-prose\n"
        f"=== {texts.ABOVE} === {B}\n"
        "above masked\n"
        f"=== {texts.BELOW} === {B}\n"
        "below masked-in-key\n"
        f"=== {texts.DEFINITIONS} === {B}\n"
        '"masked/a.py":\n'
        "defined masked\n"
        f"=== {texts.SCOPE} === {B}\n"
        "scope hidden-in-scope\n"
        f"=== {texts.FAULTY} === {B}\n"
        "draft hidden\n"
        f"=== {texts.PREVIOUS_EDIT} === {B}\n"
        "former masked\n"
        f"=== {texts.ABOUT} === {B}\n"
        'the scope is: function "masked"\n'
        "selected hidden\n"
        "a tool reports: reported masked-in-prose\n"
        "a parser reports of that answer: fault masked-in-prose\n"
        f"=== {texts.END} === {B}\n"
        "\n"
        "The code block begins with ```masked and ends with ``` on lines of their own.\n"
        "\n"
        f"{texts.SECRETS}"
        "The instruction:\n"
        "use hidden-in-prose"
    )


@pytest.mark.security("R2")
def test_a_prompt_without_secrets_does_not_mention_placeholders() -> None:
    secrets: Any = Telling()
    secrets.values = ()
    assert texts.SECRETS not in user(WITH_SECRETS, secrets=secrets)


@pytest.mark.security("R2")
@pytest.mark.parametrize("n_left_out", [0, 1])
def test_the_lines_above_continue_with_a_key_that_begins_above_them(n_left_out: int) -> None:
    secrets: Any = Telling()
    begin = "-----BEGIN RSA PRIVATE KEY-----\n"
    facts = replace(FACTS, before=("x" * 9000 * n_left_out + begin, "SECRET\n"), secrets=secrets)
    message = build_prompt(facts, budget_tokens=1400)[1].content
    assert ("left out" in message) == bool(n_left_out)
    assert ("masked-in-key\n" in message.split(texts.BELOW)[0]) == bool(n_left_out)


def test_the_delimiter_is_searched_in_all_text_that_could_be_sent() -> None:
    definitions = (DefinitionText("a.py", 0, 1, "one\n"), DefinitionText("b.py", 0, 1, "two\n"))
    facts = replace(
        FACTS,
        selected=("selected",),
        diagnostics=("report 1", "report 2"),
        draft="draft",
        fault="fault",
        previous_edit="former",
        notes="notes",
        definitions=definitions,
    )
    assert facts.all_text().split("\n") == [
        "shop.py",
        "total",
        "add error handling",
        *["def total(items):", "    return sum(items)", ""],
        "draft",
        *["import math", "", "", "print(total([1]))", ""],
        "notes",
        "fault",
        "former",
        "selected",
        "report 1",
        "report 2",
        "a.py",
        "one",
        "",
        "b.py",
        "two",
        "",
    ]
    assert replace(facts, scope_name=None).all_text().split("\n")[1] == ""


def test_a_definition_at_the_start_of_the_window_is_in_it() -> None:
    """A definition that begins one line above the window is not in it."""
    before = tuple(f"line {number}\n" for number in range(2000))
    facts = replace(FACTS, before=before, file=FileSymbols("python"))
    left_out = re.search(
        r"above the scope, to be read \((\d+) ", build_prompt(facts, budget_tokens=2500)[1].content
    )
    assert left_out
    first = int(left_out[1])
    for start, is_told in ((first - 1, True), (first, False), (first + 1, False)):
        definition = DefinitionText("", start, start + 2, "defined here\n")
        content = build_prompt(replace(facts, definitions=(definition,)), budget_tokens=2500)[1].content
        assert ("defined here" in content) is is_told
