from hypothesis import given
from hypothesis import strategies as st

from twospeed.prompt.budget import Shares, Window, fit

LINES = st.lists(st.text("ab\n", max_size=6), max_size=12)


def window(before: str, after: str, n_chars: int) -> Window:
    return fit(before.split(), after.split(), n_chars=n_chars, prepare=lambda line: line)


def test_all_lines_are_kept_if_they_fit():
    assert window("a b", "c d", 4) == Window(("a", "b"), ("c", "d"), 0, 0)


def test_the_nearest_lines_are_kept_first():
    assert window("a b c", "d e f", 2) == Window(("c",), ("d",), 2, 2)


def test_the_line_above_comes_before_the_line_below():
    assert window("a b", "c d", 3) == Window(("a", "b"), ("c",), 0, 1)


def test_unused_space_of_one_side_goes_to_the_other():
    assert window("a b c d", "e", 4) == Window(("b", "c", "d"), ("e",), 1, 0)


def test_a_line_that_does_not_fit_ends_its_side():
    assert window("a bbbb c", "d e", 4) == Window(("c",), ("d", "e"), 2, 0)


def test_no_line_is_kept_without_space():
    assert window("a", "b", -5) == Window((), (), 1, 1)


def test_a_line_is_measured_after_preparation():
    doubled = fit(["aa"], ["b"], n_chars=3, prepare=lambda line: line * 2)
    assert doubled == Window((), ("bb",), 1, 0)


@given(LINES, LINES, st.integers(-3, 80))
def test_kept_lines_are_next_to_the_scope_and_fit(before, after, n_chars):
    kept = fit(before, after, n_chars=n_chars, prepare=lambda line: line)
    assert list(kept.before) == before[kept.n_left_out_before :]
    assert list(kept.after) == after[: len(after) - kept.n_left_out_after]
    assert sum(map(len, kept.before + kept.after)) <= max(n_chars, 0)


@given(LINES, LINES, st.integers(0, 40))
def test_more_space_never_keeps_fewer_lines(before, after, n_chars):
    def sizes(room: int) -> tuple[int, int]:
        kept = fit(before, after, n_chars=room, prepare=lambda line: line)
        return len(kept.before), len(kept.after)

    assert sum(sizes(10**6)) == len(before) + len(after)
    assert sizes(n_chars) <= sizes(10**6)


def test_shares_have_a_limit_and_are_zero_without_space():
    for room, shares in (
        (-5, Shares(0, 0, 0, 0)),
        (0, Shares(0, 0, 0, 0)),
        (3, Shares(0, 0, 0, 0)),
        (4, Shares(1, 0, 0, 0)),
        (8, Shares(2, 1, 1, 1)),
        (8 * 6_144 - 1, Shares(12_287, 6_143, 6_143, 6_143)),
        (8 * 6_144, Shares(12_288, 6_144, 6_144, 6_144)),
        (9 * 6_144, Shares(13_824, 6_144, 6_144, 6_144)),
    ):
        assert Shares.of(room) == shares, room


def test_a_line_that_is_too_long_is_not_prepared():
    prepared: list[str] = []

    def prepare(line: str) -> str:
        prepared.append(line)
        return line

    assert fit(["a", "b" * 9], ["c" * 9, "d"], n_chars=8, prepare=prepare) == Window((), (), 2, 2)
    assert prepared == []
