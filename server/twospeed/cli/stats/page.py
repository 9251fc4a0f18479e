"""The statistics of past edits as a page with plots; the page fetches nothing and runs no script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from html import escape

from twospeed.cli.render import ICONS
from twospeed.history.figures import Figures
from twospeed.history.rows import PREVIEWED, EditRow

from .plots import OTHER_COLOUR, Days, daily_sums, values_over_time
from .tables import LINES, MODEL_COLUMNS

_HEADLINES = (
    "edits",
    "accepted",
    "time to first token, median",
    "tokens per second, median",
    "written lines that survive",
)
"""The lines of the table that are also shown for all edits, above it."""

_COLOURS_OF_MODES = {"lightning": "#c98a00", "deep": "#5a55c8"}
_COLOURS_OF_MODELS = ("#2a78c2", "#c2582a", "#2f9e5f", "#9a4fb5", "#b8962b", "#c23b6b")
_OTHERS = "others"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
h2 { font-size: 1rem; margin: 2rem 0 .3rem; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; } td, th { padding: .2rem 1rem .2rem 0; text-align: right; vertical-align: top; white-space: nowrap; }
td:first-child, th:first-child { text-align: left; } td.part { padding-left: 1rem; }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; } dt { font-size: .8rem; color: #666; }
dd { margin: 0; font-size: 1.5rem; } .legend { font-size: .8rem; margin: 0; } .legend span { margin-right: .3rem; }
svg { width: 100%; height: auto; } text { font-size: 11px; fill: #666; } line { stroke: #8884; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b; } text { fill: #aaa; } dt { color: #aaa; } }
"""
_HEAD = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
    '<meta name="viewport" content="width=device-width">\n<title>twospeed: edits</title>\n'
)


def page_of(
    rows: Sequence[EditRow],
    modes: Sequence[Figures],
    models: Sequence[Figures],
    *,
    of_all: Figures,
    today: date,
) -> str:
    """Return an HTML page that includes its style and plots; ``rows`` are sorted by time."""
    body = (
        "".join(_sections(rows, modes, models, of_all, today)) if rows else "<p>There are no edits yet.</p>\n"
    )
    return f"{_HEAD}<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Edits</h1>\n{body}</body>\n</html>\n"


def _sections(
    rows: Sequence[EditRow], modes: Sequence[Figures], models: Sequence[Figures], of_all: Figures, today: date
) -> Iterable[str]:
    days = Days.until(today, rows)
    of_modes = {each.name: _COLOURS_OF_MODES.get(each.name, OTHER_COLOUR) for each in modes}
    of_models = {each.name: colour for each, colour in zip(models, _COLOURS_OF_MODELS, strict=False)}
    legend_of_models = of_models | ({_OTHERS: OTHER_COLOUR} if len(models) > len(of_models) else {})
    yield f"<p>{date.fromordinal(days.first)} to {date.fromordinal(days.last)}</p>\n{_headlines(of_all)}"
    yield f"<h2>By mode</h2>\n{_table_of_modes(modes)}"
    if models:
        yield f"<h2>By model</h2>\n{_table_of_models(models)}"

    def bars(title: str, value: Callable[[EditRow], float]) -> str:
        plot = daily_sums(rows, value, days=days, colours=of_modes)
        return _figure(title, plot, of_modes)

    def dots(title: str, value: Callable[[EditRow], float | None], *, is_log: bool = False) -> str:
        plot = values_over_time(rows, value, days=days, colours=of_models, is_log=is_log)
        return _figure(title, plot, legend_of_models)

    yield bars("Edits per day", lambda row: float(row.outcome != PREVIEWED))
    yield dots("Time to first token, ms", lambda row: row.ttft_ms, is_log=True)
    yield dots("Tokens per second", lambda row: row.tokens_per_second, is_log=True)
    yield bars("Cost per day", lambda row: row.cost or 0.0)
    yield dots("Share of written lines that survive", _survival)


def _figure(title: str, plot: str, colours: Mapping[str, str]) -> str:
    return f"<h2>{escape(title)}</h2>\n{_legend(colours)}{plot}" if plot else ""


def _legend(colours: Mapping[str, str]) -> str:
    marks = (f'<span style="color:{colour}">●</span>{escape(name)}' for name, colour in colours.items())
    return f'<p class="legend">{" &nbsp; ".join(marks)}</p>\n'


def _headlines(of_all: Figures) -> str:
    values = {label: value(of_all) for label, value in LINES}
    tiles = (f"<div><dt>{label}</dt><dd>{escape(values[label])}</dd></div>" for label in _HEADLINES)
    return f"<dl>{''.join(tiles)}</dl>\n"


def _survival(row: EditRow) -> float | None:
    if not row.lines_written or row.lines_surviving is None:
        return None
    return row.lines_surviving / row.lines_written


def _table_of_modes(figures: Sequence[Figures]) -> str:
    heads = [f"{ICONS.get(each.name, '')} {each.name}" for each in figures]
    return _table(["", *heads], ([label, *(value(each) for each in figures)] for label, value in LINES))


def _table_of_models(figures: Sequence[Figures]) -> str:
    heads = [label for label, _ in MODEL_COLUMNS]
    rows = ([each.name, *(value(each) for _, value in MODEL_COLUMNS)] for each in figures)
    return _table(["model", *heads], rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in rows)
    return f'<div class="scroll"><table>\n<tr>{head}</tr>\n{lines}</table></div>\n'


def _cell(text: str) -> str:
    part = ' class="part"' if text.startswith("  ") else ""  # a part of the line above, such as cached tokens
    return f"<td{part}>{escape(text.strip()).replace(chr(10), '<br>')}</td>"
