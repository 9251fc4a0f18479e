"""A document, compared with a plain implementation of the specification on one string.

Source: LSP 3.17, "Text Documents", "Position", "Range" and ``TextDocumentContentChangeEvent``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from twospeed.text.document import ContentChange, Document
from twospeed.text.edits import LineEdit
from twospeed.text.lines import body_of, split_lines
from twospeed.text.many_changes import joined_change
from twospeed.text.positions import Encoding, Position, Range

# The model. Nothing here is fast, and nothing here is shared with what it judges.


def naive_units(character: str, encoding: Encoding) -> int:
    code = ord(character)
    if encoding == "utf-32":
        return 1
    if encoding == "utf-16":
        return 1 if code < 0x10000 else 2
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def naive_lines(text: str) -> list[tuple[int, int, int]]:
    """Return start, end and start of the next line for each line; the line end is between the last two."""
    lines, start, at = [], 0, 0
    while at < len(text):
        if text[at] == "\r" and at + 1 < len(text) and text[at + 1] == "\n":
            lines.append((start, at, at + 2))
            start = at = at + 2
        elif text[at] in ("\r", "\n"):
            lines.append((start, at, at + 1))
            start = at = at + 1
        else:
            at += 1
    return [*lines, (start, len(text), len(text))]


def naive_offset(text: str, position: Position, encoding: Encoding) -> int:
    """Return the offset of a position: a column past the end is the end, one inside a character its start."""
    lines = naive_lines(text)
    if position.line >= len(lines):
        return len(text)
    at, end, _ = lines[position.line]
    room = position.character
    while at < end and naive_units(text[at], encoding) <= room:
        room -= naive_units(text[at], encoding)
        at += 1
    return at


def naive_positions(text: str, encoding: Encoding) -> Iterator[tuple[int, int, Position]]:
    """Yield every place: line, code points from its start, position."""
    for number, (start, end, _) in enumerate(naive_lines(text)):
        used = 0
        for at in range(start, end + 1):
            yield number, at - start, Position(number, used)
            if at < end:
                used += naive_units(text[at], encoding)


def naive_changed(text: str, change: ContentChange, encoding: Encoding) -> str:
    if change.range is None:
        return change.text
    start = naive_offset(text, change.range.start, encoding)
    end = naive_offset(text, change.range.end, encoding)
    return text[: min(start, end)] + change.text + text[max(start, end) :]


# What the laws are tried on.

ENCODINGS: list[Encoding] = ["utf-8", "utf-16", "utf-32"]
LINE_ENDS = ["\n", "\r\n", "\r", "\n\r"]
NO_LINE_ENDS = ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"]
# Of lone surrogates a text holds leading ones or trailing ones: one of each in a row would be a pair in UTF-16.
LETTERS = ["a", "b", "\t", "é", "\u0301", "€", "😋"]
ALPHABETS = [[*LINE_ENDS, *NO_LINE_ENDS, *LETTERS, lone] for lone in ("\ud83d", "\udc00")]


@dataclass(frozen=True)
class Case:
    text: str
    changes: list[ContentChange]
    encoding: Encoding

    def opened(self) -> Document:
        return Document.opened("file:///a.py", 1, "python", self.text, self.encoding)


@st.composite
def cases(draw: st.DrawFn, max_changes: int = 20) -> Case:
    """Draw a text and successive changes: at valid places, past the ends, or of the whole text."""
    texts = st.lists(st.sampled_from(draw(st.sampled_from(ALPHABETS))), max_size=12).map("".join)
    encoding = draw(st.sampled_from(ENCODINGS))
    first = text = draw(texts) + draw(texts)
    changes: list[ContentChange] = []
    anywhere = st.builds(Position, st.integers(0, 12), st.integers(0, 12))
    for _ in range(draw(st.integers(1, max_changes))):
        real = st.sampled_from([position for _, _, position in naive_positions(text, encoding)])
        places = st.one_of(real, real, anywhere)
        kind = draw(st.sampled_from(["range", "range", "range", "insert", "whole"]))
        if kind == "whole":
            where = None
        else:
            start = draw(places)
            where = Range(start, start if kind == "insert" else draw(places))
        changes.append(ContentChange(where, draw(texts)))
        text = naive_changed(text, changes[-1], encoding)
    return Case(first, changes, encoding)


def check_same(document: Document, text: str) -> None:
    assert document.text == text
    assert list(document.lines) == [text[start:after] for start, _, after in naive_lines(text)]


# The laws.


@given(cases())
def test_any_changes_give_the_text_of_the_specification(case: Case) -> None:
    document, text = case.opened(), case.text
    check_same(document, text)
    for change in case.changes:
        document, _ = document.changed(change)
        text = naive_changed(text, change, case.encoding)
        check_same(document, text)


@given(cases())
def test_a_change_does_not_modify_the_older_document(case: Case) -> None:
    documents, texts = [case.opened()], [case.text]
    for change in case.changes:
        documents.append(documents[-1].changed(change)[0])
        texts.append(naive_changed(texts[-1], change, case.encoding))
    for document, text in zip(documents, texts, strict=True):
        check_same(document, text)


@given(cases())
def test_replayed_splices_give_the_new_lines_but_for_line_ends(case: Case) -> None:
    document = case.opened()
    replayed = list(document.lines)
    for change in case.changes:
        document, splice = document.changed(change)
        replayed[splice.start : splice.start + splice.count] = splice.lines
        assert list(map(body_of, replayed)) == list(map(body_of, document.lines))
        assert list(splice.lines) == list(document.lines[splice.start : splice.start + len(splice.lines)])


@given(cases())
def test_a_splice_has_no_equal_lines_at_its_edges(case: Case) -> None:
    document = case.opened()
    for change in case.changes:
        before = document
        document, splice = before.changed(change)
        removed = [body_of(line) for line in before.lines[splice.start : splice.start + splice.count]]
        added = [body_of(line) for line in splice.lines]
        assert not removed or removed[:1] != added[:1]
        assert not removed or removed[-1:] != added[-1:]


@given(cases(max_changes=5))
def test_positions_and_places_convert_both_ways(case: Case) -> None:
    document, text = case.opened(), case.text
    for change in case.changes:
        document, _ = document.changed(change)
        text = naive_changed(text, change, case.encoding)
    for line, column, position in naive_positions(text, case.encoding):
        assert document.place(position) == (line, column)
        assert document.position(line, column) == position


@given(cases(max_changes=3))
def test_a_position_outside_the_text_is_clamped(case: Case) -> None:
    document, text = case.opened(), case.text
    for change in case.changes:
        document, _ = document.changed(change)
        text = naive_changed(text, change, case.encoding)
    lines = naive_lines(text)
    longest = max(4 * (end - start) for start, end, _ in lines)
    for number in range(len(lines) + 2):
        for character in [*range(longest + 2), 2**31 - 1]:
            line, column = document.place(Position(number, character))
            offset = naive_offset(text, Position(number, character), case.encoding)
            assert lines[line][0] + column == offset


@given(cases(max_changes=8))
def test_the_position_encoding_does_not_affect_the_text(case: Case) -> None:
    documents = [Document.opened("file:///a.py", 1, "python", case.text, each) for each in ENCODINGS]
    judge = case.opened()
    for change in case.changes:
        ends = change.range and sorted(judge.place(each) for each in (change.range.start, change.range.end))
        for index, document in enumerate(documents):
            where = ends and Range(*(document.position(line, column) for line, column in ends))
            documents[index], _ = document.changed(ContentChange(where or None, change.text))
        judge, _ = judge.changed(change)
    assert {document.text for document in documents} == {judge.text}


@given(cases(max_changes=1))
def test_a_change_can_be_reverted(case: Case) -> None:
    document = case.opened()
    (change,) = case.changes
    after, splice = document.changed(change)
    lines = list(after.lines)
    start, end = splice.start, splice.start + len(splice.lines)
    lines[start:end] = document.lines[splice.start : splice.start + splice.count]
    assert list(map(body_of, lines)) == list(map(body_of, document.lines))
    whole, _ = after.changed(ContentChange(None, case.text))
    check_same(whole, case.text)


# Line ends meet in few ways, so the small cases can all be tried.

SMALL_TEXTS = ["".join(each) for n in range(4) for each in itertools.product("a\r\n", repeat=n)]
SMALL_LINES: list[tuple[str, ...]] = [(), ("",), ("x",), ("x", ""), ("", "x")]


def test_every_small_edit_has_the_same_effect_in_the_client() -> None:
    for text in SMALL_TEXTS:
        document = Document.opened("file:///a.py", 1, "python", text, "utf-16")
        for start, end in itertools.combinations_with_replacement(range(len(document.lines) + 1), 2):
            for lines in SMALL_LINES:
                edits = [LineEdit(start, end - start, lines)]
                sent = text
                for edit in reversed(document.text_edits(edits)):
                    sent = naive_changed(sent, ContentChange(edit.range, edit.new_text), "utf-16")
                assert document.with_edits(edits).text == sent, (text, edits)


def test_every_small_pair_of_edits_has_the_same_effect_in_the_client() -> None:
    for text in SMALL_TEXTS:
        document = Document.opened("file:///a.py", 1, "python", text, "utf-16")
        for start, end, below, last in itertools.combinations_with_replacement(
            range(len(document.lines) + 1), 4
        ):
            for lines, others in itertools.product([(), ("",), ("x\r",)], repeat=2):
                if start == below or (start == end and not lines) or (below == last and not others):
                    continue
                edits = [LineEdit(start, end - start, lines), LineEdit(below, last - below, others)]
                sent = text
                for edit in reversed(document.text_edits(edits)):
                    sent = naive_changed(sent, ContentChange(edit.range, edit.new_text), "utf-16")
                bodies = list(map(body_of, document.lines))
                bodies[below:last], bodies[start:end] = map(body_of, others), map(body_of, lines)
                assert document.with_edits(edits).lines == tuple(split_lines(sent)), (text, edits)
                assert list(map(body_of, split_lines(sent))) == (bodies or [""]), (text, edits)


@st.composite
def ordered(draw: st.DrawFn) -> Case:
    """Draw changes that go down through a text, or up through it, in positions after the previous change."""
    alphabet = [each for each in draw(st.sampled_from(ALPHABETS)) if each not in ("\r", "\n\r")]
    texts = st.lists(st.sampled_from(alphabet), max_size=8).map("".join)
    encoding = draw(st.sampled_from(ENCODINGS))
    first = text = draw(texts) + draw(texts) + draw(texts)
    goes_up = draw(st.booleans())
    changes: list[ContentChange] = []
    low, high = 0, len(text)  # where the next one may be
    for _ in range(draw(st.integers(1, 6))):
        places = [(at, position) for at, position in _offsets(text, encoding) if low <= at <= high]
        chosen = sorted(draw(st.tuples(st.sampled_from(places), st.sampled_from(places))))
        (start, where), (end, until) = chosen
        changes.append(ContentChange(Range(where, until), draw(texts)))
        text = text[:start] + changes[-1].text + text[end:]
        low, high = (0, start) if goes_up else (start + len(changes[-1].text), len(text))
    return Case(first, changes, encoding)


def _offsets(text: str, encoding: Encoding) -> list[tuple[int, Position]]:
    starts = [start for start, _, _ in naive_lines(text)]
    return [(starts[line] + column, position) for line, column, position in naive_positions(text, encoding)]


@given(ordered())
def test_ordered_changes_are_joined_into_one(case: Case) -> None:
    joined = joined_change(case.opened(), case.changes)
    text = case.text
    for change in case.changes:
        text = naive_changed(text, change, case.encoding)
    assert joined == ContentChange(None, text)


@given(cases(max_changes=4))
def test_a_joined_change_has_the_same_effect_or_is_none(case: Case) -> None:
    text = case.text
    for change in case.changes:
        text = naive_changed(text, change, case.encoding)
    assert joined_change(case.opened(), case.changes) in (None, ContentChange(None, text))
