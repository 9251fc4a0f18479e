"""``twospeed doctor``: what is configured or found, what is ready, and what to do where it is not.

It asks the server, so it reports what an editor would get. A key is never printed: none ever reaches this process'
output, for the server says only which variable it looks in.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .exits import BAD_INPUT, FAILED, OK
from .interrupts import Interrupts, run_interruptible
from .session import Session
from .visible import complain, one_line, visible, write_out
from .wire import ICONS

if TYPE_CHECKING:
    from twospeed_protocol import messages


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``doctor`` takes."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0, 2 where a config cannot be read, 3 where the current mode has nothing that is ready.
    """
    return run_interruptible(lambda interrupts: _diagnose(interrupts, as_json=options.json))


async def _diagnose(interrupts: Interrupts, *, as_json: bool) -> int:
    async with Session(Path.cwd()) as session:
        interrupts.session = session
        status = await session.status()
    from twospeed.config.load import config_path  # noqa: PLC0415  # pydantic, loaded by now

    path = config_path(os.environ)
    if as_json:
        config = {"path": str(path), "exists": path.exists()}
        report = {"mode": status.mode, "lanes": status.lanes.model_dump(by_alias=True), "config": config}
        write_out(sys.stdout, json.dumps(report, indent=2) + "\n")
    else:
        write_out(sys.stdout, "\n".join(_report(status, path)) + "\n")
    for message in session.errors:
        complain(message)
    if session.errors:
        return BAD_INPUT
    return OK if any(entry.ready for entry in _lanes(status)[status.mode]) else FAILED


def _lanes(status: messages.StatusResult) -> dict[str, list[messages.LaneStatus]]:
    return {"lightning": status.lanes.lightning, "deep": status.lanes.deep}


def _report(status: messages.StatusResult, path: Path) -> Iterator[str]:
    there = "" if path.exists() else " (not there: models are found by themselves)"
    yield f"config  {visible(str(path))}{there}"
    yield f"mode    {status.mode}"
    for mode, entries in _lanes(status).items():
        yield ""
        yield f"{ICONS[mode]} {mode}"
        serving = next((entry for entry in entries if entry.ready), None)
        for entry in entries:
            yield _lane_line(entry, serves=entry is serving)
        if serving is None:
            yield "  nothing here is ready, so an edit in this mode fails"


def _lane_line(entry: messages.LaneStatus, *, serves: bool) -> str:
    state = "serves" if serves else "ready" if entry.ready else "not ready"
    reason = f"  {one_line(entry.reason)}" if entry.reason else ""
    return f"  {state:<9} {visible(entry.provider)}/{visible(entry.model)}{reason}"
