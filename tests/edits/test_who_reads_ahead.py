"""Which model may read an edit's start ahead: the one that would serve, where there is one beside the built-in rules."""

from __future__ import annotations

import pytest
from tests.edits.test_lane_source import Keyring, lane, source

from twospeed.models.builtin import RulesModel


@pytest.fixture(autouse=True)
def no_local_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(*_: object, **__: object) -> list[object]:
        return []

    monkeypatch.setattr("twospeed.models.discovery.find_local", none)


async def test_a_model_that_is_ready_reads_ahead() -> None:
    found = await source(lane("local"), Keyring()).model_ahead("lightning")
    assert found is not None
    entry, provider, model = found
    assert (entry.provider, provider.name) == ("local", "local")
    assert isinstance(model, RulesModel), "it is opened as every model is"


async def test_where_only_the_builtin_rules_would_serve_nothing_reads_ahead() -> None:
    lanes = source(lane("cloud"), Keyring())
    assert await lanes.model_ahead("lightning") is None
    assert await lanes.endpoint_ahead("lightning") is None


async def test_where_a_yes_is_missing_nothing_reads_ahead() -> None:
    lanes = source({}, Keyring(groq="kept-0123456789"), questions=None)
    assert await lanes.model_ahead("lightning") is None
