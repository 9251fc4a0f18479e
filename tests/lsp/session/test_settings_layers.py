"""Effective settings depend on the current editor and workspace settings, not on their order."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scenarios.editor import Editor

from twospeed.config.layers import parse_workspace_layer, read_editor_layer
from twospeed.config.settings import Settings
from twospeed.lsp.session.configuration import SettingsLayers, Slot

PULLS = {"workspace": {"configuration": True}}
CONFIG = Path("/home/me/config.toml")


class Pulled:
    """Answers pulls when a test says so."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.asked: list[Mapping[str, Any]] = []
        send = editor._answer_request

        def keep(message: Mapping[str, Any]) -> None:
            if message["method"] == "workspace/configuration":
                self.asked.append(message)
                editor._tell()
            else:
                send(message)

        editor._answer_request = keep  # type: ignore[method-assign]

    async def is_asked(self, n: int) -> None:
        await self.editor.wait_for(lambda: len(self.asked) >= n)

    async def answers(self, settings: object, number: int = -1) -> None:
        self.editor.send({"jsonrpc": "2.0", "id": self.asked[number]["id"], "result": [settings]})
        for _ in range(3):  # the answer is taken in the next rounds of the loop
            await asyncio.sleep(0)


def change(editor: Editor, settings: object) -> None:
    editor.notify("workspace/didChangeConfiguration", {"settings": settings})


def held(editor: Editor) -> Settings:
    assert editor.server.session
    return editor.server.session.settings


async def started(settings: object = None) -> tuple[Editor, Pulled]:
    editor = await Editor.started(PULLS)
    pulled = Pulled(editor)
    await pulled.is_asked(1)
    await pulled.answers(settings)
    return editor, pulled


@pytest.mark.parametrize("nothing", [None, {}, []])
async def test_settings_are_requested_again_after_a_change_without_values(nothing: object) -> None:
    editor, pulled = await started({"scope": "function"})
    async with editor:
        change(editor, nothing)
        await pulled.is_asked(2)
        await pulled.answers({"scope": "class"})
        assert held(editor).scope == "class"


@pytest.mark.parametrize("later", [{}, None, {"mode": "lightning"}])
async def test_a_removed_setting_returns_to_the_users_value(later: object) -> None:
    editor, pulled = await started({"ignore": ["data/"], "scope": "class"})
    async with editor:
        assert held(editor).ignore == ("data/",)
        change(editor, None)
        await pulled.is_asked(2)
        await pulled.answers(later)
        assert (held(editor).ignore, held(editor).scope) == ((), "auto")


async def test_pushed_and_pulled_settings_replace_each_other() -> None:
    editor, pulled = await started({"ignore": ["pulled/"]})
    async with editor:
        change(editor, {"ignore": ["pushed/"]})
        assert held(editor).ignore == ("pushed/",)
        change(editor, None)
        await pulled.is_asked(2)
        await pulled.answers({"ignore": ["again/"]})
        assert held(editor).ignore == ("again/",)


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_only_the_response_to_the_newest_request_is_applied(order: tuple[int, ...]) -> None:
    editor, pulled = await started()
    async with editor:
        for n in (2, 3, 4):
            change(editor, None)
            await pulled.is_asked(n)
        for number in order:
            await pulled.answers({"ignore": [f"{number}/"]}, number + 1)
        assert held(editor).ignore == ("2/",)


async def test_a_late_response_does_not_replace_newer_settings() -> None:
    editor, pulled = await started()
    async with editor:
        change(editor, None)
        await pulled.is_asked(2)
        change(editor, {"ignore": ["newer/"]})
        await pulled.answers({"ignore": ["older/"]})
        assert held(editor).ignore == ("newer/",)


@pytest.mark.parametrize("pulls", [True, False])
async def test_workspace_settings_override_later_client_settings(tmp_path: Path, *, pulls: bool) -> None:
    (tmp_path / ".twospeed.toml").write_text('scope = "class"\n')
    options = {"scope": "function"}
    capabilities = PULLS if pulls else None
    async with await Editor.started(capabilities, options=options, root=tmp_path.as_uri()) as editor:
        assert held(editor).scope == "class"
        change(editor, {"scope": "file"})
        assert held(editor).scope == "class"


async def test_later_client_settings_override_initialization_options() -> None:
    async with await Editor.started(options={"scope": "function", "ignore": ["a/"]}) as editor:
        change(editor, {"scope": "file"})
        assert (held(editor).scope, held(editor).ignore) == ("file", ("a/",))
        change(editor, {})
        assert held(editor).scope == "function"


TABLES = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["lightning", "deep"]),
        "scope": st.sampled_from(["auto", "function", "class", "file"]),
        "ignore": st.lists(st.sampled_from(["a/", "b/", "*.c"]), max_size=2),
    },
)
SLOTS = st.sampled_from(("initializationOptions", "editor"))


@given(st.lists(st.tuples(SLOTS, TABLES), max_size=6), TABLES, st.randoms())
def test_only_the_last_layer_of_each_source_is_used_in_any_order(
    messages: list[tuple[Slot, Any]], workspace: dict[str, Any], rng: Any
) -> None:
    toml = "".join(f"{key} = {value!r}\n" for key, value in workspace.items())
    on_top = parse_workspace_layer(toml, name=".twospeed.toml", config_path=CONFIG)
    user = Settings(path=CONFIG)
    last = dict(messages)
    ways = []
    for order in (sorted(last), sorted(last, reverse=True)):
        layers, settings = SettingsLayers(user), user
        steps: list[tuple[Slot, Any]] = [(slot, last[slot]) for slot in order]
        steps.insert(rng.randrange(len(steps) + 1), ("workspace", on_top))
        for slot, value in steps:
            layer = value if slot == "workspace" else read_editor_layer(value, name=slot, config_path=CONFIG)
            settings = layers.put(slot, layer)
        ways.append(settings)
    layers = SettingsLayers(user)
    settings = layers.put("workspace", on_top)
    for slot, value in messages:
        settings = layers.put(slot, read_editor_layer(value, name=slot, config_path=CONFIG))
    assert ways[0] == ways[1] == settings
    assert settings.scope == next(
        table["scope"]
        for table in (
            workspace,
            last.get("editor", {}),
            last.get("initializationOptions", {}),
            {"scope": "auto"},
        )
        if "scope" in table
    )
