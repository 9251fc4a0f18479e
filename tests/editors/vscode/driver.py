"""VS Code in the journeys: the real workbench in Chromium, with the extension of this project."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import urlencode, urlsplit

from tests.editors.browser.browser import Browser, BrowserTimeout, browser
from tests.editors.browser.browser import is_installed as has_browser
from tests.editors.conformance.driver import Driver, Place
from tests.editors.conformance.stage import LIMIT_S
from tests.editors.conformance.wire import Wire
from tests.editors.vscode.code_server import code_server, furnish, workbench

EXTENSION = Path(__file__).parents[3] / "editors/vscode"
BOX = ".quick-input-widget input[type=text]:focus"
PROMPT = ".quick-input-widget .quick-input-title"
FOCUSED = ".editor-instance .monaco-editor.focused"
MENU = ".action-widget .monaco-list"
READY = ".statusbar-item:has-text('⚡')"
STATUS = """() => Array.from(
  document.querySelectorAll('.statusbar-item .statusbar-item-label'),
  (item) => item.getAttribute('aria-label') ?? '',
).join('\\n')"""


class EyesError(Exception):
    """The extension host could not do it; says why."""


class Eyes:
    """The line to `eyes.ts`, which is in the extension host."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._line: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
            asyncio.get_running_loop().create_future()
        )

    async def use(self, skill: str, what: object = None) -> Any:
        """Have it do something, and give the result."""
        reader, writer = await self._line
        writer.write(json.dumps({"id": next(self._ids), "skill": skill, "what": what}).encode() + b"\n")
        async with asyncio.timeout(LIMIT_S):
            answer = json.loads(await reader.readline())
        if "error" in answer:
            raise EyesError(answer["error"])
        return answer["result"]

    async def opened(self) -> None:
        """Wait until it is there."""
        async with asyncio.timeout(2 * LIMIT_S):  # a workbench takes its time
            await asyncio.shield(self._line)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._line.set_result((reader, writer))

    def _close(self) -> None:
        if self._line.done():
            self._line.result()[1].close()


@contextlib.asynccontextmanager
async def _eyes(path: Path) -> AsyncIterator[Eyes]:
    eyes = Eyes()
    server = await asyncio.start_unix_server(eyes._accept, path)
    try:
        yield eyes
    finally:
        server.close()
        eyes._close()


class InWorkbench(Driver):
    """The workbench with an extension, driven by keys; documents are looked at where they live.

    Attributes:
        SETTING: Of the extension, what starts the server.
    """

    INSTALL = "make test-vscode"
    SETTING: ClassVar[str]

    def __init__(self, page: Browser, eyes: Eyes, wire: Wire) -> None:
        self.page = page
        self.eyes = eyes
        self.wire = wire

    @classmethod
    def is_installed(cls) -> bool:
        folder = workbench()
        return has_browser() and folder is not None and (folder / "eyes.js").is_file()

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, place: Place) -> AsyncIterator[Self]:
        scratch = place.folder / "vscode"
        furnish(scratch, {cls.SETTING: cls.command(place)})
        variables = {**place.environment, "TWOSPEED_EYES": str(place.folder / "eyes")}
        async with (
            _eyes(place.folder / "eyes") as eyes,
            code_server(scratch, variables) as address,
            browser(place.environment) as page,
        ):
            # What a workbench calls that runs tests; only what the eyes say counts here.
            nothing = "globalThis.codeAutomationLog = globalThis.codeAutomationExit = () => {};"
            await page.call("addInitScript", {"content": nothing})
            await page.call("goto", _page_of(address, place.project, cls.extension(place)))
            await eyes.opened()
            started = cls(page, eyes, place.wire)
            await started.is_ready()
            yield started

    @classmethod
    def command(cls, place: Place) -> list[str]:
        """Give what the setting wants of the server's command."""
        raise NotImplementedError

    @classmethod
    def extension(cls, place: Place) -> Path:
        """Give the extension's folder."""
        raise NotImplementedError

    async def is_ready(self) -> None:
        """Wait until the extension is there, in so far as it says so."""

    # Files

    async def open(self, path: Path) -> None:
        await self.eyes.use("open", str(path))
        await self.page.see(FOCUSED)

    async def text(self) -> str:
        text: str = await self.eyes.use("text")
        return text

    async def save(self) -> None:
        await self.eyes.use("save")

    # Hands

    async def put_cursor(self, line: int, column: int) -> None:
        await self.eyes.use("putCursor", [line, column])

    async def select_lines(self, first: int, last: int) -> None:
        await self.put_cursor(first, 0)
        await self.page.press("Shift+ArrowDown", last + 1 - first)
        await self.eyes.use("settle")

    async def type(self, text: str) -> None:
        await self.page.type(text)
        await self.eyes.use("settle")

    async def undo(self) -> None:
        await self.page.press("Control+z")
        await self.eyes.use("settle")

    async def toggle(self) -> None:
        await self._press("Control+Shift+L")

    async def _press(self, keys: str) -> None:
        """Press keys whose meaning depends on what the extension knows; the window knows it, too, by then."""
        await self.eyes.use("settle")
        await self.page.press(keys)
        await self.eyes.use("settle")

    async def click_action(self, title: str) -> bool:
        """Open the menu of code actions, and click the first of this title; tell whether there was one."""
        selected = await self.eyes.use("selected")
        await self.page.press("Control+.")
        row = f"{MENU} .monaco-list-row:has-text('{title}') >> nth=0"
        try:
            await self.page.call("waitForSelector", row, {"timeout": 2000})
        except BrowserTimeout:  # it is not in the menu, or there is none before a server has answered
            await self._press("Escape")  # before the menu has come it takes back the selection instead
            await self.eyes.use("select", selected)
            return False
        await self.page.call("click", row)
        return True


