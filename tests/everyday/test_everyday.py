"""A sample of the everyday edits, which `make everyday` runs in all forms of answers."""

from __future__ import annotations

import asyncio
from collections import Counter

from tests.everyday.__main__ import faults_of
from tests.everyday.cases import cases_of, languages
from tests.everyday.forms import ASKED, FORMS
from tests.everyday.table import Tally, run_some

_FIRST, _EVERY = 3, 11
"""The cases of the sample, in each language; none of them is a known fault."""


def test_sampled_answers_in_the_requested_form_are_applied_exactly() -> None:
    total = Tally()
    for language in languages():
        for start in range(_FIRST, len(cases_of(language)), _EVERY):
            total.add(asyncio.run(run_some(language, start, [ASKED.name], 1)))
    assert not total.bad
    assert not total.shown
    assert {language for language, _, _ in total.counts} == {*languages()}


def test_every_case_has_an_answer_in_every_form() -> None:
    tally = asyncio.run(run_some("python", 0, [form.name for form in FORMS], 1))
    assert {form for _, form, _ in tally.counts} >= {form.name for form in FORMS if form.wants == "exact"}


def test_a_run_fails_if_more_answers_go_wrong_than_the_known_number() -> None:
    tally = Tally(
        Counter({("go", "asked", "wrong"): 2, ("go", "asked", "refused"): 1, ("go", "part", "refused"): 9})
    )
    assert faults_of(tally, {"asked": {"wrong": 2, "lossy": 2, "missed": 3}}) == []
    assert faults_of(tally, {"asked": {"wrong": 1, "lossy": 2, "missed": 2}}) == [
        "asked: 2 wrong, and at most 1 are known",
        "asked: 3 missed, and at most 2 are known",
    ]
