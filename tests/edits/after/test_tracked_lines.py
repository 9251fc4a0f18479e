"""Tracked lines follow a document like a plain list does; surviving lines of an edit are counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.edits.inline_edits import edit_in, replace_lines

from twospeed.edits.after.tracked_lines import Survival, TrackedLines, TrackedScope
from twospeed.edits.phases import Phase
from twospeed.stream.ops import Change, Insert, Keep
from twospeed.text.code.scope import Scope
from twospeed.text.document import Splice

N_LINES = 10


@given(
    st.integers(0, N_LINES),
    st.integers(0, 4),
    st.integers(0, N_LINES),
    st.integers(0, 4),
    st.integers(0, 3),
)
def test_tracked_lines_follow_changes_like_a_list_of_lines(
    start: int, n: int, at: int, count: int, n_new: int
) -> None:
    end, last = min(start + n, N_LINES), min(at + count, N_LINES)
    place = TrackedLines(start, end)
    place.follow(Splice(at, last - at, ("new",) * n_new))
    delta = n_new - (last - at)
    if last <= start:
        expected = (start + delta, end + delta, False)
    elif at >= end:
        expected = (start, end, False)
    else:
        crosses = at < start or last > end
        expected = (min(start, at), max(end, last) + delta, crosses)
    assert (place.start, place.end, place.is_lost) == expected


def test_lost_lines_stay_lost() -> None:
    place = TrackedLines(4, 6)
    for splice, lost in (
        (Splice(4, 2, ("a",)), False),
        (Splice(3, 2, ()), True),
        (Splice(3, 0, ("a",)), True),
    ):
        place.follow(splice)
        assert place.is_lost is lost


async def test_the_scope_of_an_edit_is_followed_after_its_end() -> None:
    edit = edit_in("a\nb\nc\nd\ne\n", Scope("selection", None, 1, 3))
    lasting = TrackedScope(edit)
    replace_lines(edit, 0, 0, "typed\n")
    assert (lasting.lines.start, lasting.lines.end, lasting.lines.is_lost) == (2, 4, False)
    edit.phase = Phase.ENDED
    edit.channel.remove(edit.place.scopes)
    replace_lines(edit, 0, 0, "typed\n")
    replace_lines(edit, 0, 1, "")
    replace_lines(edit, 3, 3, "inside\n")
    assert (lasting.lines.start, lasting.lines.end, lasting.lines.is_lost) == (2, 5, False)
    replace_lines(edit, 4, 6, "")
    assert (lasting.lines.start, lasting.lines.end, lasting.lines.is_lost) == (2, 4, True)
    lasting.stop()
    replace_lines(edit, 0, 0, "typed\n")
    assert (lasting.lines.start, lasting.lines.end) == (2, 4)


async def test_written_lines_survive_while_the_scope_contains_them() -> None:
    edit = edit_in("top\na\nb\nb\nc\nend\n", Scope("selection", None, 1, 5))
    edit.live.receive_ops([Change(0, "new"), Keep(2), Insert("b"), Insert(""), Insert("new"), Keep(4)])
    edit.live.end_writing()
    batch = edit.live.next_batch()
    assert batch
    document = edit.channel.document
    for each in reversed(batch.edits):
        text = "".join(line if line.endswith("\n") else line + "\n" for line in each.lines)
        edit.channel.remove(edit.place.scopes)
        replace_lines(edit, each.start, each.start + each.count, text)
    edit.live.commit(batch)
    edit.channel.add(edit.place.scopes)
    assert edit.channel.document.text == "top\nnew\nb\nb\n\nnew\nb\nc\nend\n", document.text
    survival = Survival.of(edit)
    assert (survival.n_written, survival.count()) == (3, 3)
    replace_lines(edit, 1, 2, "    new\n")
    assert survival.count() == 3, "an indented line survives"
    replace_lines(edit, 2, 3, "")
    assert survival.count() == 2, "equal lines that the edit did not write are subtracted first"
    replace_lines(edit, 0, 0, "new\nb\n")
    assert survival.count() == 2, "lines outside of the scope do not count"
    replace_lines(edit, 3, 4, "")
    assert survival.count() == 1
    survival.stop()
    assert survival.n_written == 3
