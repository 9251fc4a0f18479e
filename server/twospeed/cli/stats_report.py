"""The statistics of past edits as a table, and as a page with plots; the page fetches nothing and runs no script."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from html import escape
from io import StringIO

from twospeed.history.figures import ModeFigures, PairFigures
from twospeed.history.rows import EditRow

from .render import ICONS
from .visible import visible

UNKNOWN = "-"


def table_text(figures: Sequence[ModeFigures], *, since: float, is_terminal: bool) -> str:
    """Return a table with a column per mode; ``since`` is in seconds since 1970."""
    from rich.console import Console  # noqa: PLC0415  # the page does not need it
    from rich.table import Table  # noqa: PLC0415  # as above
    from rich.text import Text  # noqa: PLC0415  # as above

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
"""The rows of table and page: a label and a formatter."""

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 640, 200, 52, 24
_MAX_POINTS = 4000
_WHOLE_FROM = 1000
"""Larger numbers have no decimals."""

_COLOURS = {"lightning": "#c98a00", "deep": "#5a55c8"}
_OTHER_COLOUR = "#777777"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
h2 { font-size: 1rem; margin: 2rem 0 .3rem; }
table { border-collapse: collapse; } td, th { padding: .2rem 1rem .2rem 0; text-align: right; vertical-align: top; }
td:first-child { text-align: left; } svg { width: 100%; height: auto; } text { font-size: 11px; fill: #666; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b; } text { fill: #aaa; } }
"""
_HEAD = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
    '<meta name="viewport" content="width=device-width">\n<title>twospeed: edits</title>\n'
)


def page_of(rows: Sequence[EditRow], figures: Sequence[ModeFigures]) -> str:
    """Return an HTML page that includes its style and plots; ``rows`` are sorted by time."""
    plots = (
        ("Edits per day", _daily_sums(rows, lambda _: 1.0)),
        ("Time to first token, ms", _values_over_time(rows, lambda row: row.ttft_ms, is_log=True)),
        ("Tokens per second", _values_over_time(rows, lambda row: row.tokens_per_second, is_log=True)),
        ("Cost per day", _daily_sums(rows, lambda row: row.cost or 0.0)),
        ("Share of written lines that survive", _values_over_time(rows, _survival)),
    )
    shown = "".join(f"<h2>{escape(title)}</h2>\n{plot}" for title, plot in plots if plot)
    return (
        f"{_HEAD}<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Edits</h1>\n{_table(figures)}"
        f"{_legend(figures)}{shown or '<p>There are no edits yet.</p>'}\n</body>\n</html>\n"
    )


def _survival(row: EditRow) -> float | None:
    if not row.lines_written or row.lines_surviving is None:
        return None
    return row.lines_surviving / row.lines_written


def _table(figures: Sequence[ModeFigures]) -> str:
    heads = "".join(f"<th>{escape(ICONS.get(each.mode, ''))} {escape(each.mode)}</th>" for each in figures)
    lines = "".join(
        f"<tr><td>{escape(label)}</td>"
        + "".join(f"<td>{escape(value(each)).replace(chr(10), '<br>')}</td>" for each in figures)
        + "</tr>\n"
        for label, value in LINES
    )
    return f"<table>\n<tr><th></th>{heads}</tr>\n{lines}</table>\n"


def _legend(figures: Sequence[ModeFigures]) -> str:
    marks = (f'<span style="color:{_colour(each.mode)}">●</span> {escape(each.mode)}' for each in figures)
    return f"<p>{' &nbsp; '.join(marks)}</p>\n"


def _colour(mode: str) -> str:
    return _COLOURS.get(mode, _OTHER_COLOUR)


def _daily_sums(rows: Iterable[EditRow], value: Callable[[EditRow], float]) -> str:
    sums: defaultdict[tuple[int, str], float] = defaultdict(float)
    for row in rows:
        sums[_day(row.at).toordinal(), row.mode] += value(row)
    totals: defaultdict[int, float] = defaultdict(float)
    for (day, _), each in sums.items():
        totals[day] += each
    top = max(totals.values(), default=0)
    if not top:
        return ""
    first, last = min(totals), max(totals)
    width = (_WIDTH - _LEFT) / (last - first + 1)
    heights: defaultdict[int, float] = defaultdict(float)
    bars: list[str] = []
    for (day, mode), each in sorted(sums.items(), key=lambda item: (item[0][0], item[0][1] != "lightning")):
        x, height = _LEFT + (day - first) * width, each / top * _plot_height()
        y = _HEIGHT - _BOTTOM - heights[day] - height
        heights[day] += height
        bars.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width - 1, 0.5):.1f}" height="{height:.1f}"'
            f' fill="{_colour(mode)}"><title>{date.fromordinal(day)}: {_written(each)}</title></rect>'
        )
    ends = (date.fromordinal(first), date.fromordinal(last))
    return _plot(bars, ends=ends, marks=[(0.0, "0"), (1.0, _written(top))])


def _values_over_time(
    rows: Sequence[EditRow], value: Callable[[EditRow], float | None], *, is_log: bool = False
) -> str:
    known = [(row, each) for row in rows if (each := value(row)) is not None][-_MAX_POINTS:]
    if not known:
        return ""
    values = [max(each, 0.01) for _, each in known] if is_log else [each for _, each in known]
    low, high = (min(values), max(values)) if is_log else (0.0, max(1.0, *values))
    if is_log:
        low, high = (
            10 ** math.floor(math.log10(low)),
            10 ** max(math.ceil(math.log10(high)), math.floor(math.log10(low)) + 1),
        )
    start, end = known[0][0].at, known[-1][0].at
    span = max(end - start, 1.0)

    def place(each: float) -> float:
        return math.log(each / low) / math.log(high / low) if is_log else (each - low) / (high - low)

    dots = [
        f'<circle cx="{_LEFT + 4 + (row.at - start) / span * (_WIDTH - _LEFT - 8):.1f}"'
        f' cy="{_HEIGHT - _BOTTOM - place(each) * _plot_height():.1f}" r="2.5" fill="{_colour(row.mode)}"'
        f' fill-opacity=".6"><title>{escape(_model_label(row))}: {_written(each)}</title></circle>'
        for (row, _), each in zip(known, values, strict=True)
    ]
    ends = (_day(start), _day(end))
    return _plot(dots, ends=ends, marks=[(0.0, _written(low)), (1.0, _written(high))])


def _model_label(row: EditRow) -> str:
    return f"{row.provider}/{row.model}" if row.provider else row.mode


def _written(value: float) -> str:
    return f"{value:,.0f}" if value >= _WHOLE_FROM else f"{value:.4g}"


def _plot(marks_in: Sequence[str], *, ends: tuple[date, date], marks: Sequence[tuple[float, str]]) -> str:
    base = _HEIGHT - _BOTTOM
    axis = "".join(
        f'<text x="{_LEFT - 6}" y="{base - share * _plot_height() + 4:.1f}" text-anchor="end">{escape(label)}</text>'
        for share, label in marks
    )
    days = (
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}">{ends[0]}</text>'
        f'<text x="{_WIDTH}" y="{_HEIGHT - 6}" text-anchor="end">{ends[1]}</text>'
    )
    line = f'<line x1="{_LEFT}" y1="{base}" x2="{_WIDTH}" y2="{base}" stroke="#999"/>'
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">{axis}{days}{line}{"".join(marks_in)}</svg>\n'


def _plot_height() -> float:
    return _HEIGHT - _BOTTOM - 10


def _day(at: float) -> date:
    return datetime.fromtimestamp(at).astimezone().date()
