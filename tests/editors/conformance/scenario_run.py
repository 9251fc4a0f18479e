"""One running editor for scenarios, with a real server, the tap between them and a held model."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

from tests.editors.conformance.driver import Driver, Launch
from tests.editors.conformance.held_model import HeldAnswer, HeldModel, held_model
from tests.editors.conformance.second_server import SecondServer, second_server
from tests.editors.conformance.wire import APPLY, Wire, wire
from tests.editors.lanes import lanes_config

LIMIT_S = 20.0
POLL_S = 0.05
"""Seconds between two reads of the editor, which may show a change after the last message without an event."""

MAX_UNDO_STEPS = 60
EDIT_CHANGED = "twospeed/editChanged"
ICONS = {"lightning": "⚡", "deep": "🧠", "both": "⚡🧠"}


class ScenarioRun:
    """The editor, server and model of a scenario, with the steps that scenarios share.

    Attributes:
        path: The file of the current scenario.
        other_paths: Its other files.
        undo_steps: The number of undo commands in `undo_until`, None if it was not called.
        edit_ms: Milliseconds from the first request to the model until the edit was in review, None if it was not measured.
    """

    path: Path
    other_paths: list[Path]
    undo_steps: int | None
    edit_ms: float | None

    def __init__(
        self, driver: Driver, model: HeldModel, wire: Wire, second_server: SecondServer, project: Path
    ) -> None:
        self.driver, self.model, self.wire, self.second_server = driver, model, wire, second_server
        self.project = project
        self._n_files = 0
        self._since = 0

    # Before the edit

    async def begin(self, name: str, content: str, other_files: Mapping[str, str] | None = None) -> None:
        """Reset the state, write the files of a scenario and open the first one."""
        self.model.discard_prepared()
        self.undo_steps = self.edit_ms = None
        self._since = len(self.wire.messages)
        self.path = self._new_file(name, content)
        self.other_paths = [self._new_file(*each) for each in (other_files or {}).items()]
        await self.driver.begin(self.path, *self.other_paths)
        await self.driver.open(self.path)

    def _new_file(self, name: str, content: str) -> Path:
        """Write a file with a name that no earlier scenario used."""
        self._n_files += 1
        path = self.project / f"{self._n_files:02}_{name}"
        path.write_bytes(content.encode())
        return path

    # During the edit

    def prepare_answer(self, code: str) -> HeldAnswer:
        """Prepare this code as the held answer to the next request."""
        return self.model.prepare(f"```python\n{code}```\n")

    async def request_edit(self, code: str, line: int, instruction: str = "count them") -> HeldAnswer:
        """Request an edit at a line; return its held answer when the model received the request."""
        answer = self.prepare_answer(code)
        await self.driver.put_cursor(line, 4)
        await self.driver.edit(instruction)
        await answer.requested(LIMIT_S)
        return answer

    async def stream(self, answer: HeldAnswer, lines: int) -> None:
        """Release an answer up to this number of code lines; if the editor streams, wait until the text changes."""
        before = await self.driver.text()
        await answer.release(lines + 1)  # and the line of the fence
        if self.driver.STREAMS:
            await self.until(lambda text: text != before, "a part of the edit is applied")

    async def until(self, condition: Callable[[str], bool], what: str) -> None:
        """Wait until the text of the shown file meets a condition."""
        await self.until_value(self.driver.text, condition, what)

    async def until_text(self, expected: str) -> None:
        """Wait until the text of the shown file equals `expected`."""
        await self.until_value(self.driver.text, lambda text: text == expected, f"the text is\n{expected}")

    async def until_in_review(self, expected: str) -> None:
        """Wait until the text equals `expected` and the server has received this change."""
        await self._until_idle(expected)
        if not self.edit_states():
            await self.wire.until(
                lambda: bool(self.wire.from_editor("textDocument/didChange", self._since)), LIMIT_S
            )

    async def _until_idle(self, expected: str) -> None:
        """Wait until the text equals `expected`, no edit runs and the mode line shows none."""
        await self.until_text(expected)
        await self.wire.until(lambda: not {"queued", "running"} & self.edit_states(), LIMIT_S)
        if "mode_line" not in self.driver.UNSUPPORTED:
            await self.until_value(
                self.driver.mode_line,
                lambda line: self.driver.RUNNING not in line,
                "the mode line shows no running edit",
            )

    def edit_states(self) -> set[str]:
        """Return the states of the edits of the running server that it reported to the editor."""
        reported = self.wire.from_server(EDIT_CHANGED, max(self._since, self.wire.newest_session))
        return set({each["editId"]: each["state"] for each in reported}.values())

    async def until_mode_line(self, *words: str) -> None:
        """Wait until the mode line contains these words or icons."""
        await self.until_value(
            self.driver.mode_line,
            lambda line: all(word in line for word in words),
            f"the mode line contains {words}",
        )

    async def until_value(
        self, read: Callable[[], Awaitable[str]], condition: Callable[[str], bool], what: str
    ) -> None:
        """Call `read` until its result meets a condition; `what` describes it in the error message."""
        value = ""
        try:
            async with asyncio.timeout(LIMIT_S):
                while not condition(value := await read()):
                    await self.wire.wait_for_next(POLL_S)
        except TimeoutError:
            raise AssertionError(
                f"{self.driver.TITLE}: timeout before {what}; last value:\n{value}"
            ) from None

    async def type_at_end_of(self, line: str, text: str) -> None:
        """Type at the end of the line with this text."""
        lines = (await self.driver.text()).splitlines()
        await self.driver.put_cursor(lines.index(line), len(line))
        await self.driver.type(text)

    # After the edit

    async def save_and_compare(self, expected: str, path: Path | None = None) -> None:
        """Save, and compare the file byte for byte and the text of the second server."""
        await self.driver.save()
        path = path or self.path
        found = path.read_bytes()
        assert found == expected.encode(), f"{self.driver.TITLE} saved\n{found.decode(errors='replace')}"
        if not self.driver.NO_SECOND_SERVER:
            await self.second_server.has(path, expected, LIMIT_S)

    async def finish_and_compare(self, expected: str) -> None:
        """Wait until the text equals `expected` and no edit runs, then save and compare."""
        await self._until_idle(expected)
        await self.save_and_compare(expected)

    async def undo_until(self, expected: str) -> None:
        """Undo until the text equals `expected`, and count the steps."""
        self.undo_steps = 0
        while await self.driver.text() != expected:
            assert self.undo_steps < MAX_UNDO_STEPS, (
                f"undo does not restore the text:\n{await self.driver.text()}"
            )
            await self.driver.undo()
            self.undo_steps += 1

    async def switch_mode(self, mode: str) -> None:
        """Toggle the mode until it is `mode`."""
        while (before := self._mode()) != mode:
            await self.driver.toggle()
            await self.wire.until(lambda: self._mode() != before, LIMIT_S)

    def _mode(self) -> str:
        """Return the mode that the server reported last."""
        for each in reversed(self.wire.messages):
            method, params = each.message.get("method"), each.message.get("params") or {}
            if each.sender == "server" and method == "twospeed/modeChanged":
                return str(params["mode"])
            if each.sender == "server" and method == "window/showMessage":
                for mode, icon in ICONS.items():
                    if params["message"].startswith(f"{icon} "):
                        return mode
        return "lightning"

    @property
    def edits_sent(self) -> int:
        """The number of applyEdit requests in this scenario."""
        return sum(len(self.wire.from_server(method, self._since)) for method in APPLY)

    @property
    def round_trips_ms(self) -> list[float]:
        """The times from each applyEdit request to its response."""
        return self.wire.round_trips_ms(self._since)


@contextlib.asynccontextmanager
async def scenario_run(
    kind: type[Driver], folder: Path, *, more_config: str = ""
) -> AsyncIterator[ScenarioRun]:
    """Start an editor with server and model; end all when the context closes."""
    home, project = folder / "home", folder / "project"
    for each in (home, project, project / ".git"):
        each.mkdir(parents=True)
    async with held_model() as model, wire(folder) as messages, second_server(folder) as second:
        config = folder / "config.toml"
        presets = "".join(
            f'[[presets]]\ntitle = "{words}"\ninstruction = "{words}"\n' for words in kind.PRESETS
        )
        config.write_text(lanes_config(model.base_url) + presets + more_config)
        homes = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
        environment = {
            **os.environ,
            **dict.fromkeys(homes, str(home)),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "TWOSPEED_CONFIG": str(config),
            "TWOSPEED_SECOND_SERVER": json.dumps(second.command),
        }
        async with kind.started(Launch(home, project, messages.command, messages, environment)) as driver:
            yield ScenarioRun(driver, model, messages, second, project)