class Workbench(InWorkbench):
    """The workbench with the extension of this project."""

    TITLE = "VS Code"
    RUNNING = "loading"
    SETTING = "twospeed.command"

    @classmethod
    def command(cls, place: Place) -> list[str]:
        return list(place.command[:-2])  # it adds what to serve on

    @classmethod
    def extension(cls, place: Place) -> Path:
        return EXTENSION

    async def is_ready(self) -> None:
        """Wait until the server is there, too."""
        await self.page.see(READY)

    async def edit(self, instruction: str) -> None:
        await self._press("Alt+k")
        await self._answer(instruction)

    async def _answer(self, words: str) -> None:
        """Type into the box that asks."""
        await self.page.see(BOX)
        await self.page.type(words)
        await self.page.press("Enter")
        await self.page.see(FOCUSED)

    async def _choose(self, title: str) -> None:
        """Choose a command from the palette, by its name."""
        await self._press("F1")
        await self.page.see(BOX)
        await self.page.type(title)
        await self.page.see(f".quick-input-list .monaco-list-row.focused:has-text('{title}')")
        await self.page.press("Enter")

    async def take_action(self, title: str) -> None:
        """Look into the menu until it is there: a server may need a moment after the last change."""
        async with asyncio.timeout(LIMIT_S):
            while True:
                if await self.click_action(title):
                    return

    async def mode_line(self) -> str:
        line: str = await self.page.js(STATUS)
        return line

    async def cancel(self) -> None:
        await self._press("Escape")

    async def steer(self, instruction: str) -> None:
        await self.edit(instruction)

    async def accept(self) -> None:
        await self._press("Shift+Alt+Enter")

    async def reject(self) -> None:
        await self._press("Shift+Alt+Delete")

    async def accept_hunk(self) -> None:
        await self._press("Alt+Enter")

    async def reject_hunk(self) -> None:
        await self._press("Alt+Delete")

    async def follow_up(self, instruction: str) -> None:
        await self._choose("twospeed: Follow Up on Edit")
        await self.page.see(f"{PROMPT}:has-text('Follow up')")
        await self._answer(instruction)

    async def retry(self) -> None:
        await self._choose("twospeed: Retry Edit in Other Mode")

    async def repeat(self) -> None:
        await self._choose("twospeed: Repeat Last Instruction Here")

    async def edit_for_answers(self, instruction: str, count: int) -> None:
        await self._choose("twospeed: Edit with Several Answers")
        await self.page.see(f"{PROMPT}:has-text('how many answers')")
        await self.page.call("click", f".quick-input-list .monaco-list-row:has-text('{count}')")
        await self.page.see(f"{PROMPT}:has-text('{count} answers')")
        await self._answer(instruction)

    async def next_answer(self) -> None:
        await self._press("Alt+]")

    async def restart_server(self) -> None:
        await self.eyes.use("run", "twospeed.restart")
        await self.page.see(READY)


def _page_of(address: str, project: Path, extension: Path) -> str:
    """Give the address that opens a project with the extension and the eyes."""
    folder = workbench()
    remote = f"vscode-remote://{urlsplit(address).netloc}"
    payload = [
        ["extensionDevelopmentPath", f"{remote}{extension}"],
        ["extensionTestsPath", f"{remote}{folder}/eyes.js"],
        ["skipWelcome", "true"],
    ]
    return f"{address}/?{urlencode({'folder': str(project), 'payload': json.dumps(payload)})}"
