"""A cursor or selection selects the labelled lines, in every language and with every line end."""

from __future__ import annotations

import pytest
from tests.syntax.labelled import LANGUAGES, LINE_ENDS, Case, cases, sample, shown

from twospeed.syntax import find_scope
from twospeed.syntax.languages.core import CORE_PROFILES

ALL = [case for language_id in LANGUAGES for case in cases(language_id)]


@pytest.mark.parametrize("case", ALL, ids=str)
def test_a_cursor_or_selection_has_the_scope_of_its_sample(case: Case) -> None:
    for eol in LINE_ENDS:
        lines, places = sample(case.language_id, eol)
        start, end = places[case.start], places[case.end]
        assert shown(find_scope(lines, case.language_id, (start, end))) == case.expected
        assert shown(find_scope(lines, case.language_id, (end, start))) == case.expected


@pytest.mark.parametrize("language_id", [profile.language_id for profile in CORE_PROFILES])
def test_a_language_that_comes_with_twospeed_has_twenty_cases(language_id: str) -> None:
    assert len(cases(language_id)) >= 20


@pytest.mark.parametrize("language_id", LANGUAGES)
def test_every_label_of_a_sample_is_used(language_id: str) -> None:
    used = {label for case in cases(language_id) for label in (case.start, case.end)}
    assert set(sample(language_id)[1]) == used
