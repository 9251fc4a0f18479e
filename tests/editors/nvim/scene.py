"""A file in a real Neovim, the plugin, a real server, and a model that says what it was told to say."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tests.editors.lanes import lanes_config
from tests.editors.nvim.neovim import Neovim, Watched, neovim

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

HERE = Path(__file__).parent
PLUGIN = HERE.parents[2] / "editors" / "nvim"
COMMAND = [sys.executable, "-P", "-m", "twospeed", "serve", "--stdio"]


class Scene:
    """What a test sees of it.

    Attributes:
        path: The file that is open.
        buffer: Its buffer's number.
        client: The server's number in Neovim.
        watched: The buffer as its change events tell it.
    """

    path: Path
    buffer: int
    client: int
    watched: Watched

    def __init__(self, nvim: Neovim, model: ScriptedServer, folder: Path) -> None:
        self.nvim, self.model, self.folder = nvim, model, folder

    async def open(self, name: str, content: bytes) -> None:
        """Write a new file, open it, and wait until the server is attached."""
        self.path = self.folder / name
        self.path.write_bytes(content)
        n_attached = len(self.told("attached"))
        await self.nvim.keys(f":edit {self.path}<CR>")
        await self.nvim.when(lambda: len(self.told("attached")) > n_attached)
        attached = self.told("attached")[-1]
        self.buffer, self.client = attached["buffer"], attached["client"]
        self.watched = await self.nvim.watch(self.buffer)

    @property
    def text(self) -> str:
        """The buffer's text as its change events tell it."""
        return self.watched.text

    def told(self, kind: str) -> list[Any]:
        """Give what Neovim told of one kind: shipment, edit, mode, complaint."""
        return [value for name, value in self.nvim.events if name == kind]

    def is_half_pressed(self) -> bool:
        """Tell whether an operator waits for its motion, a menu of completions is open, or a question is asked."""
        moment = self.told("moment")[-1]
        return bool(moment["mode"].startswith("no") or moment["mode"] in ("ic", "r?"))

    def is_inserting(self) -> bool:
        """Tell whether Insert mode is on."""
        return bool(self.told("moment")[-1]["mode"] == "i")

    def n_landed(self) -> int:
        """Count the shipments that are in the buffer."""
        return sum(apply_request["applied"] for apply_request in self.told("shipment"))

    async def landed(self, count: int) -> None:
        """Wait for so many shipments in all."""
        await self.nvim.when(lambda: self.n_landed() >= count)

    async def ended(self, **wanted: str) -> dict[str, Any]:
        """Wait for an edit's outcome or verdict, such as ``outcome="applied"``; return what was told of it."""

        def found() -> list[Any]:
            return [edit for edit in self.told("edit") if wanted.items() <= edit.items()]

        await self.nvim.when(lambda: bool(found()))
        last: dict[str, Any] = found()[-1]
        return last

    async def statusline(self) -> str:
        """Give the line as it would be drawn."""
        drawn = await self.nvim.lua("return vim.api.nvim_eval_statusline(vim.o.statusline, {})")
        line: str = drawn["str"]
        return line

    async def saved(self) -> bytes:
        """Save as a person would, and read what is on disk."""
        await self.nvim.typed("<Esc>:silent wall<CR>")
        return self.path.read_bytes()

    async def version(self) -> int:
        """Give the buffer's version as the server will know it."""
        version: int = await self.nvim.lua("return require('twospeed.documents').version(...)", self.buffer)
        return version

    async def ship(self, edits: list[Any], version: int = 0, **fields: Any) -> None:
        """Give the plugin a shipment as if the server had sent it; it may take its time to answer."""
        params = {
            "editId": "e1",
            "seq": 1,
            "textDocument": {"uri": self.path.as_uri(), "version": version},
            "edits": edits,
            "undoStopBefore": True,
            "undoStopAfter": True,
            **fields,
        }
        await self.nvim.lua("answer(...)", params, {"client_id": self.client})

    async def answer(self, edits: list[Any], version: int = 0, **fields: Any) -> dict[str, Any]:
        """Give the plugin a shipment, and return its answer."""
        n_answers = len(self.told("answer"))
        await self.ship(edits, version, **fields)
        await self.nvim.when(lambda: len(self.told("answer")) > n_answers)
        answer: dict[str, Any] = self.told("answer")[-1]
        return answer


@contextlib.asynccontextmanager
async def scene(
    folder: Path, content: bytes, *answers: Script, name: str = "shop.py"
) -> AsyncIterator[Scene]:
    """Open a file of this content and wait until the server is attached; both have ended when the block is left."""
    config = folder / "config.toml"
    async with ScriptedServer(answers) as model:
        config.write_text(lanes_config(model.base_url))
        environment = {
            "TWOSPEED_CONFIG": str(config),
            "TWOSPEED_PLUGIN": str(PLUGIN),
            "TWOSPEED_COMMAND": json.dumps(COMMAND),
        }
        async with neovim(HERE / "init.lua", environment=environment) as nvim:
            opened = Scene(nvim, model, folder)
            await opened.open(name, content)
            yield opened
