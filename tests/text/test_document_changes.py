"""What a client tells and what we do, as change sets: of the text, and of its lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.text.changing import LINES, Text, change_sets

from twospeed.text.changes import ChangeSet, Replacement
from twospeed.text.document import ContentChange, Document
from twospeed.text.document_changes import line_changes, splices_of, text_changes
from twospeed.text.edits import LineEdit, apply_line_edits
from twospeed.text.lines import body_of, split_lines
from twospeed.text.positions import Position, Range

TEXTS = st.text("ab\r\n\f😋", max_size=20)
PLACES = st.builds(Position, st.integers(0, 6), st.integers(0, 8))
CONTENT_CHANGES = st.builds(ContentChange, st.none() | st.builds(Range, PLACES, PLACES), TEXTS)


@given(TEXTS, st.lists(CONTENT_CHANGES, max_size=5))
def test_content_changes_compose_to_one_change_of_the_text_and_one_of_the_lines(
    text: str, content_changes: list[ContentChange]
) -> None:
    document = Document.opened("file:///a.py", 1, "python", text, "utf-16")
    old = tuple(document.lines)
    of_text: ChangeSet[str] = ChangeSet.empty(len(text))
    of_lines: ChangeSet[tuple[str, ...]] = ChangeSet.empty(len(old))
    for change in content_changes:
        of_text = of_text.compose(text_changes(document, change))
        n_lines = len(document.lines)
        document, splice = document.changed(change)
        of_lines = of_lines.compose(line_changes(n_lines, [splice]))
    assert of_text.apply(text) == document.text
    assert list(map(body_of, of_lines.apply(old))) == list(map(body_of, document.lines))


@given(LINES.flatmap(lambda lines: st.tuples(st.just(lines), change_sets(lines, LINES))))
def test_splices_of_a_change_set_compose_to_it(case: tuple[Text, ChangeSet]) -> None:
    _, a = case
    again: ChangeSet[tuple[str, ...]] = ChangeSet.empty(a.length)
    for splice in splices_of(a):
        again = again.compose(line_changes(again.new_length, [splice]))
    assert again == a


@given(st.data())
def test_line_edits_are_changes_of_the_lines_without_their_ends(data: st.DataObject) -> None:
    bodies = tuple(data.draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=6)))
    new = st.lists(st.sampled_from("xyz"), min_size=1, max_size=3).map(tuple)
    replacements = data.draw(change_sets(bodies, new)).replacements
    edits = [LineEdit(start, end - start, lines) for start, end, lines in replacements]
    after = apply_line_edits(split_lines("\n".join(bodies)), edits, "\n")
    assert tuple(map(body_of, after)) == line_changes(len(bodies), edits).apply(bodies)


def test_grains_do_the_same_where_every_line_is_one_character() -> None:
    lines = ("a", "b", "c")
    of_lines = line_changes(3, [LineEdit(1, 1, ("x", "y"))])
    of_text = ChangeSet.of(3, [Replacement(1, 2, "xy")])
    assert "".join(of_lines.apply(lines)) == of_text.apply("abc")
