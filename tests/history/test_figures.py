"""Statistics of rows by mode."""

from __future__ import annotations

from dataclasses import replace

from tests.history.some_rows import ROW

from twospeed.history.figures import Figures, counted, figures_by_mode, figures_by_model, figures_by_pair
from twospeed.history.rows import PREVIEWED

MODES = ("lightning", "deep")


def lightning(*rows: object) -> Figures:
    return figures_by_mode(rows, MODES)[0]  # type: ignore[arg-type]  # rows


def test_without_rows_all_statistics_are_empty() -> None:
    figures = figures_by_mode([], MODES)
    assert [each.name for each in figures] == ["lightning", "deep"]
    for each in figures:
        assert (each.edits, each.outcomes, each.cost) == (0, {}, None)
        assert (each.ttft_ms, each.tokens_per_second, each.accepted, each.survival) == (None,) * 4


def test_each_mode_has_its_own_statistics() -> None:
    deep = replace(ROW, mode="deep", ttft_ms=3000.0)
    assert [each.ttft_ms for each in figures_by_mode([ROW, deep, deep], MODES)] == [80.0, 3000.0]


def test_times_are_medians() -> None:
    rows = [replace(ROW, ttft_ms=ms) for ms in (70.0, 80.0, 9000.0, None)]
    assert lightning(*rows).ttft_ms == 80.0


def test_the_built_in_engine_does_not_count_for_times() -> None:
    assert lightning(ROW, replace(ROW, kind="builtin", ttft_ms=0.1)).ttft_ms == 80.0


def test_uncounted_tokens_add_nothing_and_cost_sums_known_costs() -> None:
    unknown = replace(ROW, input_tokens=None, output_tokens=None, cost=None)
    figures = lightning(ROW, unknown)
    assert (figures.input_tokens, figures.output_tokens) == (912, 310)
    assert (figures.cost, figures.costed, figures.edits) == (0.002, 1, 2)


def test_the_accepted_share_is_of_decided_edits() -> None:
    verdicts = ("accepted", "accepted", "rejected", "undone", None)
    figures = lightning(*(replace(ROW, verdict=verdict) for verdict in verdicts))  # type: ignore[arg-type]
    assert (figures.decided, figures.accepted) == (4, 0.5)


def test_survival_counts_lines_without_rejected_edits() -> None:
    rows = (
        replace(ROW, lines_written=9, lines_surviving=9),
        replace(ROW, lines_written=1, lines_surviving=0),
        replace(ROW, lines_written=5, lines_surviving=0, verdict="rejected"),
        replace(ROW, lines_written=5, lines_surviving=0, verdict="undone"),
        replace(ROW, lines_written=None, lines_surviving=None),
        replace(ROW, lines_written=0, lines_surviving=0),
    )
    assert lightning(*rows).survival == 0.9


def test_a_mode_of_a_later_version_is_shown_too() -> None:
    assert [each.name for each in figures_by_mode([replace(ROW, mode="other")], MODES)] == [*MODES, "other"]


def test_json_uses_wire_names() -> None:
    assert {"ttftMs", "tokensPerSecond", "inputTokens"} <= set(lightning(ROW).to_json("mode"))


def test_taken_places_are_counted_for_each_pair_of_models() -> None:
    deepened = replace(
        ROW, deep_provider="lab", deep_model="slow", deep_state="taken", deep_offered=3, deep_taken=2
    )
    other = replace(deepened, deep_model="slower", deep_state="unchanged", deep_offered=0, deep_taken=0)
    refused = replace(deepened, deep_state="refused", deep_offered=0, deep_taken=0, deep_cost=0.5)
    first, second = figures_by_pair([ROW, deepened, refused, other])
    assert (first.lightning, first.deep, first.answers, first.offered) == ("lab/m", "lab/slow", 2, 1)
    assert (first.places, first.taken, first.cost) == (3, 2, 0.5)
    assert (second.deep, second.answers, second.places) == ("lab/slower", 1, 0)


def test_a_preview_is_no_edit_and_its_tokens_and_cost_count() -> None:
    figures = lightning(ROW, replace(ROW, outcome=PREVIEWED, verdict=None))
    assert (figures.edits, figures.previews, figures.outcomes) == (1, 1, {"applied": 1})
    assert (figures.input_tokens, figures.cost, figures.costed) == (1824, 0.004, 2)


def test_an_edit_that_an_invalid_config_refused_is_not_counted() -> None:
    refused = replace(ROW, outcome="failed", reason="settings", provider=None, model=None)
    failed = replace(ROW, outcome="failed", reason="model-timeout")
    assert counted([ROW, refused, failed]) == [ROW, failed]


def test_each_model_has_its_own_statistics_over_both_modes() -> None:
    other = replace(ROW, provider="lab", model="slow", ttft_ms=900.0)
    rows = [other, ROW, replace(ROW, mode="deep"), replace(ROW, provider=None, model=None)]
    figures = figures_by_model(rows)
    assert [(each.name, each.edits, each.ttft_ms) for each in figures] == [
        ("lab/m", 2, 80.0),
        ("lab/slow", 1, 900.0),
    ]
