"""``twospeed models``: the lanes in their order, which model is used, and why another one is not ready."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from twospeed.cli.client.terminal import Interrupts, run_interruptible
from twospeed.cli.doctor.report import lane_lines, lanes_of
from twospeed.cli.doctor.trial import TrialSession
from twospeed.cli.exits import BAD_INPUT, OK
from twospeed.cli.visible import complain, write_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``models``."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.epilog = "twospeed doctor also tries the models, and shows how to solve problems."


def run(options: argparse.Namespace) -> int:
    """Run the command; return 2 for an invalid config."""
    return run_interruptible(lambda interrupts: _list(interrupts, as_json=options.json))


async def _list(interrupts: Interrupts, *, as_json: bool) -> int:
    async with TrialSession(Path.cwd()) as session:
        interrupts.session = session
        status = await session.status()
        errors = list(session.errors)
    if as_json:
        report = {"mode": status.mode, "lanes": status.lanes.model_dump(by_alias=True), "errors": errors}
        write_out(sys.stdout, json.dumps(report, indent=2) + "\n")
    elif not errors:
        lines = [line for mode, entries in lanes_of(status).items() for line in lane_lines(mode, entries)]
        write_out(sys.stdout, "".join(f"{line}\n" for line in lines))
    for message in errors:
        complain(message)
    return BAD_INPUT if errors else OK
