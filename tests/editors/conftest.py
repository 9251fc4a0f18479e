"""Prints the table of journeys by editor, where there is one."""

from __future__ import annotations

import pytest
from tests.editors.conformance.table import TABLE


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if TABLE.cells:
        terminalreporter.section("journeys by editor: edits sent, median round trip, undo steps")
        for line in TABLE.lines():
            terminalreporter.write_line(line)
