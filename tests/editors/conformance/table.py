"""The results of scenarios by editor, as a table to print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.editors.conformance.scenario_run import ScenarioRun
from tests.editors.conformance.wire import median_or_zero


@dataclass(frozen=True, slots=True)
class Passed:
    """A scenario that passed.

    Attributes:
        n_edits: The number of applyEdit requests; 0 if the user applies the edit as a code action, or if there is none.
        median_ms: The median time from an applyEdit request to its response.
        undo_steps: The number of undo commands that restored the text, None if the scenario uses none.
        was_repeated: Whether the first run timed out.
        edit_ms: Milliseconds from the first request to the model until the edit was in review, if the scenario measured it.
    """

    n_edits: int
    median_ms: float
    undo_steps: int | None
    was_repeated: bool = False
    edit_ms: float | None = None

    def __str__(self) -> str:
        undo = "" if self.undo_steps is None else f", undo {self.undo_steps}"
        edit = "" if self.edit_ms is None else f", all {self.edit_ms:.0f} ms"
        again = ", repeated" if self.was_repeated else ""
        return (
            (f"{self.n_edits} in {self.median_ms:.1f} ms" if self.n_edits else "none sent")
            + edit
            + undo
            + again
        )


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The editor cannot run the scenario."""

    reason: str

    def __str__(self) -> str:
        return "not possible here"


@dataclass(frozen=True, slots=True)
class Failed:
    """The scenario failed."""

    def __str__(self) -> str:
        return "FAILED"


Verdict = Passed | Unsupported | Failed


@dataclass(slots=True)
class Table:
    """Results by scenario and editor."""

    verdicts: dict[tuple[str, str], Verdict] = field(default_factory=dict)

    def record_passed(self, scenario: str, run: ScenarioRun, *, was_repeated: bool) -> None:
        """Record a passed scenario."""
        result = Passed(
            run.edits_sent,
            median_or_zero(run.round_trips_ms),
            run.undo_steps,
            was_repeated,
            run.edit_ms,
        )
        self.verdicts[scenario, run.driver.TITLE] = result

    def lines(self) -> list[str]:
        """Return a Markdown table, followed by the reasons of unsupported scenarios."""
        scenarios = list(dict.fromkeys(scenario for scenario, _ in self.verdicts))
        editors = list(dict.fromkeys(editor for _, editor in self.verdicts))
        rows = [
            [name, *(str(self.verdicts.get((name, editor), "not run")) for editor in editors)]
            for name in scenarios
        ]
        reasons = [
            f"{editor}, {scenario}: {verdict.reason}"
            for (scenario, editor), verdict in self.verdicts.items()
            if isinstance(verdict, Unsupported)
        ]
        return [*in_columns([["", *editors], *rows]), *reasons]


def in_columns(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Yield the lines of an aligned Markdown table; the first row is its header."""
    head, *body = rows
    widths = [max(3, *(len(row[column]) for row in rows)) for column in range(len(head))]
    for row in [head, ["-" * width for width in widths], *body]:
        yield "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"


TABLE = Table()
