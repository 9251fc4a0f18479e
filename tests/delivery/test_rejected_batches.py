"""A rejected batch is rebuilt from the client's changes or dropped, and never sent again unchanged."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.delivery.fakes import (
    Editor,
    FakeBatch,
    Tracked,
    apply_new_line,
    insert,
    opened,
    polite,
    request_for,
)

from twospeed.delivery import ApplyEditRequest, ApplyEditResult
from twospeed.delivery.client_table import KNOWN, OURS, UNKNOWN, ClientBehavior
from twospeed.errors import ClientRefused, DocumentHidden, EditUnconfirmed
from twospeed.text.document import ContentChange, Document
from twospeed.text.edits import LineEdit, TextEdit

COC, EGLOT, NEOVIM, VS_CODE = (KNOWN[name] for name in ("coc.nvim", "eglot", "neovim", "visual studio code"))


@pytest.mark.parametrize(
    ("behavior", "response"),
    [(OURS, ApplyEditResult(applied=False, reason="stale")), (EGLOT, ApplyEditResult(applied=False))],
    ids=["stale", "known to delay"],
)
async def test_a_client_that_delays_did_change_gets_a_longer_wait(
    behavior: ClientBehavior, response: ApplyEditResult
) -> None:
    def reports_later(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        if len(editor.apply_requests) == 1:
            asyncio.get_running_loop().call_later(0.02, editor.types, insert(0, "typed\n"))
            return response
        return polite(editor, apply_request)

    _, channel = opened(reports_later, confirm_s=0.0, behavior=behavior)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert channel.document.text == "typed\none\ntwo\nNEW\nthree\nfour\n"


async def test_a_rejection_by_another_client_gets_no_longer_wait() -> None:
    def reports_later(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        asyncio.get_running_loop().call_later(0.02, editor.types, insert(0, "typed\n"))
        return ApplyEditResult(applied=False)

    _, channel = opened(reports_later, confirm_s=0.0, behavior=replace(UNKNOWN, is_ours=True))
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(ClientRefused):
        await apply_new_line(channel, owner)


def hides(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
    """Apply standard edits only; the user types while the first batch is in flight."""
    if apply_request.is_hidden:
        return polite(editor, apply_request)
    editor.types(insert(0, "typed\n"))
    return ApplyEditResult(applied=False, reason="hidden")


async def test_the_last_batch_of_a_hidden_document_is_rebuilt_as_a_standard_edit() -> None:
    editor, channel = opened(hides, behavior=OURS)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert [(sent.is_hidden, sent.document.version) for sent in editor.apply_requests] == [
        (False, 1),
        (True, 2),
    ]
    assert channel.document.text == "typed\none\ntwo\nNEW\nthree\nfour\n"


async def test_a_hidden_document_receives_no_batch_of_an_edit_stopped_meanwhile() -> None:
    editor, channel = opened(hides, behavior=OURS)
    owner = Tracked()
    channel.add(owner)
    batches = [FakeBatch((LineEdit(2, 0, ("NEW",)),)), None]
    assert await channel.apply(owner, lambda: batches.pop(0), request_for) is None
    assert len(editor.apply_requests) == 1


async def test_no_partial_batch_is_sent_to_a_hidden_document() -> None:
    def part(document: Document, edits: Sequence[TextEdit]) -> ApplyEditRequest:
        return replace(request_for(document, edits), is_last=False)

    editor, channel = opened(hides, behavior=OURS)
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(DocumentHidden):
        await channel.apply(owner, lambda: FakeBatch((LineEdit(2, 0, ("NEW",)),)), part)
    assert len(editor.apply_requests) == 1


async def test_an_unguarded_edit_was_misplaced_and_not_dropped() -> None:
    def misplaces(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        if len(editor.apply_requests) > 1:
            return polite(editor, apply_request)
        editor.types(insert(0, "typed\n"))
        asyncio.get_running_loop().call_soon(editor.types, insert(2, "NEW\n"))
        return ApplyEditResult(applied=True)

    editor, channel = opened(misplaces, confirm_s=0.02, behavior=NEOVIM)  # never changed: version 0 there
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(EditUnconfirmed):
        await apply_new_line(channel, owner)
    assert len(editor.apply_requests) == 1


@pytest.mark.parametrize(("behavior", "is_warned"), [(COC, True), (VS_CODE, False)], ids=["passes", "guards"])
async def test_overwritten_unreported_keystrokes_cause_a_warning(
    behavior: ClientBehavior, *, is_warned: bool
) -> None:
    def overwrites(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        (edit,) = apply_request.edits
        changes = [insert(2, "typed "), ContentChange(edit.range, edit.new_text)]
        editor.channel.receive_changes(changes, editor.channel.document.version + 2)
        return ApplyEditResult(applied=True)

    doubts: list[bool] = []
    editor, channel = opened(overwrites, behavior=behavior, on_doubt=lambda: doubts.append(True))
    editor.types(insert(0, "first\n"))  # from here on the client guards the versions that it reported
    owner = Tracked()
    channel.add(owner)
    await channel.apply(
        owner, lambda: FakeBatch((LineEdit(2, 1, ("NEW",)),)), request_for, in_whole_lines=True
    )
    assert channel.document.text == "first\none\nNEW\nthree\nfour\n"
    assert bool(doubts) is is_warned


async def test_overwritten_keystrokes_cause_a_warning_despite_typing_elsewhere() -> None:
    def overwrites(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        (edit,) = apply_request.edits

        def tells() -> None:
            changes = [insert(2, "typed "), ContentChange(edit.range, edit.new_text), insert(0, "beside\n")]
            editor.channel.receive_changes(changes, editor.channel.document.version + 3)

        asyncio.get_running_loop().call_soon(tells)
        return ApplyEditResult(applied=True)

    doubts: list[bool] = []
    editor, channel = opened(overwrites, behavior=COC, on_doubt=lambda: doubts.append(True))
    editor.types(insert(0, "first\n"))
    owner = Tracked()
    channel.add(owner)
    await channel.apply(
        owner, lambda: FakeBatch((LineEdit(2, 1, ("NEW",)),)), request_for, in_whole_lines=True
    )
    assert channel.document.text == "beside\nfirst\none\nNEW\nthree\nfour\n"
    assert doubts


async def test_callers_resume_after_all_followers_received_the_changes() -> None:
    def types_first(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        if len(editor.apply_requests) == 1:
            editor.types(insert(0, "typed\n"))
        return polite(editor, apply_request)

    _, channel = opened(types_first)
    owner, other = Tracked(), Tracked(line=3)
    channel.add(owner)
    channel.add(other)
    lines: list[int] = []
    channel.on_followed = lambda: lines.append(other.line)
    await apply_new_line(channel, owner)
    assert lines[-1] == 5
    assert 4 in lines
