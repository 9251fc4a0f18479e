"""Commands of a user's config: small Python programs in place of formatters and tests."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from tests.processes import WATCH
from tests.scenarios.editor import Editor

SPACED = r"re.sub(r' *([-+*]?=) *', r' \1 ', text)"
"""The expression of a formatter that puts spaces around assignments."""


def program(folder: Path, code: str, *arguments: str, name: str = "program") -> list[str]:
    """Write a program, and return the command that runs it."""
    path = folder / f"{name}.py"
    path.write_text(f"import os, re, sys, time\nfrom pathlib import Path\n{code}\n", encoding="utf-8")
    return [sys.executable, "-S", str(path), *arguments]


def formatter(folder: Path, expression: str = SPACED) -> list[str]:
    """Return the command of a formatter that counts its runs; ``expression`` makes the output of ``text``."""
    runs = folder / "runs"
    code = (
        f"open({str(runs)!r}, 'a').write('x')\n"
        "text = sys.stdin.buffer.read().decode()\n"
        f"sys.stdout.buffer.write(({expression}).encode())"
    )
    return program(folder, code, name="formatter")


def n_runs(folder: Path) -> int:
    """Return how often the formatter ran."""
    path = folder / "runs"
    return path.stat().st_size if path.exists() else 0


def config(folder: Path, text: str) -> dict[str, str]:
    """Write the user's config, whose commands the server may start; return the environment that names it."""
    WATCH.allow_commands_of(text)
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return {"TWOSPEED_CONFIG": str(path), "PATH": os.environ["PATH"]}


def format_table(command: list[str], language_id: str = "python") -> str:
    """Return the table of a config with one formatter."""
    return f"[format]\n{language_id} = {command!r}\n"


async def editor_with(
    folder: Path,
    text: str,
    capabilities: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    **more: Any,
) -> AbstractAsyncContextManager[Editor]:
    """Start an editor whose user has a config."""
    return await Editor.started(capabilities, environ={**config(folder, text), **(environ or {})}, **more)


async def wait_for_file(path: Path) -> None:
    """Wait until another process has made a file."""
    async with asyncio.timeout(60):
        while not path.exists():  # noqa: ASYNC110, ASYNC240 - another process makes it
            await asyncio.sleep(0.01)


def shown_messages(editor: Editor) -> list[str]:
    """Return the messages that the user has seen."""
    return [params["message"] for params in editor.messages("window/showMessage")]
