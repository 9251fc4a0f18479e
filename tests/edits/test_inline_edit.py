"""The record of one edit: its state after each step, its reports, and its place in the document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest
from tests.edits.inline_edits import URI, edit_in, opened, replace_lines

from twospeed.delivery import ApplyEditRequest, DocumentChannel, EditDelivery
from twospeed.delivery.client_table import KNOWN, OURS, UNKNOWN, ClientBehavior
from twospeed.edits.edit_state import MAX_PROSE_CHARS, MAX_REASONING_CHARS, EditListeners
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState, Phase
from twospeed.edits.prompting.request_lines import comment_line_in, selection_in
from twospeed.edits.stats import RequestUsage
from twospeed.edits.values import (
    EditRequest,
    Ending,
    PlacedFinding,
    PlacedHunk,
    PlacedScope,
    PreviousEdit,
    Reason,
    Report,
)
from twospeed.gate import Finding
from twospeed.models.base import Limits, Price, Usage
from twospeed.routing import LaneEntry, Route
from twospeed.stream.ops import Change, Insert, Keep
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit, TextEdit
from twospeed.text.positions import Position, Range

TEXT = "top\na\nb\nc\nend\n"
SCOPE = Scope("selection", "f", 1, 4)
ENTRY = LaneEntry("lab", "m", limits=Limits(), is_cloud=True, origin="config")


def written(edit: InlineEdit, *, lands: bool = True) -> InlineEdit:
    """Let an edit replace "a" by "new" and insert "more" below."""
    edit.live.receive_ops([Change(0, "new"), Insert("more"), Keep(3)])
    edit.live.end_writing()
    batch = edit.live.next_batch()
    assert batch
    if lands:
        edit.channel.remove(edit.place.scopes)
        replace_lines(edit, 1, 2, "new\nmore\n")
        edit.live.commit(batch)
        edit.channel.add(edit.place.scopes)
    return edit


def lines(start: int, end: int) -> Range:
    return Range(Position(start, 0), Position(end, 0))


class Partials:
    """A list of the partial results."""

    def __init__(self) -> None:
        self.came: list[object] = []

    def started(self, *what: object) -> None:
        self.came.append(what)

    def reasoning(self, text: str) -> None:
        self.came.append(text)

    def edits(self, seq: int, edits: list[TextEdit]) -> None:
        self.came.append((seq, edits))


def counted(edit: InlineEdit) -> list[EditState]:
    """Return the states that an edit reports, in order."""
    states: list[EditState] = []
    edit.listeners = EditListeners(lambda each: states.append(each.state), edit.listeners.partials)
    return states


def started(edit: InlineEdit) -> None:
    for phase in (Phase.WAITING, Phase.REQUESTING):
        edit.enter(phase)


# Steps


async def test_a_new_edit_has_no_results() -> None:
    edit = edit_in(TEXT, SCOPE)
    assert (edit.state, edit.ending, edit.decision.verdict, edit.route) == (
        EditState.QUEUED,
        None,
        None,
        None,
    )
    assert (edit.answer.preview, edit.answer.preview_text, edit.answer.reasoning, edit.answer.findings) == (
        None,
        None,
        "",
        (),
    )
    flags = (
        edit.decision.was_undone_in_review,
        edit.decision.is_partial,
        edit.decision.is_model_reviewing,
        edit.place.undo_step.is_open,
    )
    assert flags == (False, False, False, False)
    assert (edit.place.undo_step.n_sent, edit.place.withdrawn_offer, edit.place.ended_version) == (
        0,
        None,
        None,
    )
    assert (edit.mode, edit.uri, edit.is_preview, edit.is_unfinished) == ("lightning", URI, False, True)
    assert edit.old_lines == ("a\n", "b\n", "c\n")
    events = (edit.decision.offered.is_set(), edit.place.scope_found.is_set(), edit.finished.done())
    assert events == (False, False, False)


async def test_the_model_is_reported_once_and_again_if_it_changes() -> None:
    edit, partials = edit_in(TEXT, SCOPE), Partials()
    edit.listeners = EditListeners(lambda _: None, cast("Any", partials))
    edit.note_placed()
    states = counted(edit)
    route = Route("lightning", ENTRY, "mode")
    other = Route("lightning", replace(ENTRY, model="n"), "mode")
    for each in (route, route.because("sensitive"), other):
        edit.set_route(each)
        assert edit.route is each or edit.route == each
    assert states == [EditState.RUNNING, EditState.RUNNING]
    scope = PlacedScope("selection", "f", lines(1, 4))
    assert partials.came == [
        ("e1", "lightning", "lab", "m", scope),
        ("e1", "lightning", "lab", "n", scope),
    ]


async def test_reasoning_is_forwarded_whole_and_its_end_is_kept() -> None:
    edit, partials = edit_in(TEXT, SCOPE), Partials()
    edit.note_reasoning("first ")
    edit.listeners = EditListeners(lambda _: None, cast("Any", partials))
    edit.note_reasoning("a" * MAX_REASONING_CHARS)
    edit.note_reasoning("bc")
    assert edit.answer.reasoning == "a" * (MAX_REASONING_CHARS - 2) + "bc"
    assert partials.came == ["a" * MAX_REASONING_CHARS, "bc"]


async def test_a_new_instruction_keeps_earlier_ones_and_drops_their_results() -> None:
    edit = edit_in(TEXT, SCOPE, fault="line 1")
    states = counted(edit)
    edit.answer.findings = (Finding("growth", 2, "more", 1, 2),)
    edit.steer("other words", "draft\n")
    assert (edit.request.instruction, edit.request.earlier) == ("other words", ("do it",))
    assert (edit.request.draft, edit.request.fault, list(edit.answer.findings)) == ("draft\n", "", [])
    started(edit)
    for phase in (Phase.VALIDATING, Phase.APPLYING):
        edit.enter(phase)
    edit.note_offered()
    assert edit.decision.offered.is_set()
    edit.note_reverting()
    edit.steer("third words", "")
    assert not edit.decision.offered.is_set()
    assert edit.request.earlier == ("do it", "other words")
    assert edit.request.all_words == "do it; other words; third words"
    assert edit.request.first_words == "do it"
    running = EditState.RUNNING
    assert states == [EditState.QUEUED, running, running]


async def test_a_repair_keeps_the_instruction_and_adds_the_fault() -> None:
    edit = edit_in(TEXT, SCOPE)
    started(edit)
    states = counted(edit)
    edit.answer.findings = (Finding("growth", 2, "more", 1, 2),)
    edit.repair("line 2: no", "draft\n")
    assert (edit.request.instruction, edit.request.earlier) == ("do it", ())
    assert (edit.request.draft, edit.request.fault, list(edit.answer.findings)) == (
        "draft\n",
        "line 2: no",
        [],
    )
    assert states == [EditState.RUNNING]
    edit.change_mode("deep")
    assert edit.mode == "deep"


async def test_a_refused_edit_may_be_retried_until_its_document_changes() -> None:
    edit = edit_in(TEXT, SCOPE)
    started(edit)
    for outcome, code, expected in (
        ("refused", "syntax", True),
        ("refused", "never-send", False),
        ("refused", "not-agreed", False),
        ("failed", "syntax", False),
    ):
        edit.ending = Ending(cast("Any", outcome), Reason(code, ""))
        edit.place.ended_version = edit.channel.document.version
        assert edit.may_be_retried is expected
    edit.ending = Ending("refused", Reason("syntax", ""))
    edit.place.ended_version = edit.channel.document.version - 1
    assert not edit.may_be_retried
    edit.enter(Phase.ENDED)
    assert edit.place.ended_version == edit.channel.document.version
    assert edit.may_be_retried
    assert not edit.is_unfinished
    replace_lines(edit, 0, 0, "typed\n")
    assert not edit.may_be_retried


async def test_usage_of_requests_is_added_to_the_statistics() -> None:
    edit = edit_in(TEXT, SCOPE)
    edit.add_usage(RequestUsage(Usage(10, 2), is_usage_complete=True, price=Price(1.0, 1.0)))
    assert (edit.stats.requests, edit.stats.input_tokens, edit.stats.output_tokens) == (1, 10, 2)


# Places


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        ((1, 3), (2, 4), True),
        ((1, 3), (3, 4), False),
        ((3, 4), (1, 3), False),
        ((1, 4), (2, 3), True),
        ((2, 2), (2, 2), True),
        ((2, 2), (1, 3), True),
        ((2, 2), (2, 3), False),
        ((1, 2), (2, 2), False),
        ((2, 2), (3, 3), False),
    ],
)
async def test_edits_overlap_if_they_share_a_line_or_an_insertion_place(
    mine: tuple[int, int], theirs: tuple[int, int], expected: bool
) -> None:
    one, other = (edit_in(TEXT, Scope("selection", None, *each)) for each in (mine, theirs))
    assert one.place.overlaps(other.place) is other.place.overlaps(one.place) is expected
    other.place.requested = replace(other.place.requested, uri="file:///b.py")
    assert not one.place.overlaps(other.place)


async def test_a_restarted_edit_uses_its_current_lines() -> None:
    comment = "top\n# ai: do it\nb\nend\n"
    edit = edit_in(comment, Scope("selection", None, 1, 3), comment_line=1)
    replace_lines(edit, 0, 0, "typed\n")
    replace_lines(edit, 3, 3, "more\n")
    old = edit.live
    old.has_written = True
    edit.restart_here()
    assert (edit.scope.start, edit.scope.end, edit.request.comment_line) == (2, 5, 2)
    assert edit.request.document is edit.channel.document
    assert edit.old_lines == ("# ai: do it\n", "more\n", "b\n")
    assert edit.live is not old
    assert edit.place.scopes.has_written
    replace_lines(edit, 0, 0, "typed\n")
    assert (edit.live.start, edit.live.end, old.start) == (3, 6, 2)


def test_an_instruction_comment_is_found_in_another_version() -> None:
    document = opened("# ai: do it\nx\n# ai: other\ny\n# ai: do it\n")
    request = EditRequest(document, ((0, 0), (0, 0)), "other words", "lightning", comment_line=7)
    request = replace(request, earlier=("do it",))
    assert comment_line_in(request, document, 0, 5) == 0
    assert comment_line_in(request, document, 1, 5) == 4
    assert comment_line_in(request, document, 1, 4) is None
    assert comment_line_in(replace(request, comment_line=None), document, 0, 4) is None


@pytest.mark.parametrize(
    ("old", "start", "new", "expected"),
    [
        ("abcd", 2, "abcd", ((3, 1), (4, 2))),
        ("abcd", 7, "abcd", ((8, 1), (9, 2))),
        ("abcd", 0, "abcd", ((1, 1), (2, 2))),
        ("abcd", 2, "axbcd", ((4, 1), (5, 2))),
        ("abcd", 2, "axybcd", ((5, 1), (6, 2))),
        ("abcd", 2, "bcd", ((2, 1), (3, 2))),
        ("abcd", 2, "abxcd", ((3, 1), (5, 2))),
        ("abcd", 2, "abcdx", ((3, 1), (4, 2))),
        ("abcd", 2, "abcx", ((3, 1), (4, 2))),
        ("abcd", 2, "abc", ((3, 1), (4, 2))),
        ("abcd", 2, "xxbcd", ((4, 1), (5, 2))),
        ("abcd", 2, "axcd", ((2, 0), (6, 0))),
        ("abcd", 2, "abxd", ((2, 0), (6, 0))),
        ("abcd", 2, "acd", ((2, 0), (5, 0))),
        ("abcd", 2, "abd", ((2, 0), (5, 0))),
        ("abcd", 2, "", ((2, 0), (2, 0))),
    ],
)
def test_a_selection_moves_with_its_lines_and_becomes_the_scope_if_one_changed(
    old: str, start: int, new: str, expected: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    before = opened("".join(f"{line}\n" for line in f"xy{old}z"))
    after = opened("0\n" * start + "".join(f"{line}\n" for line in new) + "z\n")
    request = EditRequest(before, ((3, 1), (4, 2)), "do it", "lightning")
    scope = Scope("block", None, 2, 6)
    assert selection_in(request, scope, after, start, start + len(new)) == expected


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(1, 1, (1, 2)), (1, 2, (1, 3)), (2, 4, (2, 5)), (4, 4, (4, 5)), (4, 5, (4, 5)), (0, 1, (0, 2))],
)
async def test_lines_of_the_answer_are_mapped_to_the_current_document(
    first: int, last: int, expected: tuple[int, int]
) -> None:
    edit = written(edit_in(TEXT, SCOPE))
    assert edit.channel.document.text == "top\nnew\nmore\nb\nc\nend\n"
    assert edit.place.lines_now(first, last) == expected
    replace_lines(edit, 0, 0, "typed\n")
    assert edit.place.lines_now(first, last) == (expected[0] + 1, expected[1] + 1)


async def test_lines_of_the_answer_move_with_typing_between_them() -> None:
    edit = written(edit_in(TEXT, SCOPE))
    replace_lines(edit, 3, 3, "typed\n")
    assert [edit.place.lines_now(line, line) for line in (1, 2, 3, 4)] == [(1, 2), (2, 3), (4, 5), (5, 6)]


async def test_lines_of_an_answer_that_is_not_applied_are_bounded_by_the_scope() -> None:
    edit = edit_in(TEXT, SCOPE)
    assert [edit.place.lines_now(first, first) for first in (1, 3, 4, 9)] == [(1, 2), (3, 4), (4, 4), (9, 4)]
    empty = edit_in(TEXT, Scope("insertion", None, 2, 2))
    assert empty.place.lines_now(2, 2) == (2, 3)
    preview = edit_in(TEXT, SCOPE, style="preview")
    assert preview.place.lines_now(1, 2) == (1, 3)


# Requests to the client


def sent(edit: InlineEdit, document: Document, batch: Any, *, is_last: bool) -> ApplyEditRequest:
    delivery = EditDelivery(edit.channel, edit.place.scopes, edit.place.undo_step)
    edits = document.text_edits(batch.edits, in_whole_lines=edit.place.undo_step.in_whole_lines)
    return (delivery._last_request if is_last else delivery._request)(document, edits)


def shipped(behavior: ClientBehavior, style: str, *, is_last: bool) -> tuple[InlineEdit, ApplyEditRequest]:
    channel = DocumentChannel(opened(TEXT), cast("Any", None), behavior=behavior)
    edit = edit_in(TEXT, SCOPE, channel=channel, style=style)
    edit.live.receive_ops([Change(0, "any"), Keep(3)])
    edit.live.end_writing()
    batch = edit.live.next_batch()
    assert batch
    return edit, sent(edit, channel.document, batch, is_last=is_last)


@pytest.mark.parametrize(
    ("behavior", "style", "text"),
    [
        (OURS, "stream", "ny"),
        (UNKNOWN, "atomic", "ny"),
        (KNOWN["neovim"], "stream", "any\n"),
        (KNOWN["neovim"], "atomic", "ny"),
    ],
)
async def test_other_editors_receive_whole_lines_if_edits_stream(
    behavior: ClientBehavior, style: str, text: str
) -> None:
    edit, apply_request = shipped(behavior, style, is_last=False)
    assert [each.new_text for each in apply_request.edits] == [text]
    assert apply_request == ApplyEditRequest(
        "e1", 1, edit.channel.document, apply_request.edits, is_first=True, is_last=False
    )
    assert (edit.place.undo_step.n_sent, edit.place.undo_step.is_open, edit.stats.chars_sent) == (
        1,
        True,
        len(text),
    )


async def test_requests_of_an_edit_are_numbered_and_its_undo_step_begins_once() -> None:
    edit, _ = shipped(OURS, "stream", is_last=False)
    batch = edit.live.next_batch()
    assert batch
    edit.live.commit(batch)
    edit.place.undo_step.note_written()
    edit.live.receive_ops([Insert("x")])
    batch = edit.live.next_batch()
    assert batch
    document = edit.channel.document
    second = sent(edit, document, batch, is_last=True)
    assert (second.seq, second.is_first, second.is_last, edit.place.undo_step.is_open) == (
        2,
        False,
        True,
        False,
    )
    edit.place.undo_step.is_open = True
    nothing = sent(edit, document, batch._replace(edits=()), is_last=True)
    assert (nothing.seq, nothing.edits, edit.place.undo_step.is_open) == (2, [], True)
    third = edit.place.undo_step.request(document, document.text_edits(batch.edits), begins=True, ends=True)
    assert (third.seq, third.is_first) == (3, True)
    assert edit.place.undo_step.end(document) == ApplyEditRequest(
        "e1", 4, document, (), is_first=False, is_last=True
    )
    assert edit.place.undo_step.n_sent == 4


# The report


async def test_a_report_describes_the_current_edit() -> None:
    edit = written(edit_in(TEXT, SCOPE))
    finding = Finding("growth", 2, "more", 2, 2)
    edit.answer.findings = (finding,)
    edit.route = Route("deep", ENTRY, "sensitive")
    edit.ending = Ending("applied")
    replace_lines(edit, 0, 0, "typed\n")
    assert edit.place.has_hunks
    assert edit.report() == Report(
        "e1",
        "applied",
        None,
        "lightning",
        "lab",
        "m",
        edit.route.reason,
        3,
        PlacedScope("selection", "f", lines(2, 6)),
        "new\nmore\nb\nc\n",
        None,
        (PlacedHunk("h1", lines(2, 4), "a\n"),),
        None,
        (),
        (PlacedFinding(finding, lines(3, 4)),),
        edit.stats,
    )
    edit.channel.close()
    assert not edit.place.has_hunks
    assert edit.report().hunks == ()


@pytest.mark.parametrize(
    ("text", "place", "answer", "outcome", "expected"),
    [
        ("a\nb\n", (0, 1), ("x", "y"), "refused", "x\ny\n"),
        ("a\r\nb\r\n", (0, 1), ("x", "y"), "refused", "x\r\ny\r\n"),
        ("a\nb", (0, 1), ("x",), "refused", "x\n"),
        ("a\nb", (1, 2), ("x", "y"), "refused", "x\ny"),
        ("a\nb", (0, 2), ("x",), "refused", "x"),
        ("a\nb", (0, 0), ("x",), "refused", "x\n"),
        ("a\nb", (0, 2), (), "refused", None),
        ("a\nb", (0, 2), ("x",), "failed", None),
        ("a\nb", (0, 2), ("x",), None, None),
    ],
)
async def test_a_refused_answer_is_reported_as_text_of_its_scope(
    text: str, place: tuple[int, int], answer: tuple[str, ...], outcome: Any, expected: str | None
) -> None:
    edit = edit_in(text, Scope("selection", None, *place))
    edit.answer.refused_lines = answer
    edit.ending = Ending(outcome, Reason("syntax", "no")) if outcome else None
    assert edit.refused_text == expected
    if outcome:
        assert edit.report().answer == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], None),
        (["", "  "], None),
        ([" one ", "", "two"], "one\ntwo"),
        (["1", "2", "3", "4", "5"], "1\n2\n3\n4\n5"),
        (["1", "", "2", "3", "4", "5", "6"], "1\n2\n3\n4\n5"),
        (["a" * MAX_PROSE_CHARS], "a" * MAX_PROSE_CHARS),
        (["a" * 400, "b" * 400], "a" * 400 + "\n" + "b" * 99),
    ],
)
async def test_prose_of_an_answer_is_kept_up_to_a_limit(lines: list[str], expected: str | None) -> None:
    edit = edit_in(TEXT, SCOPE)
    edit.ending = Ending("unchanged")
    assert edit.report().message is None
    edit.answer.set_prose(lines)
    assert edit.report().message == expected


async def test_a_report_of_a_preview_refers_to_the_document_of_the_request() -> None:
    edit = written(edit_in(TEXT, SCOPE, style="preview"), lands=False)
    edit.answer.preview, edit.answer.preview_text = (
        (TextEdit(lines(1, 2), "new\nmore\n"),),
        "new\nmore\nb\nc\n",
    )
    edit.ending = Ending("refused", Reason("syntax", "no"))
    replace_lines(edit, 0, 0, "typed\n")
    report = edit.report()
    assert (report.version, report.scope) == (1, PlacedScope("selection", "f", lines(1, 4)))
    assert (report.new_text, report.preview, report.hunks) == (
        edit.answer.preview_text,
        edit.answer.preview,
        (),
    )
    assert (report.provider, report.model, report.route) == (None, None, None)
    assert report.reason == Reason("syntax", "no")


async def test_a_preview_that_deletes_all_lines_reports_an_empty_text() -> None:
    edit = edit_in(TEXT, SCOPE, style="preview")
    edit.ending = Ending("applied")
    assert edit.report().new_text == "a\nb\nc\n"
    edit.note_preview([LineEdit(1, 3)], "")
    assert edit.report().new_text == ""


# Values


async def test_a_request_without_a_workspace_has_no_definitions_and_does_not_wait() -> None:
    request = EditRequest(opened(TEXT), ((0, 0), (0, 0)), "do it", "deep", path="a/b.py")
    assert request.definitions_of("word") == ()
    assert await request.notes() == ""
    assert await cast("Any", request.wait_until_indexed()) is None
    assert tuple(request.fingerprinted()) == ()
    assert request.file_name == "b.py"
    defaults = (
        request.choice,
        request.style,
        request.n_answers,
        request.confirmation_reason,
        request.edit_id,
    )
    assert defaults == ("auto", "atomic", 1, None, None)


def test_a_file_is_never_sent_by_either_of_its_paths() -> None:
    request = EditRequest(opened(TEXT), ((0, 0), (0, 0)), "do it", "deep", path="a.py", real_path="b/c.py")
    assert request.why_never_sent(()) is None
    whys = [request.why_never_sent(patterns) for patterns in (("a.py",), ("c.py",), ("d.py",))]
    assert [bool(why) for why in whys] == [True, True, False]


def test_a_previous_edit_lists_all_instructions_in_order() -> None:
    assert PreviousEdit("third", earlier=("first", "second")).instructions == ("first", "second", "third")
    assert PreviousEdit("only") == PreviousEdit("only", "", is_rejected=False, earlier=())
