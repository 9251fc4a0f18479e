"""An editor, a real server, the tap between them and a model that is held: what a journey is run on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

from tests.editors.conformance.driver import Driver, Place
from tests.editors.conformance.held_model import HeldAnswer, HeldModel, held_model
from tests.editors.conformance.neighbour import Neighbour, neighbour
from tests.editors.conformance.wire import APPLY, Wire, wire
from tests.editors.lanes import lanes_config

LIMIT_S = 20.0
LOOK_AGAIN_S = 0.05
"""An editor may show something a moment after the last message, and nobody tells when."""

MOST_UNDO_STEPS = 60
EDIT_CHANGED = "twospeed/editChanged"
ICONS = {"lightning": "⚡", "deep": "🧠"}


class Stage:
    """What a journey sees.

    Attributes:
        path: The file of this journey.
        beside: Its other files.
        undo_steps: How often it pressed undo to have the old text again; ``None`` where it did not.
    """

    path: Path
    beside: list[Path]
    undo_steps: int | None

    def __init__(
        self, driver: Driver, model: HeldModel, told: Wire, neighbour: Neighbour, project: Path
    ) -> None:
        self.driver, self.model, self.wire, self.neighbour = driver, model, told, neighbour
        self.project = project
        self._n_files = 0
        self._since = 0

    # Before

    async def begin(self, name: str, content: str, beside: Mapping[str, str] | None = None) -> None:
        """Open a new file for a journey, with everything else as it was at first, and write those beside it."""
        self.model.forget()
        self.undo_steps = None
        self._since = len(self.wire.said)
        self.path = self._new_file(name, content)
        self.beside = [self._new_file(*each) for each in (beside or {}).items()]
        await self.driver.begin(self.path, *self.beside)
        await self.driver.open(self.path)

    def _new_file(self, name: str, content: str) -> Path:
        """Write a file that no journey had before."""
        self._n_files += 1
        path = self.project / f"{self._n_files:02}_{name}"
        path.write_bytes(content.encode())
        return path

    # While

    def answers(self, code: str) -> HeldAnswer:
        """Have the model answer the next request with this code, as far as it is let."""
        return self.model.will_say(f"```python\n{code}```\n")

    async def ask(self, code: str, line: int, instruction: str = "count them") -> HeldAnswer:
        """Ask for an edit at a line; return its answer when the model is asked for it, held."""
        answer = self.answers(code)
        await self.driver.put_cursor(line, 4)
        await self.driver.edit(instruction)
        await answer.asked(LIMIT_S)
        return answer

    async def stream(self, answer: HeldAnswer, lines: int) -> None:
        """Let an answer come up to so many lines of its code; where the editor streams, wait until one more is there."""
        before = await self.driver.text()
        await answer.say(lines + 1)  # the fence
        if self.driver.STREAMS:
            await self.until(lambda text: text != before, "something of the edit is there")

    async def until(self, condition: Callable[[str], bool], what: str) -> None:
        """Wait until the shown file's text is as it should be."""
        await self.until_seen(self.driver.text, condition, what)

    async def is_text(self, expected: str) -> None:
        """Wait until the shown file's text is this."""
        await self.until_seen(self.driver.text, lambda text: text == expected, f"the text is\n{expected}")

    async def is_in_review(self, expected: str) -> None:
        """Wait until the text is this, and the server knows: it says so, or it is told of the change as any server is."""
        await self._is_over(expected)
        if not self.states():
            await self.wire.until(
                lambda: bool(self.wire.from_editor("textDocument/didChange", self._since)), LIMIT_S
            )

    async def _is_over(self, expected: str) -> None:
        """Wait until the text is this and, where the editor is told, no edit runs any more and it shows none."""
        await self.is_text(expected)
        await self.wire.until(lambda: not {"queued", "running"} & self.states(), LIMIT_S)
        if "mode_line" not in self.driver.LACKS:
            await self.until_seen(
                self.driver.mode_line, lambda line: self.driver.RUNNING not in line, "no edit is shown to run"
            )

    def states(self) -> set[str]:
        """Give the state of each edit of the server that runs, in so far as the editor is told."""
        told = self.wire.from_server(EDIT_CHANGED, max(self._since, self.wire.newest_session))
        return set({each["editId"]: each["state"] for each in told}.values())

    async def shows(self, *words: str) -> None:
        """Wait until the mode line has these words or icons in it."""
        await self.until_seen(
            self.driver.mode_line,
            lambda line: all(word in line for word in words),
            f"the mode line has {words}",
        )

    async def until_seen(
        self, look: Callable[[], Awaitable[str]], condition: Callable[[str], bool], what: str
    ) -> None:
        seen = ""
        try:
            async with asyncio.timeout(LIMIT_S):
                while not condition(seen := await look()):
                    await self.wire.next(LOOK_AGAIN_S)
        except TimeoutError:
            raise AssertionError(f"{self.driver.TITLE}: it is not so that {what}; it shows\n{seen}") from None

    async def type_at_end_of(self, line: str, text: str) -> None:
        """Type behind a line, wherever it is now."""
        lines = (await self.driver.text()).splitlines()
        await self.driver.put_cursor(lines.index(line), len(line))
        await self.driver.type(text)

    # After

    async def saved_as(self, expected: str, path: Path | None = None) -> None:
        """Save, and compare to the byte; a server beside ours has the same text."""
        await self.driver.save()
        saved = path or self.path
        found = saved.read_bytes()
        assert found == expected.encode(), f"{self.driver.TITLE} has saved\n{found.decode(errors='replace')}"
        if not self.driver.ALONE:
            await self.neighbour.has(saved, expected, LIMIT_S)

    async def saved_after(self, expected: str) -> None:
        """Wait until the text is this and no edit runs, then save, and compare to the byte."""
        await self._is_over(expected)
        await self.saved_as(expected)

    async def undone_to(self, expected: str) -> None:
        """Undo until the text is this, and count."""
        self.undo_steps = 0
        while await self.driver.text() != expected:
            assert self.undo_steps < MOST_UNDO_STEPS, f"undo does not lead back:\n{await self.driver.text()}"
            await self.driver.undo()
            self.undo_steps += 1

    async def changes_mode(self, mode: str) -> None:
        """Switch to a mode, whichever it is now."""
        await self.driver.toggle()
        await self.wire.until(lambda: self._mode() == mode, LIMIT_S)

    def _mode(self) -> str:
        """Give the mode by what the server said of it last."""
        for each in reversed(self.wire.said):
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
        """How many edits the editor was sent in this journey."""
        return sum(len(self.wire.from_server(method, self._since)) for method in APPLY)

    @property
    def round_trips_ms(self) -> list[float]:
        """How long it took to answer each."""
        return self.wire.round_trips_ms(self._since)


@contextlib.asynccontextmanager
async def stage(kind: type[Driver], folder: Path) -> AsyncIterator[Stage]:
    """Start an editor; everything has ended when the block is left."""
    home, project = folder / "home", folder / "project"
    for each in (home, project, project / ".git"):
        each.mkdir(parents=True)
    async with held_model() as model, wire(folder) as told, neighbour(folder) as second:
        config = folder / "config.toml"
        presets = "".join(
            f'[[presets]]\ntitle = "{words}"\ninstruction = "{words}"\n' for words in kind.PRESETS
        )
        config.write_text(lanes_config(model.base_url) + presets)
        homes = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
        environment = {
            **os.environ,
            **dict.fromkeys(homes, str(home)),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "TWOSPEED_CONFIG": str(config),
            "TWOSPEED_NEIGHBOUR": json.dumps(second.command),
        }
        async with kind.started(Place(home, project, told.command, told, environment)) as driver:
            yield Stage(driver, model, told, second, project)
