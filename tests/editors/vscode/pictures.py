"""Make the pictures of the extension in the real workbench, with a real server and recorded answers.

``make pictures-vscode`` runs it for all of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from tests.editors.conformance.driver import Launch
from tests.editors.conformance.wire import wire
from tests.editors.lanes import lanes_config
from tests.editors.vscode.driver import PROMPT, Workbench
from tests.editors.vscode.film import Film

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

ROOT = Path(__file__).parents[3]
PICTURES = ROOT / "docs/pictures"
SAMPLE = ROOT / "examples/inventory.py"
CLASS = ROOT / "examples/recorded/stock.txt"
FUNCTIONS = {
    "lightning": Path(__file__).parent / "fixtures/value.txt",
    "deep": Path(__file__).parent / "fixtures/to_order.txt",
}
BOTH = {
    "lightning": Path(__file__).parent / "fixtures/to_order_draft.txt",
    "deep": Path(__file__).parent / "fixtures/to_order_deep.txt",
}
ELIDED = Path(__file__).parent / "fixtures/elided.txt"
PACES = {"lightning": 1000.0, "deep": 65.0}
IN_CLASS, END_OF_CLASS = 43, 53
"""Lines of the class that the recorded answer replaces."""

IN_FUNCTION = 50
"""A line of the function that the refused answer replaces."""

LENS = ".codelens-decoration a"
"""The code lens above an undecided hunk."""

KEY_MS = 40
LOOK_S = 0.8
"""Milliseconds per key in the film, and seconds to look at a result."""

TOGGLE_KEYS = "workbench.action.toggleScreencastMode"
"""The command of VS Code that shows the pressed keys."""

FILM_SETTINGS = {
    "editor.cursorBlinking": "solid",
    "editor.lightbulb.enabled": "off",
    "editor.minimap.enabled": False,
    "editor.occurrencesHighlight": "off",
    "editor.stickyScroll.enabled": False,
    "breadcrumbs.enabled": False,
    "screencastMode.fontSize": 20,
    "screencastMode.verticalOffset": 6,
    "screencastMode.keyboardOptions": {"showKeys": False, "showCommands": False},
    "window.commandCenter": False,
    "workbench.activityBar.location": "hidden",
}


@contextlib.asynccontextmanager
async def showing(
    answers: Mapping[str, Path],
    size: tuple[int, int],
    settings: Mapping[str, object],
    film: Path | None = None,
) -> AsyncIterator[Workbench]:
    """Show the sample in a workbench.

    Args:
        answers: The answer of the model of each mode.
        size: The size of the window in pixels.
        settings: The workspace settings of the project.
        film: The folder for screenshots of the whole session, if any.
    """

    def play(request: RecordedRequest) -> Script:
        text = answers[request.model].read_text("utf-8")
        return Script(text, tokens_per_second=PACES[request.model], first_token_s=0.1)

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        project = folder / "bicycles"
        (project / ".vscode").mkdir(parents=True)
        (project / ".vscode/settings.json").write_text(json.dumps(settings))
        shutil.copy(SAMPLE, project)
        config = folder / "config.toml"
        environment = {**os.environ, "TWOSPEED_CONFIG": str(config), "XDG_STATE_HOME": scratch}
        if film:
            environment["TWOSPEED_FILM"] = str(film)
        async with ScriptedServer(play) as model, wire(folder) as messages:
            config.write_text(lanes_config(model.base_url))
            launch = Launch(folder, project, messages.command, messages, environment)
            async with Workbench.started(launch) as driver:
                width, height = size
                await driver.page.call("setViewportSize", {"width": width, "height": height})
                for command in ("closeSidebar", "closeAuxiliaryBar"):
                    await driver.host.call("run", f"workbench.action.{command}")
                await driver.open(project / SAMPLE.name)
                await driver.put_cursor(END_OF_CLASS, 0)
                await driver.page.press("ArrowDown")  # scrolls
                yield driver


async def review() -> None:
    """Take a screenshot of an edit in review with its removed lines."""
    async with showing(dict.fromkeys(PACES, CLASS), (1080, 720), {}) as driver:
        await driver.put_cursor(IN_CLASS, 8)
        await driver.page.press("Alt+k")
        await driver.page.see(f"{PROMPT}:has-text('function value')")
        await driver.page.press("Alt+ArrowUp")
        await driver.page.see(f"{PROMPT}:has-text('class Stock')")
        await driver.page.type("check what comes in, and fail with a clear message")
        await driver.page.press("Enter")
        await driver.page.see(LENS)
        await driver.page.press("Shift+F7", 2)
        await driver.page.see(".statusbar-item:has-text('Ln 34')")
        await driver.host.call("run", "twospeed.removed")
        await driver.page.see(".peekview-widget .view-line:has-text('part = self.parts[sku]')")
        await driver.page.see(LENS)
        await driver.page.call("screenshot", {"path": str(PICTURES / "vscode-review.png")})


async def refused() -> None:
    """Take a screenshot of a refused answer next to the text that it would replace."""
    async with showing(dict.fromkeys(PACES, ELIDED), (1080, 540), {}) as driver:
        await driver.put_cursor(IN_FUNCTION, 8)
        await driver.page.press("Alt+k")
        await driver.page.see(f"{PROMPT}:has-text('function to_order')")
        await driver.page.type("most urgent first")
        await driver.page.press("Enter")
        await driver.page.see(".statusbar-item:has-text('refused')")
        await driver.host.call("run", "notifications.showList")
        await driver.page.call("click", ".notification-list-item .monaco-button:has-text('Show the Answer')")
        await driver.page.see(".editor.modified .view-line:has-text('the rest as before')")
        await driver.page.see(".editor.original .view-line:has-text('budget -= cost')")
        await driver.page.call("screenshot", {"path": str(PICTURES / "vscode-refused.png")})


@contextlib.asynccontextmanager
async def filming(
    name: str, answers: Mapping[str, Path], line: int, last_line: int
) -> AsyncIterator[Workbench]:
    """Film the workbench with shown keys, from the cursor on a line, and write the film to the pictures.

    The window shows the lines before ``last_line``.
    """
    with tempfile.TemporaryDirectory() as folder:
        async with showing(answers, (1080, 540), FILM_SETTINGS, Path(folder)) as driver:
            await driver.put_cursor(last_line, 0)
            await driver.page.press("ArrowDown")  # scrolls
            await driver.host.call("run", TOGGLE_KEYS)
            await driver.put_cursor(line, 8)
            await driver.page.see(f".statusbar-item:has-text('Ln {line + 1}')")
            top = await driver.page.js(
                "() => document.querySelector('.part.editor').getBoundingClientRect().top"
            )
            with Film(Path(folder)) as film:
                await asyncio.sleep(LOOK_S / 2)
                yield driver
                await asyncio.sleep(LOOK_S)
        film.develop(PICTURES / name, int(top))


async def edits() -> None:
    """Film one edit in each mode, with pauses for the viewer."""
    async with filming("vscode-edit.webp", FUNCTIONS, IN_CLASS, END_OF_CLASS) as driver:
        await edit(driver, "function value", "use sum")
        await accept(driver)
        await driver.page.call("click", ".view-line:has-text('to_order')")
        await driver.toggle()
        await asyncio.sleep(LOOK_S / 2)
        await edit(driver, "function to_order", "most urgent first")
        await accept(driver)


async def both() -> None:
    """Film an edit in the mode both: lightning's answer, and what the deep model would change, which is taken."""
    async with filming("vscode-both.webp", BOTH, IN_FUNCTION, END_OF_CLASS + 6) as driver:
        for _ in range(2):
            await driver.toggle()
        await driver.page.see(".statusbar-item:has-text('Both')")
        await asyncio.sleep(LOOK_S / 2)
        await edit(driver, "function to_order", "most urgent first")
        await driver.page.see(".statusbar-item:has-text('places')")
        await asyncio.sleep(2 * LOOK_S)
        await driver.page.press("Shift+Alt+J")
        await driver.page.see(".view-line:has-text('what to order')")
        await asyncio.sleep(2 * LOOK_S)
        await accept(driver)


async def edit(driver: Workbench, scope: str, instruction: str) -> None:
    """Request an edit of a scope, and wait until it is in review."""
    await driver.page.press("Alt+k")
    await driver.page.see(f"{PROMPT}:has-text('{scope}')")
    await driver.page.call("keyboard.type", instruction, {"delay": KEY_MS})
    await driver.host.call("run", TOGGLE_KEYS)  # for Enter it would show a key that was not pressed
    await driver.page.press("Enter")
    await driver.page.see(".statusbar-item:has-text('change')")
    await driver.host.call("run", TOGGLE_KEYS)
    await asyncio.sleep(LOOK_S)


async def accept(driver: Workbench) -> None:
    """Accept the edit in review."""
    await driver.accept()
    await driver.page.call("waitForSelector", LENS, {"state": "detached"})


async def main() -> None:
    """Make all pictures, or those of the named functions."""
    PICTURES.mkdir(exist_ok=True)
    makers = {each.__name__: each for each in (review, refused, edits, both)}
    for name in sys.argv[1:] or makers:
        await makers[name]()


if __name__ == "__main__":
    asyncio.run(main())
