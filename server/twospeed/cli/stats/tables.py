"""The statistics of past edits as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from io import StringIO
from typing import TYPE_CHECKING

from twospeed.cli.render import ICONS
from twospeed.cli.visible import visible
from twospeed.history.figures import Figures, PairFigures

if TYPE_CHECKING:
    from rich.table import Table

UNKNOWN = "-"


def table_text(figures: Sequence[Figures], *, since: float, is_terminal: bool) -> str:
    """Return a table with a column per mode; ``since`` is in seconds since 1970."""
    from rich.table import Table  # noqa: PLC0415  # the page does not need it
    from rich.text import Text  # noqa: PLC0415  # as above

    day = datetime.fromtimestamp(since).astimezone().date()
    table = Table(title=f"edits since {day:%Y-%m-%d}", title_justify="left")
    table.add_column("")
    for each in figures:
        table.add_column(Text(f"{ICONS.get(each.name, '')} {visible(each.name)}".strip()), justify="right")
    for label, value in LINES:
        table.add_row(label, *(Text(value(each)) for each in figures))
    return _printed(table, is_terminal=is_terminal)


def models_text(figures: Sequence[Figures], *, is_terminal: bool) -> str:
    """Return a table with a row per model; empty without one."""
    if not figures:
        return ""
    from rich.table import Table  # noqa: PLC0415  # as above
    from rich.text import Text  # noqa: PLC0415  # as above

    table = Table()
    table.add_column("model", overflow="fold")
    for label, _ in MODEL_COLUMNS:
        table.add_column(label, justify="right")
    for each in figures:
        table.add_row(Text(visible(each.name)), *(Text(value(each)) for _, value in MODEL_COLUMNS))
    return _printed(table, is_terminal=is_terminal)


def _printed(table: Table, *, is_terminal: bool) -> str:
    from rich.console import Console  # noqa: PLC0415  # as above

    console = Console(
        file=StringIO(), force_terminal=is_terminal, width=None if is_terminal else 100, highlight=False
    )
    with console.capture() as capture:
        console.print(table)
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def pairs_text(pairs: Sequence[PairFigures]) -> str:
    """Return a line for each pair of models in mode ``both``: how often the places of the deep answer were taken."""
    lines = [
        f"{ICONS['both']} {visible(each.lightning)}, {visible(each.deep)}: {each.taken} of {each.places} places taken, "
        f"in {each.offered} offers of {each.answers} deep answers; tokens in {each.input_tokens:,}, "
        f"out {each.output_tokens:,}{_pair_cost(each)}\n"
        for each in pairs
    ]
    return "".join(lines)


def _pair_cost(pair: PairFigures) -> str:
    return "" if pair.cost is None else f"; cost {pair.cost:.4g}"


def _outcomes(figures: Figures) -> str:
    return "\n".join(f"{count} {visible(outcome)}" for outcome, count in figures.outcomes.items()) or UNKNOWN


def _number(value: float | None, spelling: str, unit: str = "") -> str:
    return UNKNOWN if value is None else f"{value:{spelling}}{unit}"


def _cost(figures: Figures) -> str:
    known = _number(figures.cost, ".4g")
    is_partial = figures.cost is not None and figures.costed < _n_requests(figures)
    return f"{known} ({figures.costed} of {_n_requests(figures)})" if is_partial else known


def _n_requests(figures: Figures) -> int:
    return figures.edits + figures.previews


def _accepted(figures: Figures) -> str:
    share = _number(figures.accepted, ".0%")
    return share if figures.accepted is None else f"{share} of {figures.decided}"


LINES: tuple[tuple[str, Callable[[Figures], str]], ...] = (
    ("edits", lambda each: str(each.edits)),
    ("previews", lambda each: str(each.previews)),
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
"""The rows of table and page: a label and a formatter."""

MODEL_COLUMNS: tuple[tuple[str, Callable[[Figures], str]], ...] = (
    ("edits", lambda each: str(each.edits)),
    ("accepted", _accepted),
    ("first token", lambda each: _number(each.ttft_ms, ",.0f", " ms")),
    ("tokens/s", lambda each: _number(each.tokens_per_second, ",.0f")),
    ("tokens", lambda each: f"{each.input_tokens + each.output_tokens:,}"),
    ("cost", _cost),
)
"""The columns of the table of models: a label and a formatter."""
