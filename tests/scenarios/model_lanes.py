"""An editor whose server has lanes of scripted providers, and a scripted clock."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.scenarios.editor import STREAMING, URI, Editor
from tests.scenarios.shop import TEXT

KEY = "lab-live-0123456789abcdef"

_KEY = 'api_key_env = "LAB_API_KEY"\n'


@dataclass
class Time:
    """A scripted clock in seconds that records the waits."""

    now: float = 0.0
    waits: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


@asynccontextmanager
async def editor_on(
    folder: Path,
    lane: Mapping[str, str],
    time: Time,
    *,
    deep: Mapping[str, str] | None = None,
    key: str | None = None,
    more: str = "",
    over_sockets: bool = False,
    capabilities: Mapping[str, Any] = STREAMING,
) -> AsyncIterator[Editor]:
    """Start an editor with ``shop.TEXT`` open.

    Args:
        folder: The folder of the config.
        lane: Base URLs by provider, in order; both modes run on them,
        time: The clock of the waits between requests.
        deep: The base URLs of the deep lane, if it differs.
        key: The key of all providers.
        more: Further lines of the config.
        over_sockets: Whether the models speak Responses over WebSockets, not Chat Completions.
        capabilities: The editor's.
    """
    config = folder / "config.toml"
    lanes = {"lightning": lane, "deep": lane if deep is None else deep}
    entries = [
        f'[[lanes.{mode}]]\nprovider = "{name}"\nmodel = "m"\n'
        for mode, names in lanes.items()
        for name in names
    ]
    protocol = 'api = "responses"\nwebsocket = true' if over_sockets else 'api = "chat"'
    providers = [
        f'[providers.{name}]\n{protocol}\nbase_url = "{url}"\n{_KEY if key else ""}'
        for name, url in {**lane, **(deep or {})}.items()
    ]
    config.write_text("".join([*entries, *providers, more]))
    environ = {"TWOSPEED_CONFIG": str(config), **({"LAB_API_KEY": key} if key else {})}
    async with await Editor.started(capabilities, environ=environ) as editor:
        assert editor.server.session
        editor.server.session.source.clock = time
        editor.server.session.source.sleep = time.sleep
        editor.open(TEXT)
        yield editor


@asynccontextmanager
async def with_lanes(
    folder: Path, *, more: str = "", deep: str = "lab", capabilities: Mapping[str, Any] = STREAMING
) -> AsyncIterator[Editor]:
    """Start an editor whose lanes name models, for `Editor.serve` to open; ``shop.TEXT`` is open.

    Args:
        folder: The folder of the config.
        more: Further lines of the config.
        deep: The provider of the deep lane.
        capabilities: The editor's.
    """
    config = folder / "config.toml"
    lanes = [
        f'[[lanes.{mode}]]\nprovider = "{name}"\nmodel = "m"\n'
        for mode, name in (("lightning", "lab"), ("deep", deep))
    ]
    providers = [
        f'[providers.{name}]\napi = "chat"\nbase_url = "http://127.0.0.1:9/v1"\n'
        for name in {"lab", deep} - {"builtin"}
    ]
    config.write_text("".join([*lanes, *providers, more]))
    async with await Editor.started(capabilities, environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        editor.open(TEXT)
        yield editor


def shown_to_person(editor: Editor) -> list[str]:
    """Return the messages that the server has shown."""
    return [params["message"] for params in editor.messages("window/showMessage")]


def check_ending(editor: Editor, result: Any, *, outcome: str, code: str, words: str) -> None:
    """Assert one outcome with its code, a sentence without the key, and an unchanged document."""
    assert (result["outcome"], result["reason"]["code"]) == (outcome, code), result["reason"]
    sentence = result["reason"]["message"]
    assert words in sentence
    assert "\n" not in sentence
    assert not sentence.endswith(".")
    assert KEY not in str(editor.notifications) + str(result)
    assert editor.buffers[URI].text == TEXT
    ended = [each for each in editor.messages("twospeed/editChanged") if each["editId"] == result["editId"]]
    assert [each["outcome"] for each in ended if each["outcome"]] == [outcome] * bool(ended)
