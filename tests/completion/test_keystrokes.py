"""A few of the keystrokes that ``make simulate`` simulates; and the simulation finds an outdated suggestion."""

from __future__ import annotations

import pytest
from tests.completion.keystrokes import simulate

from twospeed.completion.kept import Suggestion


async def test_no_suggestion_is_outdated() -> None:
    typist = await simulate(800, seed=3)
    assert typist.faults == []
    assert typist.counts["from what came already"] > 50
    assert typist.counts["empty"] > 50


async def test_an_outdated_suggestion_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Suggestion, "rest_at", lambda suggestion, *_: suggestion.text)
    typist = await simulate(100, seed=3)
    assert typist.faults
