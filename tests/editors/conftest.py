"""Prints the table of journeys by editor, and the rows of the page of clients, where there is one."""

from __future__ import annotations

import pytest
from tests.editors.conformance.clients import HEAD, row_of
from tests.editors.conformance.table import TABLE, in_columns
from tests.editors.journeys import JOURNEYS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if TABLE.verdicts:
        terminalreporter.section("journeys by editor: edits sent, median round trip, undo steps")
        for line in TABLE.lines():
            terminalreporter.write_line(line)
    editors = list(dict.fromkeys(editor for _, editor in TABLE.verdicts))
    complete = [
        each for each in editors if all((journey.name, each) in TABLE.verdicts for journey in JOURNEYS)
    ]
    if complete:
        terminalreporter.section("their rows in editors/README.md")
        for line in in_columns([HEAD, *(row_of(editor, TABLE.verdicts) for editor in complete)]):
            terminalreporter.write_line(line)
