"""What became of each journey in each editor, as a table to print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.editors.conformance.stage import Stage
from tests.editors.conformance.wire import middle


@dataclass(frozen=True, slots=True)
class Passed:
    """What a journey took.

    Attributes:
        n_edits: How many edits the editor was sent; none where a person takes the edit from the code actions, or where
            none is to come.
        took_ms: How long it took to answer each, the median.
        undo_steps: How often undo was pressed to have the old text again; ``None`` where it was not.
        is_second_go: Whether time ran out in a first one.
    """

    n_edits: int
    took_ms: float
    undo_steps: int | None
    is_second_go: bool = False

    def __str__(self) -> str:
        undo = "" if self.undo_steps is None else f", undo {self.undo_steps}"
        again = ", second go" if self.is_second_go else ""
        return (f"{self.n_edits} in {self.took_ms:.1f} ms" if self.n_edits else "none sent") + undo + again


@dataclass(frozen=True, slots=True)
class Impossible:
    """The editor has no way to do it."""

    why: str

    def __str__(self) -> str:
        return "not possible here"


@dataclass(frozen=True, slots=True)
class Failed:
    """It went wrong."""

    def __str__(self) -> str:
        return "FAILED"


Verdict = Passed | Impossible | Failed


@dataclass(slots=True)
class Table:
    """Verdicts by journey and editor."""

    verdicts: dict[tuple[str, str], Verdict] = field(default_factory=dict)

    def passed(self, journey: str, stage: Stage, *, is_second_go: bool) -> None:
        """Note what a journey took."""
        taken = Passed(stage.edits_sent, middle(stage.round_trips_ms), stage.undo_steps, is_second_go)
        self.verdicts[journey, stage.driver.TITLE] = taken

    def lines(self) -> list[str]:
        """Write it as Markdown, and below it why something is not possible."""
        journeys = list(dict.fromkeys(journey for journey, _ in self.verdicts))
        editors = list(dict.fromkeys(editor for _, editor in self.verdicts))
        rows = [
            [name, *(str(self.verdicts.get((name, editor), "not run")) for editor in editors)]
            for name in journeys
        ]
        reasons = [
            f"{editor}, {journey}: {verdict.why}"
            for (journey, editor), verdict in self.verdicts.items()
            if isinstance(verdict, Impossible)
        ]
        return [*in_columns([["", *editors], *rows]), *reasons]


def in_columns(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Write a table of Markdown, its cells below one another; the first row is its head."""
    head, *body = rows
    widths = [max(3, *(len(row[column]) for row in rows)) for column in range(len(head))]
    for row in [head, ["-" * width for width in widths], *body]:
        yield "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"


TABLE = Table()
