"""One edit as a row of numbers and fixed names. It cannot hold code, an instruction or a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

# Where a model runs: on another machine, on this one, or in this process.
Kind = Literal["cloud", "local", "builtin"]

# The user's decision; ``undone`` is a rejection by the editor's undo.
RowVerdict = Literal["accepted", "rejected", "undone"]

# The outcome of an edit that was shown and not applied by the server.
PREVIEWED: Final = "previewed"


@dataclass(frozen=True, slots=True)
class EditRow:
    """One edit; from ``queued_ms`` to ``uncounted`` the fields are the protocol's ``stats``."""

    id: str  # unique in all rows of all servers
    at: float  # time of the outcome, in seconds since 1970
    mode: str
    provider: str | None  # None without a model, as `model` and `kind`
    model: str | None
    kind: Kind | None
    outcome: str
    reason: str | None = None
    verdict: RowVerdict | None = None  # None without a decision
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
    lines_written: int | None = None  # without blank ones
    lines_surviving: int | None = None  # of them, at the last check
    # of the deep answer in mode both, apart from the fields above; None and 0 without one
    deep_provider: str | None = None
    deep_model: str | None = None
    deep_state: str | None = None
    deep_offered: int = 0  # places
    deep_taken: int = 0
    deep_input_tokens: int | None = None
    deep_output_tokens: int | None = None
    deep_cost: float | None = None
    deep_duration_ms: float | None = None

    @property
    def label(self) -> str:
        """The model as ``provider/model``; empty without one."""
        return f"{self.provider}/{self.model}" if self.provider else ""
