"""The statistics as a table: a row per figure, a column per mode. Imports rich."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from io import StringIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from twospeed.cli.protocol_values import ICONS
from twospeed.cli.visible import visible
from twospeed.history.figures import ModeFigures

UNKNOWN = "-"


def table_text(figures: Sequence[ModeFigures], *, since: float, is_terminal: bool) -> str:
    """Format the table.

    Args:
        figures: One column each.
        since: Time of the first edit, in seconds since 1970.
        is_terminal: Whether to use colours.
    """
    day = datetime.fromtimestamp(since).astimezone().date()
    table = Table(title=f"edits since {day:%Y-%m-%d}", title_justify="left")
    table.add_column("")
    for each in figures:
        table.add_column(Text(f"{ICONS.get(each.mode, '')} {visible(each.mode)}".strip()), justify="right")
    for label, value in LINES:
        table.add_row(label, *(Text(value(each)) for each in figures))
    console = Console(
        file=StringIO(), force_terminal=is_terminal, width=None if is_terminal else 100, highlight=False
    )
    with console.capture() as capture:
        console.print(table)
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def _outcomes(figures: ModeFigures) -> str:
    return "\n".join(f"{count} {visible(outcome)}" for outcome, count in figures.outcomes.items()) or UNKNOWN


def _number(value: float | None, spelling: str, unit: str = "") -> str:
    return UNKNOWN if value is None else f"{value:{spelling}}{unit}"


def _cost(figures: ModeFigures) -> str:
    known = _number(figures.cost, ".4g")
    is_partial = figures.cost is not None and figures.costed < figures.edits
    return f"{known} ({figures.costed} of {figures.edits})" if is_partial else known


def _accepted(figures: ModeFigures) -> str:
    share = _number(figures.accepted, ".0%")
    return share if figures.accepted is None else f"{share} of {figures.decided}"


LINES: tuple[tuple[str, Callable[[ModeFigures], str]], ...] = (
    ("edits", lambda each: str(each.edits)),
    ("outcomes", _outcomes),
    ("time to first token, median", lambda each: _number(each.ttft_ms, ",.0f", " ms")),
    ("tokens per second, median", lambda each: _number(each.tokens_per_second, ",.0f")),
    ("tokens in", lambda each: f"{each.input_tokens:,}"),
    ("  cached", lambda each: f"{each.cached_tokens:,}"),
    ("tokens out", lambda each: f"{each.output_tokens:,}"),
    ("  reasoning", lambda each: f"{each.reasoning_tokens:,}"),
    ("cost", _cost),
    ("accepted", _accepted),
    ("written lines that survive", lambda each: _number(each.survival, ".0%")),
)
"""The rows of the table and the page: a label, and the function that formats the value."""
