"""Aggregate rows by mode and by model. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from .rows import PREVIEWED, EditRow


@dataclass(frozen=True, slots=True)
class Figures:
    """Statistics of the edits of a mode or a model, over the known values."""

    name: str
    edits: int  # without previews
    previews: int
    outcomes: Mapping[str, int]
    ttft_ms: float | None  # median time to the first text of models, without the built-in engine
    tokens_per_second: float | None
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    cost: float | None
    costed: int  # edits and previews with a known cost
    decided: int  # accepted and rejected edits
    accepted: float | None  # share of accepted edits among them
    survival: float | None  # share of written lines at the next save or at the end, without rejected edits

    def to_json(self, kind: str) -> dict[str, object]:
        """Return plain values with wire names, and the name as ``kind``, such as ``mode``."""
        values = {_camel(name): value for name, value in asdict(self).items()}
        return {kind: values.pop("name"), **values}


@dataclass(frozen=True, slots=True)
class PairFigures:
    """How often the places of deep answers were taken, for one pair of models."""

    lightning: str
    deep: str
    answers: int  # deep answers that were requested
    offered: int  # of them, those that would have changed a place
    places: int
    taken: int
    input_tokens: int
    output_tokens: int
    cost: float | None

    def to_json(self) -> dict[str, object]:
        """Return plain values with wire names."""
        return {_camel(name): value for name, value in asdict(self).items()}


def figures_by_pair(rows: Iterable[EditRow]) -> list[PairFigures]:
    """Return the statistics of each pair of models in mode ``both``, the most frequent first."""
    by_pair: dict[tuple[str, str], list[EditRow]] = {}
    for row in rows:
        if row.deep_state and row.deep_model and row.mode == "lightning":
            pair = row.label, f"{row.deep_provider}/{row.deep_model}"
            by_pair.setdefault(pair, []).append(row)
    return [_pair(*pair, its) for pair, its in sorted(by_pair.items(), key=lambda each: -len(each[1]))]


def _pair(lightning: str, deep: str, rows: Sequence[EditRow]) -> PairFigures:
    costs = _known(rows, lambda row: row.deep_cost)
    return PairFigures(
        lightning,
        deep,
        answers=len(rows),
        offered=sum(row.deep_offered > 0 for row in rows),
        places=sum(row.deep_offered for row in rows),
        taken=sum(row.deep_taken for row in rows),
        input_tokens=sum(row.deep_input_tokens or 0 for row in rows),
        output_tokens=sum(row.deep_output_tokens or 0 for row in rows),
        cost=sum(costs) if costs else None,
    )


def counted(rows: Iterable[EditRow]) -> list[EditRow]:
    """Return the rows without edits that an invalid config refused before they began."""
    return [row for row in rows if row.reason != "settings"]


def figures_by_model(rows: Iterable[EditRow]) -> list[Figures]:
    """Return the statistics of each model, the most frequent first."""
    by_model: dict[str, list[EditRow]] = {}
    for row in rows:
        if label := row.label:
            by_model.setdefault(label, []).append(row)
    return [_figures(*each) for each in sorted(by_model.items(), key=lambda each: -len(each[1]))]


def figures_of_all(rows: Iterable[EditRow], modes: Sequence[str]) -> Figures:
    """Return the statistics of all edits in ``modes`` together."""
    return _figures("all", [row for row in rows if row.mode in modes])


def figures_by_mode(rows: Iterable[EditRow], modes: Sequence[str]) -> list[Figures]:
    """Return the statistics of each mode, ``modes`` first and in this order, even without edits."""
    by_mode: dict[str, list[EditRow]] = {mode: [] for mode in modes}
    for row in rows:
        by_mode.setdefault(row.mode, []).append(row)
    return [_figures(mode, its) for mode, its in by_mode.items()]


def _figures(name: str, rows: Sequence[EditRow]) -> Figures:
    n_previews = sum(row.outcome == PREVIEWED for row in rows)
    costs = _known(rows, lambda row: row.cost)
    decided = [row for row in rows if row.verdict]
    measured = [
        (row.lines_surviving, row.lines_written)
        for row in rows
        if row.verdict not in ("rejected", "undone") and row.lines_written and row.lines_surviving is not None
    ]
    n_written = sum(written for _, written in measured)
    return Figures(
        name=name,
        edits=len(rows) - n_previews,
        previews=n_previews,
        outcomes=dict(Counter(row.outcome for row in rows if row.outcome != PREVIEWED).most_common()),
        ttft_ms=_median(_known(rows, lambda row: None if row.kind == "builtin" else row.ttft_ms)),
        tokens_per_second=_median(_known(rows, lambda row: row.tokens_per_second)),
        input_tokens=sum(row.input_tokens or 0 for row in rows),
        output_tokens=sum(row.output_tokens or 0 for row in rows),
        cached_tokens=sum(row.cached_tokens or 0 for row in rows),
        reasoning_tokens=sum(row.reasoning_tokens or 0 for row in rows),
        cost=sum(costs) if costs else None,
        costed=len(costs),
        decided=len(decided),
        accepted=sum(row.verdict == "accepted" for row in decided) / len(decided) if decided else None,
        survival=sum(surviving for surviving, _ in measured) / n_written if n_written else None,
    )


def _known(rows: Iterable[EditRow], value: Callable[[EditRow], float | None]) -> list[float]:
    return [known for row in rows if (known := value(row)) is not None]


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)
