"""The real VS Code workbench in code-server, which a browser opens by its address."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

START_S = 30
END_S = 10
"""Seconds for the processes of the workbench to end after it."""

USER_SETTINGS = {
    "chat.disableAIFeatures": True,
    "editor.autoIndent": "none",
    "editor.autoClosingBrackets": "never",
    "editor.autoClosingQuotes": "never",
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "files.autoSave": "off",  # the default of the desktop; saving accepts edits
    "files.hotExit": "off",
    "git.enabled": False,
    "workbench.startupEditor": "none",
}


def workbench() -> Path | None:
    """Return the folder in TWOSPEED_WORKBENCH, where ``make test-vscode`` installed code-server, or None."""
    named = os.environ.get("TWOSPEED_WORKBENCH")
    return Path(named) if named else None


def write_settings(scratch: Path, machine_settings: Mapping[str, object]) -> None:
    """Write its settings into the folder that also receives all its files."""
    files = {
        "code-server.yaml": "auth: none\n",
        "user/User/settings.json": json.dumps(USER_SETTINGS),
        "user/Machine/settings.json": json.dumps(machine_settings),
    }
    for name, text in files.items():
        path = scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


@contextlib.asynccontextmanager
async def code_server(scratch: Path, environment: Mapping[str, str]) -> AsyncIterator[str]:
    """Start code-server with the files of `write_settings`; yield its address. End all processes at the end."""
    folder = workbench()
    assert folder
    variables = {
        **environment,
        "TWOSPEED_SCRATCH": str(scratch),  # identifies its processes
        "EXTENSIONS_GALLERY": '{"serviceUrl":"http://127.0.0.1:9/"}',  # no extension can be downloaded
    }
    with (scratch / "code-server.log").open("w") as log:
        process = await asyncio.create_subprocess_exec(
            folder / "bin/node",
            folder / "node_modules/code-server/out/node/entry.js",
            *("--config", scratch / "code-server.yaml"),
            *("--user-data-dir", scratch / "user"),
            *("--extensions-dir", scratch / "extensions"),
            *("--auth", "none", "--bind-addr", "127.0.0.1:0"),
            *("--reconnection-grace-time", "1"),  # else the extension host outlives its page by three hours
            *(
                "--vscode-option",
                "enable-smoke-test-driver",
            ),  # else a released build ignores extensionTestsPath
            "--disable-telemetry",
            "--disable-update-check",
            "--disable-workspace-trust",
            "--disable-getting-started-override",
            env=variables,
            stdout=PIPE,
            stderr=log,
        )
    assert process.stdout
    drain: asyncio.Task[bytes] | None = None
    try:
        async with asyncio.timeout(START_S):
            address = await _address(process.stdout)
        drain = asyncio.create_task(process.stdout.read())
        yield address
        process.terminate()
        async with asyncio.timeout(END_S):
            await process.wait()
            await _until_none_runs(scratch)
    finally:
        for process_id in _started_for(scratch):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        await process.wait()
        if drain is not None:
            await drain


async def _address(output: asyncio.StreamReader) -> str:
    while line := (await output.readline()).decode():
        if found := re.search(r"listening on (http:\S+?)/?$", line):
            return found[1]
    raise AssertionError("code-server ended before it listened")


def _started_for(scratch: Path) -> set[int]:
    """Return the ids of processes with this folder in their environment, which children inherit."""
    mark = f"TWOSPEED_SCRATCH={scratch}".encode()
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.add(int(folder.name))
    return found


async def _until_none_runs(scratch: Path) -> None:
    while _started_for(scratch):  # noqa: ASYNC110 - no event for the end of a process that is no child
        await asyncio.sleep(0.05)
