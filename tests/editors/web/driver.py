"""The driver of the browser page: `twospeed web` in Chromium."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

from tests.editors.browser.browser import Browser, browser, is_installed
from tests.editors.conformance.driver import Driver, Launch
from tests.editors.conformance.wire import Message, Wire
from tests.editors.web.served import served

NO_LIMIT = "1000000"
"""More edits and tokens than all scenarios use."""

WINDOW = {"width": 1200, "height": 4000}
"""High enough for all lines of each scenario: the page draws only the lines in the window."""

PAGE_READER = Path(__file__).with_name("page_reader.js")


class Page(Driver):
    """The page of `twospeed web`, which is restarted with the files of each scenario."""

    TITLE = "Browser"
    INSTALL = "make test-web"
    NO_SECOND_SERVER = "the page connects only to the server that serves it"
    UNSUPPORTED: ClassVar[Mapping[str, str]] = {
        "restart_server": "the server serves the page, and a new one starts with the files on disk",
    }

    def __init__(self, page: Browser, launch: Launch, servers: contextlib.AsyncExitStack) -> None:
        self.page = page
        self._place = launch
        self._servers = servers

    @classmethod
    def is_installed(cls) -> bool:
        return is_installed()

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, launch: Launch) -> AsyncIterator[Self]:
        async with (
            browser(launch.environment, _recorder(launch.wire)) as page,
            contextlib.AsyncExitStack() as servers,
        ):
            await page.call("setViewportSize", WINDOW)
            await page.call("addInitScript", {"path": str(PAGE_READER)})
            yield cls(page, launch, servers)

    # Files

    async def begin(self, *paths: Path) -> None:
        """Restart `twospeed web` with these files, and open its address."""
        await self._servers.aclose()
        arguments = (*map(str, paths), "--max-edits", NO_LIMIT, "--max-tokens", NO_LIMIT)
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
        text: str = await self.page.js("reader.text")
        return text

    async def save(self) -> None:
        changed = "#tabs button:has-text('●')"
        shown = await self.page.call("textContent", "#tabs button[aria-pressed=true]")
        while await self.page.call("isVisible", changed):
            await self.page.call("click", changed)
            await self.page.press("Control+s")
            await self.page.see("#tabs button[aria-pressed=true]:not(:has-text('●'))")
        await self.page.call("click", f"#tabs button:has-text('{shown.split()[0]}')")

    # Keyboard

    async def put_cursor(self, line: int, column: int) -> None:
        await self.page.call("mouse.click", *await self.page.js("reader.placeOf", line, column))

    async def select_lines(self, first: int, last: int) -> None:
        await self.put_cursor(first, 0)
        await self.page.press("Shift+ArrowDown", last + 1 - first)

    async def type(self, text: str) -> None:
        first, *lines = text.split("\n")
        await self.page.type(first)
        for line in lines:
            await self.page.press("Enter")
            await self._remove_indentation()
            await self.page.type(line)

    async def _remove_indentation(self) -> None:
        """Remove the automatic indentation of a new line."""
        if await self.page.js("reader.isIndented"):
            await self.page.press("Shift+Home")
            await self.page.press("Delete")

    async def undo(self) -> None:
        await self.page.press("Control+z")

    async def redo(self) -> None:
        await self.page.press("Control+y")

    # Twospeed

    async def edit(self, instruction: str) -> None:
        await self._request(instruction, 1)

    async def _request(self, instruction: str, n_answers: int) -> None:
        await self.page.press("Control+k")
        await self.page.see("#prompt .scope:not(:empty)")
        for _ in range(1, n_answers):
            await self.page.call("click", "#prompt .answers")
        await self.page.type(instruction)
        await self.page.press("Enter")

    async def edit_places(self, lines: Sequence[int], instruction: str) -> None:
        await self.put_cursor(lines[0], 4)
        await self.page.call("keyboard.down", "Control")
        for line in lines[1:]:
            await self.put_cursor(line, 4)
        await self.page.call("keyboard.up", "Control")
        await self.edit(instruction)

    async def run_code_action(self, title: str) -> None:
        await self.page.press("Control+.")
        await self.page.call("click", f"dialog button:has-text('{title}')")

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
        # Wait: the old lines and buttons disappear, which moves the text below, so an earlier click would miss.
        await self.page.call("waitForSelector", "#review", {"state": "hidden"})

    async def reject(self) -> None:
        await self.page.press("Control+Shift+Backspace")

    async def accept_hunk(self) -> None:
        await self.page.press("Alt+Enter")

    async def reject_hunk(self) -> None:
        await self.page.press("Alt+Delete")

    async def follow_up(self, instruction: str) -> None:
        """Use the prompt: at an edit in review it requests a follow-up."""
        await self.edit(instruction)

    async def retry(self) -> None:
        await self.page.press("F9")

    async def repeat(self) -> None:
        await self.page.press("Shift+F9")

    async def edit_for_answers(self, instruction: str, count: int) -> None:
        await self._request(instruction, count)

    async def next_answer(self) -> None:
        await self.page.press("F8")


def _recorder(wire: Wire) -> Any:
    """Return a handler that records the LSP messages of the page, and ignores its other WebSockets."""

    async def record(frame: dict[str, Any]) -> None:
        if urlsplit(frame["url"]).path == "/":
            sender = "editor" if frame["from"] == "page" else "server"
            await wire.record(Message(sender, frame["at"], len(wire.pids), json.loads(frame["text"])))

    return record
