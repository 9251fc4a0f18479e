"""Plots of past edits as SVG, all over the same days."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from html import escape

from twospeed.history.rows import EditRow

OTHER_COLOUR = "#888888"

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640, 200, 52, 24, 10
_BASE = _HEIGHT - _BOTTOM
_LEAST_DAYS = 14
"""So that the bar of a first day does not fill the plot."""

_N_DATES = 5
_MAX_POINTS = 4000
_WHOLE_FROM = 1000
"""Larger numbers have no decimals."""


@dataclass(frozen=True, slots=True)
class Days:
    """The days of all plots, as ordinals; days without edits are among them."""

    first: int
    last: int

    @classmethod
    def until(cls, today: date, rows: Sequence[EditRow]) -> Days:
        """Return the days from the first row to today; ``rows`` are sorted by time."""
        days = [_moment(row.at).toordinal() for row in (*rows[:1], *rows[-1:])]
        last = max([today.toordinal(), *days])
        return cls(min([last - _LEAST_DAYS + 1, *days]), last)

    @property
    def width(self) -> float:
        """The width of one day."""
        return (_WIDTH - _LEFT) / (self.last - self.first + 1)

    def x(self, day: float) -> float:
        """Return the position of an ordinal with its fraction of a day."""
        return _LEFT + (day - self.first) * self.width

    def axis(self) -> str:
        """Return the dates, at most five, the last one always."""
        step = math.ceil((self.last - self.first + 1) / _N_DATES)
        return "".join(
            f'<text x="{self.x(day + 0.5):.1f}" y="{_HEIGHT - 6}" text-anchor="{anchor}">{date.fromordinal(day)}</text>'
            for day in range(self.last, self.first - 1, -step)
            for anchor in ["end" if day == self.last else "middle"]
            if anchor == "end" or self.x(day) >= _LEFT + 30
        )


def daily_sums(
    rows: Iterable[EditRow],
    value: Callable[[EditRow], float],
    *,
    days: Days,
    colours: Mapping[str, str],
) -> str:
    """Return bars of a sum for each day and mode; empty if all sums are 0."""
    sums: defaultdict[tuple[int, str], float] = defaultdict(float)
    totals: defaultdict[int, float] = defaultdict(float)
    for row in rows:
        day = _moment(row.at).toordinal()
        sums[day, row.mode] += value(row)
        totals[day] += value(row)
    top = max(totals.values(), default=0)
    if not top:
        return ""
    heights: defaultdict[int, float] = defaultdict(float)
    bars: list[str] = []
    for (day, mode), each in sorted(sums.items(), key=lambda item: (item[0][0], item[0][1] != "lightning")):
        height = each / top * _plot_height()
        heights[day] += height
        bars.append(
            f'<rect x="{days.x(day):.1f}" y="{_BASE - heights[day]:.1f}" width="{max(days.width - 1, 0.5):.1f}"'
            f' height="{height:.1f}" fill="{colours.get(mode, OTHER_COLOUR)}">'
            f"<title>{date.fromordinal(day)}, {escape(mode)}: {_written(each)}</title></rect>"
        )
    return _plot(bars, days=days, marks=[(0.0, "0"), (0.5, _written(top / 2)), (1.0, _written(top))])


def values_over_time(
    rows: Sequence[EditRow],
    value: Callable[[EditRow], float | None],
    *,
    days: Days,
    colours: Mapping[str, str],
    is_log: bool = False,
) -> str:
    """Return a dot for each known value, in the colour of its model; empty without one."""
    known = [(row, each) for row in rows if (each := value(row)) is not None][-_MAX_POINTS:]
    if not known:
        return ""
    values = [max(each, 0.01) for _, each in known] if is_log else [each for _, each in known]
    scale = _log_scale(values) if is_log else _Scale(0.0, max(1.0, *values))
    dots = [
        f'<circle cx="{days.x(_day_of(row.at)):.1f}" cy="{_BASE - scale.share(each) * _plot_height():.1f}" r="2.5"'
        f' fill="{colours.get(row.label, OTHER_COLOUR)}" fill-opacity=".6">'
        f"<title>{escape(row.label or row.mode)}: {_written(each)}</title></circle>"
        for (row, _), each in zip(known, values, strict=True)
    ]
    return _plot(dots, days=days, marks=scale.marks())


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float
    is_log: bool = False

    def share(self, value: float) -> float:
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def marks(self) -> list[tuple[float, str]]:
        values = [self.low, (self.low + self.high) / 2, self.high]
        if self.is_log:
            n_decades = round(math.log10(self.high / self.low))
            step = math.ceil(n_decades / 5)
            values = [self.low * 10**number for number in range(0, n_decades + 1, step)]
        return [(self.share(each), _written(each)) for each in values]


def _log_scale(values: Sequence[float]) -> _Scale:
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    return _Scale(10.0**low, 10.0**high, is_log=True)


def _plot(marks_in: Sequence[str], *, days: Days, marks: Sequence[tuple[float, str]]) -> str:
    grid = "".join(
        f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH}" y2="{y:.1f}"/>'
        f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{escape(label)}</text>'
        for share, label in marks
        for y in [_BASE - share * _plot_height()]
    )
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">{grid}{days.axis()}{"".join(marks_in)}</svg>\n'


def _plot_height() -> float:
    return _BASE - _TOP


def _written(value: float) -> str:
    return f"{value:,.0f}" if value >= _WHOLE_FROM else f"{value:.4g}"


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at).astimezone()


def _day_of(at: float) -> float:
    moment = _moment(at)
    return moment.toordinal() + (moment.hour * 60 + moment.minute) / (24 * 60)
