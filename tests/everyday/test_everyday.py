"""A sample of the everyday edits, which `make everyday` runs in all forms of answers."""

from __future__ import annotations

import asyncio

from tests.everyday.cases import cases_of, languages
from tests.everyday.forms import ASKED, FORMS
from tests.everyday.table import run_some

_EVERY = 12
"""So many cases are between two of the sample."""


def test_a_sample_of_the_answers_in_the_form_that_was_asked_for_lands_exactly() -> None:
    tallies = [
        asyncio.run(run_some(language, start, [ASKED.name], 1))
        for language in languages()
        for start in range(0, len(cases_of(language)), _EVERY)
    ]
    verdicts = {shown.case: shown.landing for tally in tallies for shown in tally.shown}
    assert not [bad for tally in tallies for bad in tally.bad]
    assert not verdicts
    assert sum(tally.counts.total() for tally in tallies) >= len(languages())


def test_one_case_is_written_in_every_form_that_it_has() -> None:
    tally = asyncio.run(run_some("python", 0, [form.name for form in FORMS], 1))
    assert {form for _, form, _ in tally.counts} >= {form.name for form in FORMS if form.wants == "exact"}
