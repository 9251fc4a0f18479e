"""The statistics of past edits as a page with plots; the page fetches nothing and runs no script."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from html import escape

from twospeed.cli.render import ICONS
from twospeed.history.figures import Figures
from twospeed.history.rows import PREVIEWED, EditRow

from .tables import LINES

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


def page_of(rows: Sequence[EditRow], figures: Sequence[Figures]) -> str:
    """Return an HTML page that includes its style and plots; ``rows`` are sorted by time."""
    plots = (
        ("Edits per day", _daily_sums(rows, lambda row: float(row.outcome != PREVIEWED))),
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


def _table(figures: Sequence[Figures]) -> str:
    heads = "".join(f"<th>{escape(ICONS.get(each.name, ''))} {escape(each.name)}</th>" for each in figures)
    lines = "".join(
        f"<tr><td>{escape(label)}</td>"
        + "".join(f"<td>{escape(value(each)).replace(chr(10), '<br>')}</td>" for each in figures)
        + "</tr>\n"
        for label, value in LINES
    )
    return f"<table>\n<tr><th></th>{heads}</tr>\n{lines}</table>\n"


def _legend(figures: Sequence[Figures]) -> str:
    marks = (f'<span style="color:{_colour(each.name)}">●</span> {escape(each.name)}' for each in figures)
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
        f' fill-opacity=".6"><title>{escape(row.label or row.mode)}: {_written(each)}</title></circle>'
        for (row, _), each in zip(known, values, strict=True)
    ]
    ends = (_day(start), _day(end))
    return _plot(dots, ends=ends, marks=[(0.0, _written(low)), (1.0, _written(high))])


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
