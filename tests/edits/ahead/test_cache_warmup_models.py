"""The cache is warmed for the model that would answer, never for the built-in engine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.edits.inline_edits import opened
from tests.lanes.test_lane_source import Keyring, lane, source

from twospeed import gate, syntax
from twospeed.edits.prompting.scope_resolution import MAX_LINE_LENGTH, prefetch
from twospeed.edits.values import EditRequest
from twospeed.rules import RulesModel


@pytest.fixture(autouse=True)
def no_local_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(*_: object, **__: object) -> list[object]:
        return []

    monkeypatch.setattr("twospeed.models.catalog.discovery.find_local", none)


async def test_a_ready_model_is_warmed() -> None:
    found = await source(lane("local"), Keyring()).model_ahead("lightning")
    assert found is not None
    entry, provider, model = found
    assert (entry.provider, provider.name) == ("local", "local")
    assert isinstance(model, RulesModel), "the built-in engine is opened like every model"


async def test_the_built_in_engine_is_not_warmed() -> None:
    lanes = source(lane("cloud"), Keyring())
    assert await lanes.model_ahead("lightning") is None
    assert await lanes.endpoint_ahead("lightning") is None


async def test_a_model_without_consent_is_not_warmed() -> None:
    lanes = source({}, Keyring(groq="kept-0123456789"), questions=None)
    assert await lanes.model_ahead("lightning") is None


@pytest.mark.parametrize(
    ("text", "line", "is_parsed", "expected"),
    [
        ("def f():\n    return eval(x)\n", 1, True, ["scope_code", "touches", "names", "names_used"]),
        ("def f():\n    return eval(x)\n", 1, False, []),
        ("x" * (MAX_LINE_LENGTH + 1), 0, True, []),
    ],
)
async def test_prefetch_fills_the_caches_of_the_scope(
    text: str, line: int, is_parsed: bool, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[tuple[str, tuple[int, int] | None]] = []
    for name in ("wait_for_scope_code", "wait_for_names", "names_used"):
        real = getattr(syntax, name)

        def noted(*args: Any, name: str = name, real: Any = real) -> Any:
            found.append((name.removeprefix("wait_for_"), args[2:4]))
            return real(*args)

        monkeypatch.setattr(syntax, name, noted)

    def sensitive_uses(code: Any, *args: Any) -> Any:
        found.append(("touches", None))
        return gate.sensitive_uses(code, *args)

    async def parsed(*_: Any) -> bool:
        return is_parsed

    monkeypatch.setattr(
        "twospeed.edits.prompting.sensitivity.gate", SimpleNamespace(sensitive_uses=sensitive_uses)
    )
    monkeypatch.setattr(syntax, "wait_for_tree", parsed)
    await prefetch(EditRequest(opened(text), ((line, 0), (line, 0)), "", "lightning"))
    assert [name for name, _ in found] == expected
    assert {place for _, place in found if place} <= {(0, 2)}
