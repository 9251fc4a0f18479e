"""Run commands of twospeed in a folder and a home of their own."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.lane_config import lab, lane

CODE = "import os\n\n\ndef total(cart):\n    return sum(cart)\n\n\ndef other():\n    return 1\n"
BUILTIN = lane("lightning", "builtin", "rules") + lane("deep", "builtin", "rules")
ANSWER = "def total(cart):\n    # prices, not parts\n    return sum(cart)\n"


@dataclass(frozen=True)
class Run:
    """How a command ended."""

    status: int | None
    out: str
    err: str


class Shell:
    """Runs twospeed in a folder of its own, with a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.folder.mkdir()
        kept = ("PATH", "PYTHONPATH", "COVERAGE_PROCESS_START")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.environment |= {"HOME": str(folder / "home"), "LANG": "C.UTF-8", "NO_COLOR": "1"}

    def file(self, name: str, data: str | bytes = CODE) -> Path:
        path = self.folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def configure(self, text: str) -> Path:
        path = self.file("config.toml", text)
        self.environment["TWOSPEED_CONFIG"] = str(path)
        return path

    def use_model(self, base_url: str) -> None:
        self.configure(lab(base_url))

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "twospeed", *arguments, cwd=self.folder, env=self.environment,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip

    async def run(self, *arguments: str) -> Run:
        process = await self.start(*arguments)
        return await run_of(process)


async def run_of(process: asyncio.subprocess.Process) -> Run:
    async with asyncio.timeout(20):
        out, err = await process.communicate()
    return Run(process.returncode, out.decode(), err.decode())


def check_complaint(run: Run, status: int, *words: str) -> None:
    assert run.status == status
    assert run.err.startswith("twospeed: ")
    assert run.err.count("\n") == 1
    assert "Traceback" not in run.out + run.err
    for word in words:
        assert word in run.err
