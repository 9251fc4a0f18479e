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

from twospeed.models.providers import PROVIDERS
from twospeed.routing import NEEDS_YES
from twospeed.routing.lanes import BUILTIN_PROVIDER

from .exits import BAD_INPUT, FAILED, OK
from .interrupts import Interrupts, run_interruptible
from .session import Session
from .visible import complain, one_line, visible, write_out
from .wire import ICONS

if TYPE_CHECKING:
    from twospeed_protocol import messages

_REMEDIES = {
    NEEDS_YES: f"{NEEDS_YES}  the first edit in a terminal or editor asks; or name the provider in your config",
    "no key in": "no key          set the variable, or keep the key in your keyring: keyring set twospeed PROVIDER",
    "api not built": "api not built   this version speaks the chat API alone",
}
"""What to do about an obstacle, by the words of `routing.availability`."""


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
    is_readable = not any(message.startswith(str(path)) for message in session.errors)
    if as_json:
        config = {"path": str(path), "exists": path.exists()}
        lanes = status.lanes.model_dump(by_alias=True)
        report = {"mode": status.mode, "lanes": lanes, "config": config, "errors": session.errors}
        write_out(sys.stdout, json.dumps(report, indent=2) + "\n")
    elif is_readable:
        write_out(sys.stdout, "\n".join((*_report(status, path), *_advice(status, path))) + "\n")
    else:
        write_out(sys.stdout, f"config  {visible(str(path))} (cannot be used, so no edit is made)\n")
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
        serving = _serving(entries)
        for entry in entries:
            yield _lane_line(entry, serves=entry is serving)
        if serving is None:
            yield "  nothing here is ready, so an edit in this mode fails"


def _advice(status: messages.StatusResult, path: Path) -> Iterator[str]:
    """Say what to do about what is not ready, and where nothing but the built-in engine serves."""
    lanes = _lanes(status).values()
    reasons = {entry.reason for entries in lanes for entry in entries if entry.reason}
    serving = [entry for entries in lanes if (entry := _serving(entries))]
    remedies = [remedy for reason, remedy in _REMEDIES.items() if any(reason in each for each in reasons)]
    if remedies:
        yield ""
        yield from remedies
    if any(NEEDS_YES in reason for reason in reasons):
        return
    yield ""
    if any(entry.provider != BUILTIN_PROVIDER for entry in serving):
        yield "Nothing was sent to a model: an endpoint that is down shows at the first edit."
        return
    usable = [provider for provider in PROVIDERS.values() if provider.is_usable]
    yield "Only the built-in engine serves: it knows doc comments, renaming, type hints and f-strings. For a model"
    yield f"  set a key       {', '.join(each.settings.api_key_env for each in usable if each.settings.api_key_env)}"
    yield f"                  or keep one in your keyring: keyring set twospeed {usable[0].name}"
    yield f"  start a server  on this machine: {', '.join(each.label for each in usable if each.is_local)}"
    yield f"  or name one     in [[lanes.lightning]] and [[lanes.deep]] of {visible(str(path))}"


def _serving(entries: list[messages.LaneStatus]) -> messages.LaneStatus | None:
    return next((entry for entry in entries if entry.ready), None)


def _lane_line(entry: messages.LaneStatus, *, serves: bool) -> str:
    state = "serves" if serves else "ready" if entry.ready else "not ready"
    reason = f"  {one_line(entry.reason)}" if entry.reason else ""
    return f"  {state:<9} {visible(entry.provider)}/{visible(entry.model)}{reason}"
