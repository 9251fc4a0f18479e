"""``twospeed log``: the path and the last lines of the server's log."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from twospeed.cli.exits import OK, BadInput
from twospeed.cli.visible import visible, write_out
from twospeed.lsp.log import log_path
from twospeed.workspace.guarded import open_regular

_MAX_BYTES_READ = 256 * 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``log``."""
    parser.add_argument("--path", action="store_true", help="print only the path")
    parser.add_argument(
        "--lines", metavar="N", type=int, default=20, help="how many lines to print (default: 20)"
    )
    parser.epilog = "The log contains no code, no instruction and no key."


def run(options: argparse.Namespace) -> int:
    """Run the command; raises `BadInput` if the log cannot be read."""
    path = log_path()
    if options.lines < 1:
        raise BadInput("--lines must be at least 1")
    lines = [] if options.path else [*_last_lines(path, options.lines)]
    write_out(sys.stdout, "".join(f"{visible(line)}\n" for line in (str(path), *lines)))
    return OK


def _last_lines(path: Path, n_lines: int) -> list[str]:
    try:
        with open(open_regular(path, os.O_RDONLY), "rb") as file:  # noqa: PTH123  # a descriptor
            file.seek(-min(_MAX_BYTES_READ, os.fstat(file.fileno()).st_size), os.SEEK_END)
            data = file.read(_MAX_BYTES_READ)
    except FileNotFoundError:
        return ["nothing is logged yet"]
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {(error.strerror or 'unknown error').lower()}") from error
    return data.decode("utf-8", "replace").splitlines()[-n_lines:]
