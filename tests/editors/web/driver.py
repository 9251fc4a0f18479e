"""The browser page in the journeys: `twospeed web`, in Chromium."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

from tests.editors.browser.browser import Browser, browser, is_installed
from tests.editors.conformance.driver import Driver, Place
from tests.editors.conformance.wire import Said, Wire
from tests.editors.web.served import served

MANY = "1000000"
"""More than all journeys spend."""

EYES = Path(__file__).with_name("eyes.js")


class Page(Driver):
    """The page as a person has it who starts `twospeed web` with some files, each journey anew."""

    TITLE = "Browser"
    INSTALL = "make test-web"
    ALONE = "the page speaks to the server that it came from, and to nobody else"
    LACKS: ClassVar[Mapping[str, str]] = {
        "take_action": "the page has no code actions: what it can do has a key or a button",
        "restart_server": "the page comes from the server, and a new one begins with the files as they are on disk",
    }

    def __init__(self, page: Browser, place: Place, servers: contextlib.AsyncExitStack) -> None:
        self.page = page
        self._place = place
        self._servers = servers

    @classmethod
    def is_installed(cls) -> bool:
        return is_installed()

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, place: Place) -> AsyncIterator[Self]:
        async with (
            browser(place.environment, _hearing(place.wire)) as page,
            contextlib.AsyncExitStack() as servers,
        ):
            await page.call("addInitScript", {"path": str(EYES)})
            yield cls(page, place, servers)

    # Files

    async def begin(self, *paths: Path) -> None:
        """Start it with these files, and open its address."""
        await self._servers.aclose()
        arguments = (*map(str, paths), "--max-edits", MANY, "--max-tokens", MANY)
        address, process = await self._servers.enter_async_context(
            served(*arguments, environment=self._place.environment)
        )
        await self._place.wire.begin_session(process.pid)
        await self.page.call("goto", address)
        await self.page.see("html[data-ready=true]")

    async def open(self, path: Path) -> None:
        tab = f"#tabs button:has-text('{path.name}')"
        await self.page.call("click", tab)
        await self.page.see(f"{tab}[aria-pressed=true]")

    async def text(self) -> str:
        text: str = await self.page.js("eyes.text")
        return text

    async def save(self) -> None:
        changed = "#tabs button:has-text('●')"
        shown = await self.page.call("textContent", "#tabs button[aria-pressed=true]")
        while await self.page.call("isVisible", changed):
            await self.page.call("click", changed)
            await self.page.press("Control+s")
            await self.page.see("#tabs button[aria-pressed=true]:not(:has-text('●'))")
        await self.page.call("click", f"#tabs button:has-text('{shown.split()[0]}')")

    # Hands

    async def put_cursor(self, line: int, column: int) -> None:
        await self.page.call("mouse.click", *await self.page.js("eyes.placeOf", line, column))

    async def select_lines(self, first: int, last: int) -> None:
        await self.put_cursor(first, 0)
        await self.page.press("Shift+ArrowDown", last + 1 - first)

    async def type(self, text: str) -> None:
        first, *lines = text.split("\n")
        await self.page.type(first)
        for line in lines:
            await self.page.press("Enter")
            await self._take_back_indentation()
            await self.page.type(line)

    async def _take_back_indentation(self) -> None:
        """The page indents a new line, as most editors do and no journey wants."""
        if await self.page.js("eyes.isIndented"):
            await self.page.press("Shift+Home")
            await self.page.press("Delete")

    async def undo(self) -> None:
        await self.page.press("Control+z")

    # Twospeed

    async def edit(self, instruction: str) -> None:
        await self._ask(instruction, 1)

    async def _ask(self, instruction: str, n_answers: int) -> None:
        await self.page.press("Control+k")
        await self.page.see("#prompt .scope:not(:empty)")
        for _ in range(1, n_answers):
            await self.page.call("click", "#prompt .answers")
        await self.page.type(instruction)
        await self.page.press("Enter")

    async def toggle(self) -> None:
        await self.page.press("Control+Shift+L")

    async def mode_line(self) -> str:
        line: str = await self.page.call("innerText", "#status")
        return line

    async def cancel(self) -> None:
        await self.page.press("Escape")

    async def steer(self, instruction: str) -> None:
        await self.edit(instruction)

    async def accept(self) -> None:
        await self.page.press("Control+Shift+Enter")
        # The old lines and the buttons of each hunk go, and what is below them moves up: a click has to come later.
        await self.page.call("waitForSelector", "#review", {"state": "hidden"})

    async def reject(self) -> None:
        await self.page.press("Control+Shift+Backspace")

    async def accept_hunk(self) -> None:
        await self.page.press("Alt+Enter")

    async def reject_hunk(self) -> None:
        await self.page.press("Alt+Delete")

    async def follow_up(self, instruction: str) -> None:
        """Asked where an edit is in review, the prompt goes on from it."""
        await self.edit(instruction)

    async def retry(self) -> None:
        await self.page.press("F9")

    async def repeat(self) -> None:
        await self.page.press("Shift+F9")

    async def edit_for_answers(self, instruction: str, count: int) -> None:
        await self._ask(instruction, count)

    async def next_answer(self) -> None:
        await self.page.press("F8")


def _hearing(wire: Wire) -> Any:
    """Pass on what the page and its server say as the tap would; files are none of its business."""

    async def hear(told: dict[str, Any]) -> None:
        if urlsplit(told["url"]).path == "/":
            sender = "editor" if told["from"] == "page" else "server"
            await wire.hear(Said(sender, told["at"], len(wire.pids), json.loads(told["text"])))

    return hear
