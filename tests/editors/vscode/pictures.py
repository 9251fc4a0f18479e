"""Make the pictures of the extension: the real workbench, the real server, and a model that plays answers back.

``make pictures-vscode`` runs it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from tests.editors.conformance.driver import Place
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
ELIDED = Path(__file__).parent / "fixtures/elided.txt"
PACES = {"lightning": 1000.0, "deep": 65.0}
IN_CLASS, END_OF_CLASS = 43, 53
"""Lines of the class that the recorded answer is of."""

IN_FUNCTION = 50
"""A line of the function that the answer of a refused edit is of."""

LENS = ".codelens-decoration a"
"""What shows above a change that waits to be looked over."""

KEY_MS = 40
LOOK_S = 0.8
"""How fast a person types in the film, and how long the person looks at what came."""

TOGGLE_KEYS = "workbench.action.toggleScreencastMode"
"""VS Code's own command that shows which keys are pressed."""

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
        answers: What each mode's model says, at its pace.
        size: Of the window.
        settings: Of the project.
        film: Where pictures of the window go, from the first to the last.
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
        async with ScriptedServer(play) as model, wire(folder) as told:
            config.write_text(lanes_config(model.base_url))
            place = Place(folder, project, told.command, told, environment)
            async with Workbench.started(place) as it:
                width, height = size
                await it.page.call("setViewportSize", {"width": width, "height": height})
                for command in ("closeSidebar", "closeAuxiliaryBar"):
                    await it.eyes.use("run", f"workbench.action.{command}")
                await it.open(project / SAMPLE.name)
                await it.put_cursor(END_OF_CLASS, 0)
                await it.page.press("ArrowDown")  # which scrolls
                yield it


async def review() -> None:
    """Photograph an edit that waits to be looked over, and what it took away."""
    async with showing(dict.fromkeys(PACES, CLASS), (1080, 720), {}) as it:
        await it.put_cursor(IN_CLASS, 8)
        await it.page.press("Alt+k")
        await it.page.see(f"{PROMPT}:has-text('function value')")
        await it.page.press("Alt+ArrowUp")
        await it.page.see(f"{PROMPT}:has-text('class Stock')")
        await it.page.type("check what comes in, and fail with a clear message")
        await it.page.press("Enter")
        await it.page.see(LENS)
        await it.page.press("Shift+F7", 2)
        await it.page.see(".statusbar-item:has-text('Ln 34')")
        await it.eyes.use("run", "twospeed.removed")
        await it.page.see(".peekview-widget .view-line:has-text('part = self.parts[sku]')")
        await it.page.see(LENS)
        await it.page.call("screenshot", {"path": str(PICTURES / "vscode-review.png")})


async def refused() -> None:
    """Photograph the answer of a refused edit beside the text that it would have replaced."""
    async with showing(dict.fromkeys(PACES, ELIDED), (1080, 540), {}) as it:
        await it.put_cursor(IN_FUNCTION, 8)
        await it.page.press("Alt+k")
        await it.page.see(f"{PROMPT}:has-text('function to_order')")
        await it.page.type("most urgent first")
        await it.page.press("Enter")
        await it.page.see(".statusbar-item:has-text('refused')")
        await it.eyes.use("run", "notifications.showList")
        await it.page.call("click", ".notification-list-item .monaco-button:has-text('Show the Answer')")
        await it.page.see(".editor.modified .view-line:has-text('the rest as before')")
        await it.page.see(".editor.original .view-line:has-text('budget -= cost')")
        await it.page.call("screenshot", {"path": str(PICTURES / "vscode-refused.png")})


async def edits() -> None:
    """Film an edit at each speed. What waits in here waits for those who watch."""
    with tempfile.TemporaryDirectory() as folder:
        async with showing(FUNCTIONS, (1080, 540), FILM_SETTINGS, Path(folder)) as it:
            await it.eyes.use("run", TOGGLE_KEYS)
            await it.put_cursor(IN_CLASS, 8)
            await it.page.see(".statusbar-item:has-text('Ln 44')")
            top = await it.page.js("() => document.querySelector('.part.editor').getBoundingClientRect().top")
            with Film(Path(folder)) as film:
                await asyncio.sleep(LOOK_S / 2)
                await edit(it, "function value", "use sum")
                await it.page.call("click", ".view-line:has-text('to_order')")
                await it.toggle()
                await asyncio.sleep(LOOK_S / 2)
                await edit(it, "function to_order", "most urgent first")
                await asyncio.sleep(LOOK_S)
        film.develop(PICTURES / "vscode-edit.webp", int(top))


async def edit(it: Workbench, scope: str, instruction: str) -> None:
    """Ask for an edit of a scope, look it over, and accept it."""
    await it.page.press("Alt+k")
    await it.page.see(f"{PROMPT}:has-text('{scope}')")
    await it.page.call("keyboard.type", instruction, {"delay": KEY_MS})
    await it.eyes.use("run", TOGGLE_KEYS)  # for Enter it would show a key that nobody pressed
    await it.page.press("Enter")
    await it.page.see(".statusbar-item:has-text('change')")
    await it.eyes.use("run", TOGGLE_KEYS)
    await asyncio.sleep(LOOK_S)
    await it.accept()
    await it.page.call("waitForSelector", LENS, {"state": "detached"})


async def main() -> None:
    """Make them."""
    PICTURES.mkdir(exist_ok=True)
    await review()
    await refused()
    await edits()


if __name__ == "__main__":
    asyncio.run(main())
