"""The shares of a prompt's budget: never more than the whole, and no share for unsent parts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.prompt.test_build import FACTS, B, user

from twospeed.prompt import texts
from twospeed.prompt.budget import CHARS_PER_TOKEN
from twospeed.prompt.build import PromptFacts, build_prompt
from twospeed.prompt.definitions import DefinitionText
from twospeed.text.code.symbols import FileSymbols, Symbol

BEFORE = tuple(f"before_{number:03} = {number}\n" for number in range(400))
AFTER = tuple(f"after_{number:03} = {number}\n" for number in range(400))
SYMBOLS = tuple(Symbol("function", f"known{n}", f"def known{n}(a, b, c):", n, n + 1, 0) for n in range(200))
FILE = FileSymbols("python", SYMBOLS, ("import math",))
DEFINITIONS = tuple(DefinitionText(f"a{n}.py", 0, 2, f"def counts{n}(first, second):\n") for n in range(200))
LARGE = replace(FACTS, before=BEFORE, after=AFTER, file=FILE, definitions=DEFINITIONS)


def n_chars(facts: PromptFacts, budget_tokens: int) -> int:
    return sum(len(each.content) for each in build_prompt(facts, budget_tokens=budget_tokens))


@pytest.mark.parametrize("file", [FILE, None], ids=["with an outline", "without one"])
def test_no_prompt_is_longer_than_its_budget(file: FileSymbols | None) -> None:
    facts = replace(LARGE, file=file)
    for budget in range(1200, 9000, 150):
        assert n_chars(facts, budget) <= budget * CHARS_PER_TOKEN, budget


def test_definitions_share_what_the_whole_file_leaves() -> None:
    n_around = sum(map(len, (*BEFORE, *AFTER)))
    whole = [
        budget
        for budget in range(n_around // CHARS_PER_TOKEN, 9000, 20)
        if "left out" not in build_prompt(LARGE, budget_tokens=budget)[1].content
    ]
    counts = [build_prompt(LARGE, budget_tokens=budget)[1].content.count("def counts") for budget in whole]
    assert counts[0] < 20 < counts[-1], "few definitions fit at first, more later"
    assert counts == sorted(counts)


def test_an_omitted_previous_edit_leaves_its_space_to_the_draft() -> None:
    draft = "return 1\n" * 100
    facts = replace(FACTS, draft=draft, previous_edit="x" * 3000)
    counts = [
        texts.DRAFT in build_prompt(facts, budget_tokens=budget)[1].content for budget in range(600, 2000, 20)
    ]
    without = [
        texts.DRAFT in build_prompt(replace(facts, previous_edit=""), budget_tokens=budget)[1].content
        for budget in range(600, 2000, 20)
    ]
    assert counts == without
    assert {True, False} <= set(counts)


def test_omitted_diagnostics_leave_their_space_to_the_draft() -> None:
    facts = replace(FACTS, draft="return 1\n" * 100)
    reports = ("y" * 400,) * 10
    for budget in range(600, 2000, 20):
        bare, counts = (
            texts.DRAFT in build_prompt(each, budget_tokens=budget)[1].content
            for each in (facts, replace(facts, diagnostics=reports))
        )
        assert bare == counts, budget


def test_a_definition_in_the_window_is_not_repeated() -> None:
    before = tuple(f"line_{number:04} = {number}\n" for number in range(600))
    for start in range(0, 600, 40):
        definition = DefinitionText("", start, start + 1, f"def told_{start}():\n")
        facts = replace(FACTS, before=before, definitions=(definition,), file=FileSymbols("python", (), ()))
        text = build_prompt(facts, budget_tokens=2600)[1].content
        assert (f"def told_{start}()" in text) == (f"line_{start:04}" not in text), start


@pytest.mark.parametrize("end", [5, 6, 7])
def test_a_definition_that_ends_below_the_window_is_included(end: int) -> None:
    # Two lines above, two of the scope, and those below: the last that is shown is line 5.
    facts = replace(FACTS, after=("a\n", "b\n"), definitions=(DefinitionText("", 1, end, "def long():\n"),))
    assert (texts.DEFINITIONS in user(facts)) == (end > 6)


def test_a_prompt_with_definitions_stays_within_its_budget() -> None:
    one = replace(FACTS, before=BEFORE, definitions=DEFINITIONS)
    for budget in range(2600, 4200, 23):
        assert n_chars(one, budget) <= budget * CHARS_PER_TOKEN, budget
    assert B in user(one)
