"""Make the pictures of the extension: the real workbench, the real server, and one recorded answer played back.

``make pictures-vscode`` runs it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path

from tests.editors.conformance.driver import Place
from tests.editors.conformance.wire import wire
from tests.editors.lanes import lanes_config
from tests.editors.vscode.driver import PROMPT, Workbench

from twospeed.models.script import Script
from twospeed.models.scripted_server import RecordedRequest, ScriptedServer

ROOT = Path(__file__).parents[3]
PICTURES = ROOT / "docs/pictures"
RECORDED = ROOT / "examples/recorded/stock.txt"
SAMPLE = ROOT / "examples/inventory.py"
PACES = {"lightning": 1000.0, "deep": 65.0}
SIZE = {"width": 1080, "height": 720}
IN_CLASS, END_OF_CLASS = 43, 53
"""Lines of the class that the recorded answer is of."""

INSTRUCTION = "check what comes in, and fail with a clear message"


def play(request: RecordedRequest) -> Script:
    """Play the recorded answer back at the pace of the model that is asked."""
    return Script(RECORDED.read_text("utf-8"), tokens_per_second=PACES[request.model], first_token_s=0.1)


async def ask(it: Workbench) -> None:
    """Ask for an edit of the class."""
    await it.put_cursor(IN_CLASS, 8)
    await it.page.press("Alt+k")
    await it.page.see(f"{PROMPT}:has-text('function value')")
    await it.page.press("Alt+ArrowUp")
    await it.page.see(f"{PROMPT}:has-text('class Stock')")
    await it.page.type(INSTRUCTION)
    await it.page.press("Enter")


async def photograph(it: Workbench, name: str) -> None:
    await it.page.call("screenshot", {"path": str(PICTURES / name)})


async def streaming(it: Workbench) -> None:
    """Photograph an edit on its way."""
    await it.toggle()
    await ask(it)
    await it.page.see(".view-line:has-text('_part(sku, count).on_hand')")  # more of it is still to come
    await it.page.see(".statusbar-item .codicon-loading")
    await photograph(it, "vscode-streaming.png")
    await it.cancel()
    await it.page.call("waitForSelector", ".statusbar-item .codicon-loading", {"state": "detached"})
    await it.toggle()


async def review(it: Workbench) -> None:
    """Photograph an edit that waits to be looked over, and what it took away."""
    await ask(it)
    await it.page.see(".statusbar-item:has-text('tokens/s')")
    await it.page.press("Shift+F7", 2)
    await it.eyes.use("run", "twospeed.removed")
    await it.page.see(".peekview-widget .view-line:has-text('part = self.parts[sku]')")
    await it.page.see(".codelens-decoration a")
    await photograph(it, "vscode-review.png")


async def main() -> None:
    """Make them."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        project = folder / "bicycles"
        project.mkdir()
        shutil.copy(SAMPLE, project)
        config = folder / "config.toml"
        environment = {**os.environ, "TWOSPEED_CONFIG": str(config), "XDG_STATE_HOME": scratch}
        async with ScriptedServer(play) as model, wire(folder) as told:
            config.write_text(lanes_config(model.base_url))
            place = Place(folder, project, told.command, told, environment)
            async with Workbench.started(place) as it:
                await it.page.call("setViewportSize", SIZE)
                for command in ("closeSidebar", "closeAuxiliaryBar"):
                    await it.eyes.use("run", f"workbench.action.{command}")
                await it.open(project / SAMPLE.name)
                await it.put_cursor(END_OF_CLASS, 0)
                await it.page.press("ArrowDown")  # which scrolls
                await streaming(it)
                await review(it)


if __name__ == "__main__":
    asyncio.run(main())
