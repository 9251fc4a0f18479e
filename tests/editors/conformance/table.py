"""What became of each journey in each editor, as a table to print."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.editors.conformance.stage import Stage
from tests.editors.conformance.wire import middle


@dataclass(slots=True)
class Table:
    """Cells by journey and editor, and why something is not possible, by editor."""

    cells: dict[tuple[str, str], str] = field(default_factory=dict)
    reasons: dict[tuple[str, str], str] = field(default_factory=dict)

    def passed(self, journey: str, stage: Stage) -> None:
        """Note what a journey took."""
        n_edits, took_ms = stage.edits_sent, middle(stage.round_trips_ms)
        undo = f", undo {stage.undo_steps}" if stage.undo_steps is not None else ""
        sent = f"{n_edits} in {took_ms:.1f} ms" if n_edits else "none sent"
        self.cells[journey, stage.driver.TITLE] = f"{sent}{undo}"

    def not_possible(self, journey: str, editor: str, why: str) -> None:
        """Note that an editor has no way to do it."""
        self.cells[journey, editor] = "not possible here"
        self.reasons[journey, editor] = why

    def failed(self, journey: str, editor: str) -> None:
        """Note that it went wrong."""
        self.cells[journey, editor] = "FAILED"

    def lines(self) -> list[str]:
        """Write it as Markdown: how many edits were sent, in how many ms each (median), and undo steps.

        None is sent where a person takes the edit from the code actions, or where none is to come.
        """
        journeys = list(dict.fromkeys(journey for journey, _ in self.cells))
        editors = list(dict.fromkeys(editor for _, editor in self.cells))
        rows = [["", *editors], ["---"] * (len(editors) + 1)]
        rows += [
            [name, *(self.cells.get((name, editor), "not run") for editor in editors)] for name in journeys
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(len(editors) + 1)]
        text = [
            "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
            for row in rows
        ]
        reasons = [f"{editor}, {journey}: {why}" for (journey, editor), why in self.reasons.items()]
        return [*text, *reasons]


TABLE = Table()
