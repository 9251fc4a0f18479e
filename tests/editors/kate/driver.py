"""Kate in the journeys, with nothing but what `editors/kate.md` says to write into its settings."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Self

from tests.editors.conformance.by_menu import ByMenu
from tests.editors.conformance.driver import Place
from tests.editors.conformance.stage import LIMIT_S, LOOK_AGAIN_S
from tests.editors.kate import kate as real
from tests.editors.kate.accessibility import Element
from tests.editors.kate.kate import Kate, kate

PAGE = Path(__file__).parents[3] / "editors" / "kate.md"
COMMAND_ON_PAGES = '["/path/to/twospeed/.venv/bin/twospeed", "serve", "--stdio"]'

SETTINGS = """\
[Kate Plugins]
lspclientplugin=true
[KTextEditor Document]
Indentation Mode=none
Remove Spaces=0
[KTextEditor View]
Auto Brackets=false
Auto Completion=false
[lspclient]
AllowedServerCommandLines={command}
AutoHover=false
"""
"""That the server may be started, which a person is asked once; and nothing that comes with keys on its own."""

PYTHON = """\
[Python]
Section=Scripts
Wildcards=*.py
Highlighting=Python
Indenter=none
Variables=kate: indent-mode none;
"""


class Stock(ByMenu):
    """Kate, as the system has it."""

    TITLE = "Kate"
    INSTALL = real.INSTALL
    ALONE = "a file has one server of the LSP client"
    PRESETS = ("count them", "smile", "say what it is")

    def __init__(self, kate: Kate, place: Place) -> None:
        self.kate, self.wire = kate, place.wire
        self._line: int | None = None
        """Of the cursor; ``None`` where lines are selected."""
        self._views: dict[Path, Element] = {}
        self._n_taken = 0
        self._asked: list[str] = []
        """The first lines of what edits were asked for; where they are now the menu has the edit."""

    @classmethod
    def is_installed(cls) -> bool:
        return real.is_installed()

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, place: Place) -> AsyncIterator[Self]:
        [page] = re.findall(r"^```json\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        assert COMMAND_ON_PAGES in page
        servers = page.replace(COMMAND_ON_PAGES, json.dumps(place.command))
        files = {
            "kate/lspclient/settings.json": servers,
            "katerc": SETTINGS.format(command=" ".join(place.command)),
            "katemoderc": PYTHON,
        }
        for name, text in files.items():
            path = place.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        async with kate(place.folder, place.environment) as opened:
            yield cls(opened, place)

    # Files

    async def open(self, path: Path) -> None:
        self._shown = path
        self._views[path] = await self.kate.open(path)
        await self.wire.until(lambda: self._is_attached(path), LIMIT_S)

    def _is_attached(self, path: Path) -> bool:
        opened = self.wire.from_editor("textDocument/didOpen", self.wire.newest_session)
        return any(each["textDocument"]["uri"] == path.as_uri() for each in opened)

    @property
    def _view(self) -> Element:
        return self._views[self._shown]

    async def text(self) -> str:
        """Take a finished edit first that waits to be taken, as a message says: where one was asked for."""
        ready = [
            each
            for each in self.wire.from_server("window/showMessage")
            if "The edit is ready" in each["message"]
        ]
        if len(ready) > self._n_taken:
            for asked in list(self._asked):
                lines = (await self._view.text()).split("\n")
                if asked in lines:
                    await self.put_cursor(lines.index(asked), 0)
                    if await self._takes("Apply: "):
                        self._n_taken += 1
                        self._asked.remove(asked)
                        break
        return await self._view.text()

    async def save(self) -> None:
        shown = self._shown
        for path, view in self._views.items():
            text = await view.text()
            if not _holds(path, text):
                await self.open(path)
                await self.kate.keys("ctrl+s")
                async with asyncio.timeout(LIMIT_S):
                    while not _holds(path, text):  # noqa: ASYNC110 - nobody tells of a file on disk
                        await asyncio.sleep(LOOK_AGAIN_S)
        if self._shown != shown:
            await self.open(shown)

    # Hands

    async def put_cursor(self, line: int, column: int) -> None:
        lines = (await self._view.text()).split("\n")
        before = "".join(f"{each}\n" for each in lines[:line]) + lines[line][:column]
        await self.kate.keys("ctrl+shift+a")  # nothing is selected any more
        await self._view.put_caret(len(before.encode("utf-16-le")) // 2)
        self._line = line

    async def select_lines(self, first: int, last: int) -> None:
        await self.put_cursor(first, 0)
        await self.kate.keys(*["shift+Down"] * (last + 1 - first))
        self._line, self._selected = None, first

    async def type(self, text: str) -> None:
        await self.kate.type(text)

    async def undo(self) -> None:
        await self.kate.keys("ctrl+z")

    # Twospeed

    async def edit(self, instruction: str) -> None:
        """Take a preset, since there is no other place for words; on its own a cursor means its line here."""
        lines = (await self._view.text()).split("\n")
        if self._line is not None:
            first = last = self._line
            while lines[first - 1]:
                first -= 1
            while lines[last + 1]:
                last += 1
            self._asked.append(lines[first])
            await self.select_lines(first, last)
        else:
            self._asked.append(lines[self._selected])
        await super().take_action(instruction)

    async def take_action(self, title: str) -> None:
        if self._line is not None:
            self._asked.append((await self._view.text()).split("\n")[self._line])
        await super().take_action(title)

    async def take_within(self, title: str, limit_s: float) -> None:
        now = asyncio.get_running_loop().time
        deadline = now() + limit_s
        while not await self._takes(title):
            if now() > deadline:  # and not in the midst of it: an open menu would get the next keys
                raise TimeoutError(f"no {title!r} in the menu")
            await asyncio.sleep(LOOK_AGAIN_S)

    async def _takes(self, title: str) -> bool:
        """Open the menu, and take the first line that has these words; close it where there is none."""
        await self.kate.keys("alt+Return")
        menu = await real.until(self.kate.menu)
        lines = [number for number, words in enumerate(menu, 1) if title in words]
        await self.kate.keys(*(["Down"] * lines[0] + ["Return"] if lines else ["Escape"]))
        await real.until(self.kate.has_no_menu)
        return bool(lines)

    async def toggle(self) -> None:
        await self.take_action("Switch to")

    async def restart_server(self) -> None:
        """Wait: Kate starts it again by itself; what it says of that takes the keys, until the file is shown again."""
        await self.wire.until(lambda: self._is_attached(self._shown), LIMIT_S)
        await self.open(self._shown)


def _holds(path: Path, text: str) -> bool:
    return path.read_bytes().replace(b"\r\n", b"\n") == text.encode()
