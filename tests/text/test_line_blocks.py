"""A sequence of lines behaves as a tuple after any splices, and its versions share unchanged parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.text import line_blocks
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines

LINE = st.sampled_from(["a\n", "é\n", "\n", "b\r\n", "c\r"])
START = st.lists(LINE, max_size=60)
SPLICES = st.lists(
    st.tuples(st.integers(0, 80), st.integers(0, 20), st.lists(LINE, max_size=25)), max_size=12
)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_blocks, "BLOCK_LINES", 4)


def versions_of(
    start: list[str] | Lines, splices: list[tuple[int, int, list[str]]]
) -> list[tuple[Lines, list[str]]]:
    """Splice a sequence and a plain list the same way; return every version of both."""
    line_blocks.BLOCK_LINES = 4
    lines, plain = start if isinstance(start, Lines) else Lines.of(start), list(start)
    versions = [(lines, list(plain))]
    for at, count, new in splices:
        at = min(at, len(plain))  # noqa: PLW2901  # a place that exists
        count = min(count, len(plain) - at)  # noqa: PLW2901
        lines = lines.spliced(at, count, new)
        plain[at : at + count] = new
        versions.append((lines, list(plain)))
    return versions


@given(START, SPLICES)
def test_a_splice_leaves_older_versions_unchanged(
    start: list[str], splices: list[tuple[int, int, list[str]]]
) -> None:
    for lines, plain in versions_of(start, splices):
        assert list(lines) == plain
        assert len(lines) == len(plain)
        assert [lines[index] for index in range(len(plain))] == plain
        assert lines == tuple(plain)
        assert lines == Lines.of(plain)
        assert all(lines.blocks), "no block is empty"


@given(START, SPLICES, st.integers(-70, 70), st.integers(-70, 70), st.sampled_from([None, 1, -1, 3]))
def test_slices_equal_slices_of_a_tuple(
    start: list[str], splices: list[tuple[int, int, list[str]]], first: int, last: int, step: int | None
) -> None:
    lines, plain = versions_of(start, splices)[-1]
    assert lines[first:last:step] == tuple(plain)[first:last:step]


@given(START, SPLICES, SPLICES)
def test_filling_the_gaps_gives_the_other_version(
    start: list[str],
    splices: list[tuple[int, int, list[str]]],
    others: list[tuple[int, int, list[str]]],
) -> None:
    trunk = versions_of(start, splices)
    old, plain = trunk[len(trunk) // 2]
    for new_version in (trunk[-1][0], versions_of(old, others)[-1][0]):
        rebuilt = list(plain)
        for gap in reversed(list(old.gaps_to(new_version))):
            rebuilt[gap.start : gap.end] = new_version[gap.new_start : gap.new_end]
        assert rebuilt == list(new_version)


@given(START, SPLICES, SPLICES)
def test_versions_with_equal_lines_are_equal(
    start: list[str],
    splices: list[tuple[int, int, list[str]]],
    others: list[tuple[int, int, list[str]]],
) -> None:
    trunk = versions_of(start, splices)
    lines, plain = trunk[-1]
    for other, other_plain in [*trunk, *versions_of(trunk[0][0], others), *versions_of(start, others)]:
        assert (lines == other) == (plain == other_plain)


def test_versions_with_equal_lines_and_different_blocks_are_equal() -> None:
    old = Lines.of(["\n"] * 12)
    above, below = old.spliced(0, 0, ["\n"]), old.spliced(12, 0, ["\n"])
    assert above == below
    assert above != below.spliced(12, 1, ["a\n"])


def test_a_keystroke_replaces_one_block_of_a_large_document() -> None:
    line_blocks.BLOCK_LINES = 256
    old = Lines.of(f"line {number}\n" for number in range(50_000))
    new = old.spliced(25_000, 1, ["typed\n"])
    assert new.family is old.family
    assert sum(block not in set(map(id, old.blocks)) for block in map(id, new.blocks)) == 1
    assert [gap.end - gap.start <= 2 * 256 for gap in old.gaps_to(new)] == [True]


@given(START, SPLICES)
def test_byte_counts_equal_the_text_for_a_parser(
    start: list[str], splices: list[tuple[int, int, list[str]]]
) -> None:
    lines, plain = versions_of(start, splices)[-1]
    for last in ("", "end"):
        check_counts(lines.spliced(len(lines), 0, [last]), [*plain, last])


def check_counts(lines: Lines, plain: list[str]) -> None:
    parsed = b"".join(block.parsed() for block in lines.blocks)
    assert parsed == "".join(line.rstrip("\r\n") + "\n" for line in plain).encode()
    assert lines.n_bytes == len(parsed)
    assert lines.longest == max(map(len, plain), default=0)


def test_half_a_surrogate_pair_is_one_byte_for_a_parser() -> None:
    assert Lines.of(["a\ud83db\n", "end"]).blocks[0].parsed() == b"a?b\nend\n"


def test_joining_the_lines_gives_the_text() -> None:
    text = "a\r\nb\rc\n\nlast"
    assert "".join(Lines.of(split_lines(text))) == text
