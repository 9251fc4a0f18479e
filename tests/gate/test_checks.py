from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.gate.checks import check
from twospeed.gate.facts import Definition, GateFacts, GateSettings, ScopeCode


def defines(*definitions: Definition) -> ScopeCode:
    return ScopeCode(10, definitions=definitions)


def lines(n: int) -> tuple[str, ...]:
    return tuple(f"line {number}" for number in range(n))


FINE = GateFacts(
    kind="function",
    name="total",
    first_line=10,
    old_lines=lines(5),
    new_lines=lines(8),
    errors_before=0,
    errors_after=0,
    after=defines(Definition("function", "total")),
)


def found(settings: GateSettings | None = None, **changes: Any) -> list[tuple[str, int, str]]:
    judgement = check(replace(FINE, **changes), settings or GateSettings())
    return [(each.code, each.severity, each.message) for each in judgement.findings]


def test_a_correct_answer_has_no_findings():
    judgement = check(FINE, GateSettings())
    assert (judgement.refusal, judgement.findings) == (None, ())


def test_an_added_syntax_error_is_refused_in_one_sentence():
    judgement = check(replace(FINE, errors_after=1), GateSettings())
    assert judgement.refusal == judgement.findings[0]
    assert found(errors_after=1) == [
        (
            "syntax-errors",
            1,
            "the answer adds 1 syntax error to the document: these lines change how the text after them is parsed",
        )
    ]
    assert found(errors_before=1, errors_after=3) == [
        (
            "syntax-errors",
            1,
            "the answer adds 2 syntax errors to the document: these lines change how the text after them is parsed",
        )
    ]


def test_existing_syntax_errors_are_not_attributed_to_the_answer():
    assert found(errors_before=3, errors_after=3) == []
    assert found(errors_before=3, errors_after=1) == []


def test_an_answer_without_a_grammar_is_never_refused():
    assert found(errors_before=None, errors_after=None, after=None) == []


def test_the_parse_check_can_warn_or_be_switched_off():
    judgement = check(replace(FINE, errors_after=1), GateSettings(parse="warn"))
    assert judgement.refusal is None
    assert [(each.code, each.severity) for each in judgement.findings] == [("syntax-errors", 2)]
    assert found(GateSettings(parse="off"), errors_after=1) == []


def test_a_removed_name_is_a_warning():
    assert found(after=defines(Definition("function", "add"))) == [
        ("name-gone", 2, 'the function "total" was removed or renamed; code that uses this name will fail')
    ]


def test_a_name_that_was_renamed_as_the_instruction_says_is_not_reported():
    after = defines(Definition("function", "add"))
    words = frozenset({"rename", "total", "to", "add"})
    assert found(instruction_words=words, after=after) == []
    assert [code for code, _, _ in found(instruction_words=words - {"add"}, after=after)] == ["name-gone"]
    assert [code for code, _, _ in found(instruction_words=words - {"total"}, after=after)] == ["name-gone"]
    assert found(instruction_words=words, after=defines(Definition("class", "add")))[0][0] == "name-gone"
    used = (*lines(15), "total()")
    assert found(instruction_words=words, document=used, after=after)[0][0] == "name-gone"


def test_a_name_with_another_kind_is_a_warning():
    assert found(after=defines(Definition("class", "total"))) == [
        ("name-gone", 2, 'the function "total" was replaced by a class')
    ]


@pytest.mark.parametrize("kind", ["selection", "block", "file", "insertion"])
def test_an_unnamed_scope_cannot_lose_its_name(kind):
    assert found(kind=kind, after=defines()) == []


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (10, 50, None),  # 40 lines are no surprise
        (10, 51, "the answer adds 41 lines to a scope of 10"),
        (20, 80, None),  # three times the scope is no surprise
        (20, 81, "the answer adds 61 lines to a scope of 20"),
    ],
)
def test_growth_past_both_bounds_is_a_warning(before, after, message):
    expected = [("growth", 2, message)] if message else []
    assert found(old_lines=lines(before), new_lines=lines(after)) == expected


def test_deep_mode_may_add_more_before_a_growth_warning():
    assert found(old_lines=lines(10), new_lines=lines(130), mode="deep") == []
    assert [code for code, _, _ in found(old_lines=lines(10), new_lines=lines(131), mode="deep")] == [
        "growth"
    ]


def test_an_insertion_has_no_growth_warning():
    assert found(kind="insertion", old_lines=(), new_lines=lines(400)) == []


def test_growth_can_be_refused():
    judgement = check(replace(FINE, new_lines=lines(500)), GateSettings(growth="refuse"))
    assert judgement.refusal is not None
    assert judgement.refusal.code == "growth"


def test_the_first_refusal_is_returned_with_all_findings():
    facts = replace(FINE, errors_after=1, new_lines=lines(500), after=defines())
    judgement = check(facts, GateSettings(growth="refuse"))
    assert judgement.refusal is not None
    assert judgement.refusal.code == "syntax-errors"
    assert [each.code for each in judgement.findings] == ["syntax-errors", "growth"]


def test_an_unparsed_answer_gets_no_finding_about_definitions():
    assert [code for code, _, _ in found(errors_after=1, after=defines())] == ["syntax-errors"]


def test_a_finding_has_the_lines_of_the_new_scope():
    [finding] = check(replace(FINE, errors_after=1), GateSettings()).findings
    assert (finding.first_line, finding.last_line) == (10, 17)


def test_an_emptied_scope_is_reported_by_its_first_line():
    assert replace(FINE, new_lines=()).last_line == 10


STRICTNESS = st.sampled_from(["refuse", "warn", "off"])


@given(
    st.builds(GateSettings, STRICTNESS, STRICTNESS, STRICTNESS),
    st.integers(0, 9),
    st.integers(0, 9),
    st.integers(0, 300),
)
def test_a_stricter_gate_never_accepts_more(settings, errors_before, errors_after, n_lines):
    facts = replace(FINE, errors_before=errors_before, errors_after=errors_after, new_lines=lines(n_lines))
    strictest = check(facts, GateSettings("refuse", "refuse", "refuse"))
    judgement = check(facts, settings)
    assert judgement.refusal is None or strictest.refusal is not None
    assert {each.code for each in judgement.findings} <= {each.code for each in strictest.findings}


@pytest.mark.security("R3.2")
def test_removed_hidden_characters_are_named_in_a_warning():
    assert found(hidden_dropped={"\x1b": 1}) == [
        ("hidden-characters", 2, "1 hidden character was removed from the answer: U+001B (1)")
    ]
    assert found(hidden_dropped={"\x1b": 1, "\u202e": 2}) == [
        (
            "hidden-characters",
            2,
            "3 hidden characters were removed from the answer: U+202E RIGHT-TO-LEFT OVERRIDE (2), U+001B (1)",
        )
    ]


def test_a_warning_names_the_most_frequent_hidden_characters():
    ((_, _, message),) = found(hidden_dropped={chr(0xE0020 + n): n for n in range(1, 90)})
    assert message.endswith(
        "U+E0079 TAG LATIN SMALL LETTER Y (89), U+E0078 TAG LATIN SMALL LETTER X (88), "
        "U+E0077 TAG LATIN SMALL LETTER W (87), and 86 more"
    )
    assert len(message) <= 200
