"""An edit is recognized with any line ends of the client, and is rebuilt at most a few times."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.delivery.fakes import Editor, FakeBatch, Tracked, apply_new_line, insert, opened, request_for

from twospeed.delivery import ApplyEditRequest, ApplyEditResult, DocumentChannel
from twospeed.delivery.channel import MAX_REBUILT
from twospeed.delivery.client_table import KNOWN, OURS, UNKNOWN, ClientBehavior
from twospeed.errors import EditUnconfirmed
from twospeed.text.document import ContentChange, Document
from twospeed.text.edits import LineEdit
from twospeed.text.positions import Position, Range

NEOVIM, VS_CODE = KNOWN["neovim"], KNOWN["visual studio code"]
END = re.compile(r"\r\n|\r|\n")
EOLS = ["\n", "\r\n", "\r"]
TEXT = "one\ntwo\nthree\nfour\n"


def written_with(text: str, eol: str) -> str:
    return END.sub(eol, text)


Tell = Callable[[Editor, ApplyEditRequest, str], None]


def by_ranges(editor: Editor, apply_request: ApplyEditRequest, eol: str) -> None:
    """Report an edit as VS Code and Neovim do: inserted text has the line ends of the editor."""
    changes = [ContentChange(edit.range, written_with(edit.new_text, eol)) for edit in apply_request.edits]
    editor.types(*reversed(changes))


def as_whole(editor: Editor, apply_request: ApplyEditRequest, eol: str) -> None:
    """Report an edit as a full text in which every line has the line end of the editor."""
    editor.types(ContentChange(None, written_with(shown(apply_request), eol)))


def shown(apply_request: ApplyEditRequest) -> str:
    document = apply_request.document
    for edit in reversed(apply_request.edits):
        document, _ = document.changed(ContentChange(edit.range, edit.new_text))
    return document.text


def gives_ends(eol: str, tell: Tell) -> Callable[[Editor, ApplyEditRequest], ApplyEditResult]:
    def behavior_of_editor(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        tell(editor, apply_request, eol)
        return ApplyEditResult(applied=True)

    return behavior_of_editor


def opened_with(
    text: str,
    behavior_of_editor: Callable[[Editor, ApplyEditRequest], ApplyEditResult],
    behavior: ClientBehavior,
) -> DocumentChannel:
    editor = Editor(behavior_of_editor)
    document = Document.opened("file:///a.py", 1, "python", text, "utf-16")
    editor.channel = DocumentChannel(document, editor, behavior=behavior, confirm_s=0.05)
    return editor.channel


def bodies(text: str) -> list[str]:
    return END.split(text)


@pytest.mark.parametrize("behavior", [NEOVIM, VS_CODE, UNKNOWN], ids=["neovim", "vscode", "unknown"])
@pytest.mark.parametrize("tell", [by_ranges, as_whole])
@pytest.mark.parametrize("had", EOLS, ids=repr)
@pytest.mark.parametrize("has", EOLS, ids=repr)
async def test_an_edit_reported_with_other_line_ends_is_recognized(
    had: str, has: str, tell: Tell, behavior: ClientBehavior
) -> None:
    channel = opened_with(written_with(TEXT, had), gives_ends(has, tell), behavior)
    owner, other = Tracked(), Tracked(line=3)
    channel.add(owner)
    channel.add(other)
    apply_request = await apply_new_line(channel, owner)
    assert apply_request is not None
    assert len(owner.committed) == 1
    assert owner.followed == []
    assert other.line == 4
    assert bodies(channel.document.text) == bodies("one\ntwo\nNEW\nthree\nfour\n")


@pytest.mark.parametrize("text", ["", "one", "one\r\ntwo\nthree\r"], ids=repr)
@pytest.mark.parametrize("has", EOLS, ids=repr)
async def test_lines_at_the_end_of_a_document_are_recognized_with_any_line_end(text: str, has: str) -> None:
    channel = opened_with(text, gives_ends(has, by_ranges), VS_CODE)
    owner = Tracked()
    channel.add(owner)
    n_lines = len(channel.document.lines)
    batch = FakeBatch((LineEdit(n_lines - 1, 1, ("NEW", "NEWER")),))
    await channel.apply(owner, lambda: batch, request_for)
    assert owner.committed == [batch]
    assert bodies(channel.document.text) == [*bodies(text)[:-1], "NEW", "NEWER"]


async def test_the_document_keeps_the_line_ends_that_the_client_reported() -> None:
    channel = opened_with(TEXT, gives_ends("\r\n", by_ranges), NEOVIM)
    await apply_new_line(channel, Tracked())
    assert channel.document.text == "one\ntwo\nNEW\r\nthree\nfour\n"


@pytest.mark.parametrize("eol", EOLS, ids=repr)
async def test_typing_elsewhere_is_recognized_if_an_edit_has_other_line_ends(eol: str) -> None:
    def merges(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        text = f"typed\n{shown(apply_request)}".replace("four", "four # typed")
        editor.types(ContentChange(None, written_with(text, eol)))
        return ApplyEditResult(applied=True)

    channel = opened_with(TEXT, merges, VS_CODE)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert len(owner.committed) == 1
    assert [(each.start, each.count, bodies("".join(each.lines))) for each in owner.followed] == [
        (0, 0, ["typed", ""]),
        (5, 1, ["four # typed", ""]),
    ]


@pytest.mark.parametrize("eol", ["\r\n", "\r"], ids=repr)
async def test_an_applied_offer_is_recognized_with_any_line_ends(eol: str) -> None:
    channel = opened_with(TEXT, gives_ends(eol, by_ranges), KNOWN["kate"])
    owner = Tracked()
    channel.add(owner)
    batch = FakeBatch((LineEdit(1, 2, ("NEW", "NEWER")),))
    waiting = asyncio.ensure_future(channel.offer(owner, lambda: batch))
    await asyncio.sleep(0)
    edits = channel.offered(owner)
    changes = [ContentChange(edit.range, written_with(edit.new_text, eol)) for edit in reversed(edits)]
    channel.receive_changes(changes, 2)
    await waiting
    assert owner.committed == [batch]
    assert owner.followed == []


def one_by_one(document: Document, eol: str) -> Sequence[ContentChange]:
    """Change the line end of each line by a separate change, last line first."""
    ends = [document.position(number, len(line)) for number, line in enumerate(bodies(document.text)[:-1])]
    return [ContentChange(Range(end, Position(end.line + 1, 0)), eol) for end in reversed(ends)]


def at_once(document: Document, eol: str) -> Sequence[ContentChange]:
    last = len(document.lines) - 1
    everything = Range(Position(0, 0), document.position(last, len(document.lines[last])))
    return [ContentChange(everything, written_with(document.text, eol))]


def by_the_whole_text(document: Document, eol: str) -> Sequence[ContentChange]:
    return [ContentChange(None, written_with(document.text, eol))]


@pytest.mark.parametrize("change", [one_by_one, at_once, by_the_whole_text])
async def test_followers_do_not_receive_changed_line_ends(
    change: Callable[[Document, str], Sequence[ContentChange]],
) -> None:
    channel = opened_with(TEXT, gives_ends("\n", by_ranges), VS_CODE)
    follower = Tracked()
    channel.add(follower)
    for version, eol in enumerate(["\r\n", "\r", "\n"], 2):
        channel.receive_changes(change(channel.document, eol), version)
        assert channel.document.text == written_with(TEXT, eol)
        assert channel.document.eol == eol
    assert follower.followed == []


async def test_line_ends_that_change_during_a_pending_edit_rebuild_it_with_them() -> None:
    def changes_ends_first(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        if len(editor.apply_requests) == 1:
            editor.types(*at_once(editor.channel.document, "\r\n"))
            return ApplyEditResult(applied=False, reason="stale")
        editor.echo(apply_request)
        return ApplyEditResult(applied=True)

    channel = opened_with(TEXT, changes_ends_first, VS_CODE)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert owner.followed == []
    assert channel.document.text == "one\r\ntwo\r\nNEW\r\nthree\r\nfour\r\n"


@pytest.mark.parametrize("says", [True, False])
async def test_an_edit_whose_change_is_not_recognized_is_sent_at_most_three_times(*, says: bool) -> None:
    def mangles(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.types(insert(0, "NEW\n" if not says else "N E W\n"))
        return ApplyEditResult(applied=says, reason=None if says else "stale")

    editor, channel = opened(mangles, behavior=replace(OURS, confirms_dropped_edits=True))
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(EditUnconfirmed):
        await asyncio.wait_for(apply_new_line(channel, owner), 60)
    assert len(editor.apply_requests) == 1 + MAX_REBUILT


async def test_an_edit_refused_because_of_typing_is_rebuilt_without_limit() -> None:
    def types_first(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        if len(editor.apply_requests) <= 10:
            editor.types(insert(0, "typed\n"))
            return ApplyEditResult(applied=False, reason="stale")
        editor.echo(apply_request)
        return ApplyEditResult(applied=True)

    editor, channel = opened(types_first, behavior=OURS)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert len(editor.apply_requests) == 11
