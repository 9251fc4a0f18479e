"""VS Code in the journeys with an extension of a few lines, those that `editors/vscode-languageclient.md` gives."""

from __future__ import annotations

import asyncio
import re
import subprocess
from pathlib import Path

from tests.editors.browser.browser import Browser
from tests.editors.conformance.by_menu import ByMenu
from tests.editors.conformance.driver import Place
from tests.editors.conformance.stage import LIMIT_S
from tests.editors.conformance.wire import Wire
from tests.editors.vscode.driver import EXTENSION, Eyes, InWorkbench

BUNDLE = (
    *("--bundle", "--allow-overwrite", "--platform=node", "--format=cjs"),
    *("--external:vscode", "--log-level=warning"),
)
PAGE = EXTENSION.parent / "vscode-languageclient.md"


class Bare(ByMenu, InWorkbench):
    """The workbench and vscode-languageclient, with nothing of ours but the server."""

    TITLE = "vscode-languageclient"
    SETTING = "bare.command"
    PRESETS = ("count them", "smile", "say what it is")

    def __init__(self, page: Browser, eyes: Eyes, wire: Wire) -> None:
        super().__init__(page, eyes, wire)
        self._shown = Path()

    @classmethod
    def command(cls, place: Place) -> list[str]:
        return list(place.command)

    @classmethod
    def extension(cls, place: Place) -> Path:
        folder = place.folder / "extension"
        folder.mkdir()
        page = PAGE.read_text("utf-8")
        for language, name in (("js", "extension.js"), ("json", "package.json")):
            [code] = re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
            (folder / name).write_text(code, "utf-8")
        libraries = EXTENSION / "node_modules"
        bundle: list[str | Path] = [
            libraries / ".bin/esbuild",
            "extension.js",
            "--outfile=extension.js",
            *BUNDLE,
        ]
        subprocess.run(bundle, cwd=folder, env={**place.environment, "NODE_PATH": str(libraries)}, check=True)
        return folder

    async def open(self, path: Path) -> None:
        self._shown = path
        await super().open(path)
        await self.wire.until(self._is_attached, LIMIT_S)

    def _is_attached(self) -> bool:
        opened = self.wire.from_editor("textDocument/didOpen", self.wire.newest_session)
        return any(each["textDocument"]["uri"] == self._shown.as_uri() for each in opened)

    async def take_within(self, title: str, limit_s: float) -> None:
        now = asyncio.get_running_loop().time
        deadline = now() + limit_s
        while not await self.click_action(title):
            if now() > deadline:
                raise TimeoutError(f"no {title!r} in the menu")

    async def edit(self, instruction: str) -> None:
        """Take a preset: there is no other place for words."""
        await self.take_action(instruction)

    async def restart_server(self) -> None:
        """Wait: it is started again by itself."""
        await self.wire.until(self._is_attached, LIMIT_S)
