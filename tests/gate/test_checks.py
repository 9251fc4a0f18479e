from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.gate.checks import check
from twospeed.gate.facts import Definition, GateFacts, GateSettings

FINE = GateFacts(
    kind="function",
    name="total",
    first_line=10,
    lines_before=5,
    lines_after=8,
    errors_before=0,
    errors_after=0,
    definitions_after=(Definition("function", "total"),),
)


def found(settings: GateSettings | None = None, **changes: Any) -> list[tuple[str, int, str]]:
    judgement = check(replace(FINE, **changes), settings or GateSettings())
    return [(each.code, each.severity, each.message) for each in judgement.findings]


def test_a_sound_answer_passes_without_a_word():
    judgement = check(FINE, GateSettings())
    assert (judgement.refusal, judgement.findings) == (None, ())


def test_an_added_syntax_error_is_refused_in_one_sentence():
    judgement = check(replace(FINE, errors_after=1), GateSettings())
    assert judgement.refusal == judgement.findings[0]
    assert found(errors_after=1) == [("syntax-errors", 1, "the answer adds 1 syntax error to the document")]
    assert found(errors_before=1, errors_after=3) == [
        ("syntax-errors", 1, "the answer adds 2 syntax errors to the document")
    ]


def test_errors_that_were_there_before_are_not_held_against_the_answer():
    assert found(errors_before=3, errors_after=3) == []
    assert found(errors_before=3, errors_after=1) == []


def test_without_a_grammar_nothing_is_parsed_and_nothing_refused():
    assert found(errors_before=None, errors_after=None, definitions_after=None) == []


def test_the_parse_check_can_be_told_to_warn_or_to_be_silent():
    judgement = check(replace(FINE, errors_after=1), GateSettings(parse="warn"))
    assert judgement.refusal is None
    assert [(each.code, each.severity) for each in judgement.findings] == [("syntax-errors", 2)]
    assert found(GateSettings(parse="off"), errors_after=1) == []


def test_a_name_that_is_gone_is_a_warning():
    assert found(definitions_after=(Definition("function", "add"),)) == [
        ("name-gone", 2, 'the function "total" is gone; what calls it by this name will fail')
    ]


def test_a_name_that_became_something_else_is_a_warning():
    assert found(definitions_after=(Definition("class", "total"),)) == [
        ("name-gone", 2, 'the function "total" is a class now')
    ]


@pytest.mark.parametrize("kind", ["selection", "block", "file", "insertion"])
def test_only_a_named_scope_has_a_name_to_lose(kind):
    assert found(kind=kind, definitions_after=()) == []


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (10, 50, None),  # 40 lines are no surprise
        (10, 51, "the answer adds 41 lines to a scope of 10"),
        (20, 80, None),  # three times the scope is no surprise
        (20, 81, "the answer adds 61 lines to a scope of 20"),
    ],
)
def test_growth_is_a_warning_past_both_bounds(before, after, message):
    expected = [("growth", 2, message)] if message else []
    assert found(lines_before=before, lines_after=after) == expected


def test_an_insertion_has_nothing_to_outgrow():
    assert found(kind="insertion", lines_before=0, lines_after=400) == []


def test_growth_can_be_refused():
    judgement = check(replace(FINE, lines_after=500), GateSettings(growth="refuse"))
    assert judgement.refusal is not None
    assert judgement.refusal.code == "growth"


def test_the_first_refusal_is_given_and_every_finding_is_kept():
    facts = replace(FINE, errors_after=1, lines_after=500, definitions_after=())
    judgement = check(facts, GateSettings(growth="refuse"))
    assert judgement.refusal is not None
    assert judgement.refusal.code == "syntax-errors"
    assert [each.code for each in judgement.findings] == ["syntax-errors", "name-gone", "growth"]


def test_a_finding_is_about_the_lines_of_the_scope_as_they_are_now():
    [finding] = check(replace(FINE, errors_after=1), GateSettings()).findings
    assert (finding.first_line, finding.last_line) == (10, 17)


def test_an_emptied_scope_is_pointed_at_by_its_first_line():
    assert replace(FINE, lines_after=0).last_line == 10


STRICTNESS = st.sampled_from(["refuse", "warn", "off"])


@given(
    st.builds(GateSettings, STRICTNESS, STRICTNESS, STRICTNESS),
    st.integers(0, 9),
    st.integers(0, 9),
    st.integers(0, 300),
)
def test_a_stricter_gate_never_lets_more_through(settings, errors_before, errors_after, lines_after):
    facts = replace(FINE, errors_before=errors_before, errors_after=errors_after, lines_after=lines_after)
    strictest = check(facts, GateSettings("refuse", "refuse", "refuse"))
    judgement = check(facts, settings)
    assert judgement.refusal is None or strictest.refusal is not None
    assert {each.code for each in judgement.findings} <= {each.code for each in strictest.findings}


@pytest.mark.security("R3.2")
def test_hidden_characters_that_were_taken_out_are_a_warning_that_names_them():
    assert found(hidden_dropped={"\x1b": 1}) == [
        ("hidden-characters", 2, "1 hidden character was taken out of the answer: U+001B (1)")
    ]
    assert found(hidden_dropped={"\x1b": 1, "\u202e": 2}) == [
        (
            "hidden-characters",
            2,
            "3 hidden characters were taken out of the answer: U+202E RIGHT-TO-LEFT OVERRIDE (2), U+001B (1)",
        )
    ]


def test_of_many_kinds_of_hidden_characters_the_most_frequent_are_named():
    ((_, _, message),) = found(hidden_dropped={chr(0xE0020 + n): n for n in range(1, 90)})
    assert message.endswith(
        "U+E0079 TAG LATIN SMALL LETTER Y (89), U+E0078 TAG LATIN SMALL LETTER X (88), "
        "U+E0077 TAG LATIN SMALL LETTER W (87), and 86 more"
    )
    assert len(message) <= 200
