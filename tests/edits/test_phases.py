"""The table of phases: its transitions, and its drawing in the docs."""

from __future__ import annotations

import runpy
from itertools import product
from pathlib import Path

import pytest

from twospeed.edits.phases import STATE_OF, TRANSITIONS, EditState, Phase, PhaseError, checked

ROOT = Path(__file__).parents[2]

ALLOWED = """
placing: waiting ended
waiting: requesting ended
requesting: writing validating reverting ended
writing: requesting validating reverting ended
validating: applying reverting ended
applying: offered reverting review ended
offered: applying reverting ended
reverting: requesting review ended
review: ended
ended:
"""


def test_an_edit_enters_the_phases_of_the_table_and_no_others() -> None:
    allowed = {
        Phase(line.partition(":")[0]): {Phase(each) for each in line.partition(":")[2].split()}
        for line in ALLOWED.strip().splitlines()
    }
    for phase, following in product(Phase, Phase):
        if following in allowed[phase] or (following is phase and phase is not Phase.ENDED):
            assert checked(phase, following) is following
        else:
            with pytest.raises(PhaseError, match=f"^{phase.name} must not be followed by {following.name}$"):
                checked(phase, following)


def test_every_phase_has_a_state_and_a_way_to_the_end() -> None:
    assert set(STATE_OF) == set(TRANSITIONS) == set(Phase)
    assert set(STATE_OF.values()) == set(EditState)
    for phase in set(Phase) - {Phase.ENDED}:
        assert Phase.ENDED in TRANSITIONS[phase]


def test_a_client_state_never_returns_to_an_earlier_state() -> None:
    order = list(EditState)
    for phase, following in TRANSITIONS.items():
        for each in following:
            assert order.index(STATE_OF[each]) >= order.index(STATE_OF[phase])


def test_the_phases_page_is_drawn_from_the_table() -> None:
    drawn = runpy.run_path(str(ROOT / "docs" / "phases.py"))
    assert (ROOT / "docs" / "phases.md").read_text("utf-8") == drawn["page"]()
