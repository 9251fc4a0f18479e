"""One edit as a row: figures, and words of closed lists. Nothing here could hold code, an instruction or a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["cloud", "local", "builtin"]
"""Where a model runs: elsewhere, on this machine, or in this process."""

RowVerdict = Literal["accepted", "rejected", "undone"]
"""What the user made of an edit; ``undone`` was rejected by taking it back with the editor's undo."""


@dataclass(frozen=True, slots=True)
class EditRow:
    """One edit.

    Attributes:
        id: Unique among all rows of all servers.
        at: When it had its outcome, in seconds since 1970.
        mode: ``lightning`` or ``deep``.
        provider: Who served; ``None`` where nobody was asked.
        model: Likewise.
        kind: Where that runs.
        outcome: As the contract names it.
        reason: Code of the contract's list, where the outcome has one.
        verdict: ``None`` where there was none.
        queued_ms: As the protocol's ``stats``, and so are all that follow up to the lines.
        lines_written: Lines of the edit that are not blank.
        lines_surviving: How many of them stood there when somebody last looked; ``None`` where nobody could.
    """

    id: str
    at: float
    mode: str
    provider: str | None
    model: str | None
    kind: Kind | None
    outcome: str
    reason: str | None = None
    verdict: RowVerdict | None = None
    queued_ms: float | None = None
    ttft_ms: float | None = None
    duration_ms: float = 0.0
    tokens_per_second: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    requests: int = 0
    uncounted: int = 0
    lines_added: int = 0
    lines_removed: int = 0
    lines_written: int | None = None
    lines_surviving: int | None = None
