"""Findings about functions that exist already and about unknown names."""

from __future__ import annotations

import pytest

from twospeed.gate import Fix, GateFacts, GateSettings, check
from twospeed.gate.facts import FunctionDuplicate, UnresolvedName
from twospeed.text.edits import LineEdit

FIX = Fix("Add import json", ("import json",), (LineEdit(1, 0, ("import json\n",)),))


def facts(**more: object) -> GateFacts:
    return GateFacts(kind="function", name="f", first_line=4, new_lines=("def f():", "    pass"), **more)  # type: ignore[arg-type]


def test_a_duplicate_function_is_named_with_the_file_of_the_other() -> None:
    (finding,) = check(
        facts(duplicates=(FunctionDuplicate("owed", 4, "total", "shop/billing.py", 11),)), GateSettings()
    ).findings
    assert finding.message == '"owed" does the same as "total" in shop/billing.py, line 12'
    assert (finding.code, finding.severity, finding.first_line, finding.last_line) == (
        "duplicate-function",
        2,
        4,
        4,
    )


def test_an_unknown_name_has_its_fix() -> None:
    (finding,) = check(facts(unresolved=(UnresolvedName("json", 5, FIX),)), GateSettings()).findings
    assert (finding.code, finding.first_line, finding.fix) == ("unknown-name", 5, FIX)


@pytest.mark.parametrize("strictness", ["refuse", "off"])
def test_the_settings_decide_the_effect_of_a_finding(strictness: str) -> None:
    settings = GateSettings(duplicate=strictness, names=strictness)  # type: ignore[arg-type]
    judgement = check(
        facts(
            duplicates=(FunctionDuplicate("owed", 4, "total", "", 0),),
            unresolved=(UnresolvedName("json", 5),),
        ),
        settings,
    )
    codes = ["duplicate-function", "unknown-name"] if strictness == "refuse" else []
    assert [finding.code for finding in judgement.findings] == codes
    assert (judgement.refusal is not None) == (strictness == "refuse")


def test_hidden_characters_of_a_file_name_are_escaped() -> None:
    other = FunctionDuplicate("owed", 4, "total", "a\u202eb\n.py", 0)
    (finding,) = check(facts(duplicates=(other,)), GateSettings()).findings
    assert "\u202e" not in finding.message
    assert "\n" not in finding.message
