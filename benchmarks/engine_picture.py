"""Draw the result of `bench_engine`: microseconds per token over the size of the scope, on logarithmic axes.

python -m benchmarks.bench_engine --json > engine.json python -m benchmarks.engine_picture engine.json
benchmarks/engine.svg
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from math import ceil, floor, log10
from pathlib import Path

SERIES = {  # column of the table: name and colour
    "µs/token": ("twospeed", "#0969da"),
    "line scan": ("line scan", "#2da44e"),
    "difflib": ("difflib for each line", "#bf8700"),
    "characters": ("alignment of characters", "#cf222e"),
    "floor": ("floor: lines cut, nothing done", "#8c959f"),
}
ANSWERS = ("40 % changed", "reversed")
LEFT, TOP, WIDTH, HEIGHT, GAP = 80, 40, 280, 260, 48


def picture(rows: Sequence[dict[str, float | str]]) -> str:
    """Return an SVG with one panel for each answer, side by side."""
    values = [float(row[column]) for row in rows for column in SERIES if row["answer"] in ANSWERS]
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    sizes = sorted({int(row["lines"]) for row in rows})

    def x(panel: int, size: float) -> float:
        share = log10(size / sizes[0]) / log10(sizes[-1] / sizes[0])
        return LEFT + panel * (WIDTH + GAP) + share * WIDTH

    def y(value: float) -> float:
        return TOP + HEIGHT * (high - log10(value)) / (high - low)

    parts = []
    for panel, answer in enumerate(ANSWERS):
        left, right = x(panel, sizes[0]), x(panel, sizes[-1])
        parts.append(_text((left + right) / 2, TOP - 16, answer, "middle", weight="bold"))
        for power in range(low, high + 1):
            parts.append(_line([(left, y(10**power)), (right, y(10**power))], "#d0d7de", 1))
            if panel == 0:
                parts.append(_text(left - 8, y(10**power) + 4, f"{10.0**power:,.7g}", "end"))
        parts += [_text(x(panel, size), TOP + HEIGHT + 18, f"{size:,}", "middle") for size in sizes]
        for column, (_, colour) in SERIES.items():
            points = [
                (x(panel, float(row["lines"])), y(float(row[column])))
                for row in rows
                if row["answer"] == answer
            ]
            parts.append(_line(points, colour, 3 if column == "µs/token" else 2))
            parts += [f'<circle cx="{at:.1f}" cy="{of:.1f}" r="3" fill="{colour}"/>' for at, of in points]
    legend = LEFT + len(ANSWERS) * (WIDTH + GAP) - GAP + 24
    for index, (name, colour) in enumerate(SERIES.values()):
        at = TOP + 20 + index * 24
        parts.append(_line([(legend, at), (legend + 20, at)], colour, 3))
        parts.append(_text(legend + 28, at + 4, name, "start"))
    parts.append(_text(LEFT - 68, TOP - 16, "µs a token", "start"))
    middle = (x(0, sizes[0]) + x(len(ANSWERS) - 1, sizes[-1])) / 2
    parts.append(_text(middle, TOP + HEIGHT + 38, "lines of the scope", "middle"))
    width, height = legend + 230, TOP + HEIGHT + 52
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="12" role="img" '
        'aria-label="Microseconds a token for scopes of 20 to 2,000 lines">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _line(points: Sequence[tuple[float, float]], colour: str, width: int) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _text(x: float, y: float, text: str, anchor: str, *, weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="#1f2328" text-anchor="{anchor}" font-weight="{weight}">{text}</text>'


def main() -> None:
    """Read the figures, write the picture."""
    source, target = map(Path, sys.argv[1:])
    figures = json.loads(source.read_text("utf-8"))
    target.write_text(picture(figures["Engine, microseconds a token"]), "utf-8")


if __name__ == "__main__":
    main()
