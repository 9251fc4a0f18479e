"""A row of the history, and the rows of a file."""

from __future__ import annotations

import time
from pathlib import Path

from twospeed.history.file import HistoryFile
from twospeed.history.rows import EditRow

ROW = EditRow(
    id="a",
    at=time.time(),
    mode="lightning",
    provider="lab",
    model="m",
    kind="local",
    outcome="applied",
    verdict="accepted",
    queued_ms=1.0,
    ttft_ms=80.0,
    duration_ms=400.0,
    tokens_per_second=900.0,
    input_tokens=912,
    output_tokens=310,
    cached_tokens=800,
    cache_write_tokens=0,
    reasoning_tokens=0,
    cost=0.002,
    requests=1,
    lines_added=4,
    lines_removed=1,
    lines_written=4,
    lines_surviving=3,
)


def rows_in(path: Path) -> list[EditRow]:
    file = HistoryFile(path, is_new_allowed=False)
    rows = file.read()
    file.close()
    return rows
