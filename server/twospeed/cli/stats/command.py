"""``twospeed stats``: statistics of past edits by mode and model, from this machine's history."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from twospeed.cli.exits import OK, BadInput
from twospeed.cli.visible import visible, write_out
from twospeed.routing.lanes import MODES

if TYPE_CHECKING:
    from twospeed.history.rows import EditRow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``stats``."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--html", metavar="FILE", type=Path, help="also write a page with plots")


def run(options: argparse.Namespace) -> int:
    """Run the command; raises `HistoryUnusable` or, for a FILE that cannot be written, `BadInput`."""
    from twospeed.config.paths import history_path  # noqa: PLC0415  # platformdirs, which --help does not need
    from twospeed.history.figures import (  # noqa: PLC0415  # as above
        counted,
        figures_by_mode,
        figures_by_model,
        figures_by_pair,
        figures_of_all,
    )

    path = history_path()
    rows = counted(_rows_in(path))
    figures, pairs, models = figures_by_mode(rows, MODES), figures_by_pair(rows), figures_by_model(rows)
    if options.html:
        from .page import page_of  # noqa: PLC0415  # an option

        of_all, today = figures_of_all(rows, MODES), datetime.now().astimezone().date()
        try:
            options.html.write_text(page_of(rows, figures, models, of_all=of_all, today=today), "utf-8")
        except OSError as error:
            raise BadInput(f"{options.html} cannot be written: {error.strerror}") from error
    if options.json:
        report = {
            "path": str(path),
            "modes": [each.to_json("mode") for each in figures],
            "models": [each.to_json("model") for each in models],
            "pairs": [each.to_json() for each in pairs],
        }
        write_out(sys.stdout, json.dumps(report, indent=2) + "\n")
        return OK
    if rows:
        from .tables import models_text, pairs_text, table_text  # noqa: PLC0415  # as above

        write_out(sys.stdout, table_text(figures, since=rows[0].at, is_terminal=sys.stdout.isatty()))
        write_out(sys.stdout, models_text(models, is_terminal=sys.stdout.isatty()))
        write_out(sys.stdout, pairs_text(pairs))
    else:
        write_out(sys.stdout, f"no edits yet; statistics will be kept in {visible(str(path))}\n")
    if options.html:
        write_out(sys.stdout, f"plots: {visible(str(options.html))}\n")
    return OK


def _rows_in(path: Path) -> list[EditRow]:
    from twospeed.history.file import HistoryFile  # noqa: PLC0415  # sqlite3, which --help does not need

    try:
        file = HistoryFile(path, is_new_allowed=False)
    except FileNotFoundError:
        return []
    try:
        return file.read()
    finally:
        file.close()
