"""Text edits on a string, and the diff of two texts."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.cli.exits import ServerTrouble
from twospeed.cli.preview import (
    PreviewedScope,
    apply_text_edits,
    changes_of,
    diff_of,
    text_in,
    text_with,
    unified_diff_of,
)
from twospeed.text.edits import TextEdit
from twospeed.text.positions import Position, Range


def edit(notation: str) -> TextEdit:
    """``"0:2-1:0 -> xy"``: replace what lies between two positions by ``xy``."""
    place, _, new = notation.partition(" -> ")
    start, end = (Position(*map(int, half.split(":"))) for half in place.split("-"))
    return TextEdit(Range(start, end), new)


def check(text: str, edits: list[str], expected: str) -> None:
    assert apply_text_edits(text, [edit(notation) for notation in edits]) == expected


def test_an_edit_replaces_its_range() -> None:
    check("one\ntwo\n", ["1:0-1:3 -> 2"], "one\n2\n")


def test_columns_are_utf_16_code_units() -> None:
    check("😀x\n", ["0:2-0:3 -> y"], "😀y\n")


def test_a_column_past_the_end_means_before_the_line_end() -> None:
    check("a\r\nb", ["0:99-0:99 -> !"], "a!\r\nb")


def test_insertions_at_one_place_keep_their_order() -> None:
    check("x", ["0:0-0:0 -> a", "0:0-0:0 -> b"], "abx")


def test_edits_may_come_in_any_order() -> None:
    check("a\nb\nc", ["2:0-2:1 -> C", "0:0-0:1 -> A"], "A\nb\nC")


def test_other_line_ends_and_odd_separators_stay() -> None:
    check("a\u2028\f\r\nb\rc", ["2:0-2:1 -> C"], "a\u2028\f\r\nb\rC")


@pytest.mark.parametrize(
    "edits",
    [["0:0-0:2 -> x", "0:1-0:3 -> y"], ["0:2-0:1 -> x"], ["2:0-2:0 -> x"], ["0:0-5:0 -> x"]],
    ids=["overlap", "backwards", "line past the end", "range past the end"],
)
def test_edits_that_do_not_fit_are_an_error_and_never_a_guess(edits) -> None:
    with pytest.raises(ServerTrouble):
        check("abc\nd", edits, "")


def test_the_text_of_a_range_is_cut_out() -> None:
    assert text_in("a\r\n😀b\nc", Range(Position(1, 0), Position(2, 0))) == "😀b\n"


def test_a_scope_is_rewritten_batch_by_batch() -> None:
    view = PreviewedScope("a\nb\nc\n")
    view.receive_batch([edit("0:0-1:0 -> A\nA2\n")])
    view.receive_batch([edit("2:0-3:0 -> ")])
    assert (view.old, view.text, view.written_line) == ("a\nb\nc\n", "A\nA2\nc\n", 2)


def written(old: str, new: str) -> list[str]:
    return [f"{'@@ ' if line.mark == '@' else line.mark}{line.text}" for line in unified_diff_of(old, new)]


def test_the_diff_keeps_three_lines_around_a_change() -> None:
    old = "".join(f"{n}\n" for n in range(20))
    assert written(old, old.replace("10\n", "ten\n")) == [
        "@@ -8,7 +8,7", " 7\n", " 8\n", " 9\n", "-10\n", "+ten\n", " 11\n", " 12\n", " 13\n",
    ]  # fmt: skip


def test_equal_texts_have_no_diff() -> None:
    assert written("a\nb", "a\nb") == []


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d\n"]), max_size=30).map("".join)


@given(lines, lines)
def test_the_diff_contains_both_texts(old, new) -> None:
    diff = diff_of(old, new)
    assert "".join(line.text for line in diff if line.mark in " -") == old
    assert "".join(line.text for line in diff if line.mark in " +") == new


@given(lines, lines)
def test_hunk_headers_count_as_diff_u_counts(old, new) -> None:
    """Judge by the headers' own rule: each hunk, put at its place, turns the old text into the new one."""
    old_lines, result, at = old.splitlines(keepends=True), [], 0
    for line in unified_diff_of(old, new):
        if line.mark == "@":
            start, count = map(int, line.text.split()[0][1:].split(","))
            begin = start - 1 if count else start
            result += old_lines[at:begin]
            at = begin
            new_start, n_new = map(int, line.text.split()[1][1:].split(","))
            assert len(result) == (new_start - 1 if n_new else new_start)
        elif line.mark == "-":
            at += 1
        else:
            result.append(line.text)
            at += line.mark == " "
    assert "".join(result + old_lines[at:]) == new


def test_a_small_change_is_found_as_difflib_finds_it() -> None:
    old, new = "a\nb\nc\nd\ne\n", "a\nB\nc\nd\nx\ne\n"
    expected = list(difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True)))[2:]
    assert written(old, new)[1:] == expected[1:]


def test_a_diff_of_thousands_of_lines_that_look_alike_is_whole_and_takes_no_minutes() -> None:
    old = "".join(f"def f{n}(a):\n    c = a\n    return c\n\n\n" for n in range(1000))
    lines = diff_of(old, old.replace("c", "d"))
    assert "".join(line.text for line in lines if line.mark != "+") == old
    assert "".join(line.text for line in lines if line.mark != "-") == old.replace("c", "d")


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "d"]), max_size=8).map("".join)


@given(LINES, LINES, st.data())
def test_all_hunks_make_the_new_text_and_none_the_old(old, new, data) -> None:
    changes = changes_of(old, new)
    assert text_with(old, changes) == new
    assert text_with(old, []) == old
    chosen = data.draw(st.lists(st.booleans(), min_size=len(changes), max_size=len(changes)))
    text_with(old, [change for change, is_chosen in zip(changes, chosen, strict=True) if is_chosen])


def test_a_hunk_is_one_contiguous_change() -> None:
    old, new = "one\ntwo\nthree\nfour\n", "ONE\ntwo\nTHREE\nand\nfour\n"
    first, second = changes_of(old, new)
    assert (first.first, first.removed, first.added) == (0, ["one\n"], ["ONE\n"])
    assert (second.first, second.removed, second.added) == (2, ["three\n"], ["THREE\n", "and\n"])
    assert text_with(old, [second]) == "one\ntwo\nTHREE\nand\nfour\n"


def test_hunks_of_another_text_are_refused() -> None:
    changes = changes_of("one\ntwo\n", "one\nTWO\n")
    with pytest.raises(ValueError, match="not of this text"):
        text_with("one\nother\n", changes)
