"""Print the results of scenarios by editor, and the rows of `editors/README.md` for editors that ran all."""

from __future__ import annotations

import pytest
from tests.editors.conformance.clients import HEAD, result_row
from tests.editors.conformance.table import TABLE, in_columns
from tests.editors.scenarios import SCENARIOS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if TABLE.verdicts:
        terminalreporter.section("scenarios by editor: edits sent, median round trip, undo steps")
        for line in TABLE.lines():
            terminalreporter.write_line(line)
    editors = list(dict.fromkeys(editor for _, editor in TABLE.verdicts))
    complete = [
        each for each in editors if all((scenario.name, each) in TABLE.verdicts for scenario in SCENARIOS)
    ]
    if complete:
        terminalreporter.section("their rows in editors/README.md")
        for line in in_columns([HEAD, *(result_row(editor, TABLE.verdicts) for editor in complete)]):
            terminalreporter.write_line(line)
