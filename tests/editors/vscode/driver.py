"""The driver of VS Code: the real workbench in Chromium, with the extension of this project."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import urlencode, urlsplit

from tests.editors.browser.browser import Browser, BrowserTimeout, browser
from tests.editors.browser.browser import is_installed as has_browser
from tests.editors.conformance.driver import Driver, Launch
from tests.editors.conformance.scenario_run import LIMIT_S
from tests.editors.conformance.wire import Wire
from tests.editors.vscode.code_server import code_server, workbench, write_settings

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


class ExtensionHostError(Exception):
    """A method of `extension_host.ts` failed; the message is its error."""


class ExtensionHost:
    """The connection to `extension_host.ts`, which runs in the extension host."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._connection: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
            asyncio.get_running_loop().create_future()
        )

    async def call(self, method: str, argument: object = None) -> Any:
        """Call one of its methods, and return the result."""
        reader, writer = await self._connection
        writer.write(
            json.dumps({"id": next(self._ids), "method": method, "argument": argument}).encode() + b"\n"
        )
        async with asyncio.timeout(LIMIT_S):
            answer = json.loads(await reader.readline())
        if "error" in answer:
            raise ExtensionHostError(answer["error"])
        return answer["result"]

    async def opened(self) -> None:
        """Wait until it has connected."""
        async with asyncio.timeout(2 * LIMIT_S):  # a workbench starts slowly
            await asyncio.shield(self._connection)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connection.set_result((reader, writer))

    def _close(self) -> None:
        if self._connection.done():
            self._connection.result()[1].close()


@contextlib.asynccontextmanager
async def _extension_host(path: Path) -> AsyncIterator[ExtensionHost]:
    host = ExtensionHost()
    server = await asyncio.start_unix_server(host._accept, path)
    try:
        yield host
    finally:
        server.close()
        host._close()


class WorkbenchDriver(Driver):
    """The workbench with an extension: keys go through the browser, documents are read in the extension host.

    Attributes:
        SETTING: The setting of the extension for the server command.
    """

    INSTALL = "make test-vscode"
    SETTING: ClassVar[str]

    def __init__(self, page: Browser, host: ExtensionHost, wire: Wire) -> None:
        self.page = page
        self.host = host
        self.wire = wire

    @classmethod
    def is_installed(cls) -> bool:
        folder = workbench()
        return has_browser() and folder is not None and (folder / "extension_host.js").is_file()

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, launch: Launch) -> AsyncIterator[Self]:
        scratch = launch.folder / "vscode"
        write_settings(scratch, {cls.SETTING: cls.command(launch)})
        variables = {**launch.environment, "TWOSPEED_EXTENSION_HOST": str(launch.folder / "extension_host")}
        async with (
            _extension_host(launch.folder / "extension_host") as host,
            code_server(scratch, variables) as address,
            browser(launch.environment) as page,
        ):
            # The workbench reports test results with these functions; the scenarios do not use them.
            stubs = "globalThis.codeAutomationLog = globalThis.codeAutomationExit = () => {};"
            await page.call("addInitScript", {"content": stubs})
            await page.call("goto", _page_of(address, launch.project, cls.extension(launch)))
            await host.opened()
            started = cls(page, host, launch.wire)
            await started.is_ready()
            yield started

    @classmethod
    def command(cls, launch: Launch) -> list[str]:
        """Return the value of the setting for the server command."""
        raise NotImplementedError

    @classmethod
    def extension(cls, launch: Launch) -> Path:
        """Return the folder of the extension."""
        raise NotImplementedError

    async def is_ready(self) -> None:
        """Wait until the extension is ready, if it shows that."""

    # Files

    async def open(self, path: Path) -> None:
        await self.host.call("open", str(path))
        await self.page.see(FOCUSED)

    async def text(self) -> str:
        text: str = await self.host.call("text")
        return text

    async def save(self) -> None:
        await self.host.call("save")

    # Keyboard

    async def put_cursor(self, line: int, column: int) -> None:
        await self.host.call("putCursor", [line, column])

    async def select_lines(self, first: int, last: int) -> None:
        await self.put_cursor(first, 0)
        await self.page.press("Shift+ArrowDown", last + 1 - first)
        await self.host.call("settle")

    async def type(self, text: str) -> None:
        await self.page.type(text)
        await self.host.call("settle")

    async def undo(self) -> None:
        await self.page.press("Control+z")
        await self.host.call("settle")

    async def redo(self) -> None:
        await self.page.press("Control+Shift+z")
        await self.host.call("settle")

    async def toggle(self) -> None:
        await self._press("Control+Shift+L")

    async def _press(self, keys: str) -> None:
        """Press keys that depend on context keys of the extension, after the window has received these."""
        await self.host.call("settle")
        await self.page.press(keys)
        await self.host.call("settle")

    async def click_code_action(self, title: str) -> bool:
        """Open the menu of code actions, and click the first with this title; return whether there was one."""
        selected = await self.host.call("selected")
        await self.page.press("Control+.")
        row = f"{MENU} .monaco-list-row:has-text('{title}') >> nth=0"
        try:
            await self.page.call("waitForSelector", row, {"timeout": 2000})
        except BrowserTimeout:  # not in the menu, or no menu before a server has answered
            await self._press("Escape")  # without an open menu, Escape removes the selection
            await self.host.call("select", selected)
            return False
        await self.page.call("click", row)
        return True


class Workbench(WorkbenchDriver):
    """The workbench with the extension of this project."""

    TITLE = "VS Code"
    RUNNING = "loading"
    SETTING = "twospeed.command"

    @classmethod
    def command(cls, launch: Launch) -> list[str]:
        return list(launch.command[:-2])  # the extension adds the arguments of `serve`

    @classmethod
    def extension(cls, launch: Launch) -> Path:
        return EXTENSION

    async def is_ready(self) -> None:
        """Wait until the server is ready."""
        await self.page.see(READY)

    async def edit(self, instruction: str) -> None:
        await self._press("Alt+k")
        await self._answer(instruction)

    async def edit_places(self, lines: Sequence[int], instruction: str) -> None:
        await self.host.call("putCursors", [[line, 4] for line in lines])
        await self.edit(instruction)

    async def _answer(self, text: str) -> None:
        """Type into the focused input box, and press Enter."""
        await self.page.see(BOX)
        await self.page.type(text)
        await self.page.press("Enter")
        await self.page.see(FOCUSED)

    async def _choose(self, title: str) -> None:
        """Run a command from the palette."""
        await self._press("F1")
        await self.page.see(BOX)
        await self.page.type(title)
        await self.page.see(f".quick-input-list .monaco-list-row.focused:has-text('{title}')")
        await self.page.press("Enter")

    async def run_code_action(self, title: str) -> None:
        """Open the menu until it has the action: the server may need time after a change."""
        async with asyncio.timeout(LIMIT_S):
            while True:
                if await self.click_code_action(title):
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
        await self.host.call("run", "twospeed.restart")
        await self.page.see(READY)


def _page_of(address: str, project: Path, extension: Path) -> str:
    """Return the address that opens a project with the extension and `extension_host.ts`."""
    folder = workbench()
    remote = f"vscode-remote://{urlsplit(address).netloc}"
    payload = [
        ["extensionDevelopmentPath", f"{remote}{extension}"],
        ["extensionTestsPath", f"{remote}{folder}/extension_host.js"],
        ["skipWelcome", "true"],
    ]
    return f"{address}/?{urlencode({'folder': str(project), 'payload': json.dumps(payload)})}"
