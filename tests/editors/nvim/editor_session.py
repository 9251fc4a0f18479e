"""A file in a real Neovim with the plugin, a real server and a scripted model."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from tests.editors.lanes import lanes_config
from tests.editors.nvim.neovim import Neovim, Watched, neovim

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

HERE = Path(__file__).parent
PLUGIN = HERE.parents[2] / "editors" / "nvim"
COMMAND = [sys.executable, "-P", "-m", "twospeed", "serve", "--stdio"]


class EditorSession:
    """The editor, model and file of a test.

    Attributes:
        path: The open file.
        buffer: The number of its buffer.
        client: The id of the LSP client.
        watched: The content of the buffer, from its change events.
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
        n_attached = len(self.events_of("attached"))
        await self.nvim.keys(f":edit {self.path}<CR>")
        await self.nvim.wait_until(lambda: len(self.events_of("attached")) > n_attached)
        attached = self.events_of("attached")[-1]
        self.buffer, self.client = attached["buffer"], attached["client"]
        self.watched = await self.nvim.watch(self.buffer)

    @property
    def text(self) -> str:
        """The text of the buffer, from its change events."""
        return self.watched.text

    def events_of(self, kind: str) -> list[Any]:
        """Return the values of all events of a kind, such as applyEdit, edit, mode or notification."""
        return [value for name, value in self.nvim.events if name == kind]

    def is_command_pending(self) -> bool:
        """Return whether an operator waits for its motion, a completion menu is open, or a question is shown."""
        current = self.events_of("vim_mode")[-1]
        return bool(current["mode"].startswith("no") or current["mode"] in ("ic", "r?"))

    def is_inserting(self) -> bool:
        """Return whether Insert mode is active."""
        return bool(self.events_of("vim_mode")[-1]["mode"] == "i")

    def n_applied(self) -> int:
        """Return the number of applied applyEdit requests."""
        return sum(apply_request["applied"] for apply_request in self.events_of("applyEdit"))

    async def until_applied(self, count: int) -> None:
        """Wait until `count` applyEdit requests are applied."""
        await self.nvim.wait_until(lambda: self.n_applied() >= count)

    async def until_edit(self, **wanted: str) -> dict[str, Any]:
        """Wait for an edit with these fields, such as ``outcome="applied"``; return its last report."""

        def found() -> list[Any]:
            return [edit for edit in self.events_of("edit") if wanted.items() <= edit.items()]

        await self.nvim.wait_until(lambda: bool(found()))
        last: dict[str, Any] = found()[-1]
        return last

    async def statusline(self) -> str:
        """Return the status line as Neovim draws it."""
        drawn = await self.nvim.lua("return vim.api.nvim_eval_statusline(vim.o.statusline, {})")
        line: str = drawn["str"]
        return line

    async def save_and_read(self) -> bytes:
        """Save with a command, and return the content of the file."""
        await self.nvim.typed("<Esc>:silent wall<CR>")
        return self.path.read_bytes()

    async def version(self) -> int:
        """Return the document version of the buffer."""
        version: int = await self.nvim.lua("return require('twospeed.documents').version(...)", self.buffer)
        return version

    async def send_apply_edit(self, edits: list[Any], version: int = 0, **fields: Any) -> None:
        """Pass an applyEdit request to the plugin as if the server had sent it; do not wait for the response."""
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
        """Pass an applyEdit request to the plugin, and return its response."""
        n_answers = len(self.events_of("answer"))
        await self.send_apply_edit(edits, version, **fields)
        await self.nvim.wait_until(lambda: len(self.events_of("answer")) > n_answers)
        answer: dict[str, Any] = self.events_of("answer")[-1]
        return answer


@contextlib.asynccontextmanager
async def editor_session(
    folder: Path,
    content: bytes,
    *answers: Script,
    choose: Callable[[RecordedRequest], Script] | None = None,
    name: str = "shop.py",
    more_config: str = "",
    second_server: Sequence[str] = (),
) -> AsyncIterator[EditorSession]:
    """Open a file with this content in Neovim; end all processes when the context closes.

    ``choose``, in place of answers, returns the answer to a request.
    ``second_server`` is the command of another language server for Python.
    """
    config = folder / "config.toml"
    async with ScriptedServer(choose or answers) as model:
        config.write_text(lanes_config(model.base_url) + more_config)
        environment = {
            "TWOSPEED_CONFIG": str(config),
            "TWOSPEED_PLUGIN": str(PLUGIN),
            "TWOSPEED_COMMAND": json.dumps(COMMAND),
            **({"TWOSPEED_SECOND_SERVER": json.dumps(second_server)} if second_server else {}),
        }
        async with neovim(HERE / "init.lua", environment=environment) as nvim:
            opened = EditorSession(nvim, model, folder)
            await opened.open(name, content)
            yield opened
