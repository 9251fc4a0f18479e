"""Edge cases of a channel: order of followers, doubts, and what is never sent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

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

from twospeed.delivery import ApplyEditRequest, ApplyEditResult, FlushLoop, document_events
from twospeed.delivery.channel import MAX_REBUILT
from twospeed.delivery.client_table import KNOWN, OURS, UNKNOWN, ClientBehavior
from twospeed.delivery.pending_apply_edit import MAX_SEARCHED, PendingApplyEdit
from twospeed.delivery.reconcile import (
    is_closer_to_expected,
    is_misplaced,
    is_partly_applied,
    splices_between,
)
from twospeed.errors import ClientRefused, EditUnconfirmed
from twospeed.text.document import ContentChange, Document, Splice
from twospeed.text.edits import LineEdit
from twospeed.text.positions import Position, Range

COC, NEOVIM = KNOWN["coc.nvim"], KNOWN["neovim"]


# Followers


async def test_a_removed_follower_receives_no_changes_and_may_be_removed_again() -> None:
    editor, channel = opened(polite)
    gone, left = Tracked(line=1), Tracked(line=2)
    channel.add(gone)
    channel.add(left)
    channel.remove(gone)
    channel.remove(gone)
    editor.types(insert(0, "typed\n"))
    assert (gone.followed, left.followed) == ([], [Splice(0, 0, ("typed\n",))])


async def test_a_follower_that_replaces_one_added_during_a_pending_edit_keeps_its_place() -> None:
    first, second = Tracked(line=7), Tracked(line=8)

    def replaces(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.types(insert(0, "typed\n"))
        channel.add(first)
        channel.replace(first, second)
        assert channel.seen_by(second) is channel.document
        editor.types(insert(0, "more\n"))
        return ApplyEditResult(applied=True)

    _, channel = opened(replaces, confirm_s=0.01)
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(EditUnconfirmed, match="accepted an edit and did not report the change"):
        await apply_new_line(channel, owner)
    assert (first.followed, second.followed) == ([], [Splice(0, 0, ("more\n",))])
    assert owner.followed == [Splice(0, 0, ("typed\n",)), Splice(0, 0, ("more\n",))]


async def test_a_follower_added_during_a_pending_edit_receives_edit_and_typing_in_order() -> None:
    newcomer = Tracked(line=9)

    def joins(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        channel.add(newcomer)
        editor.echo(apply_request, insert(0, "typed\n"))
        return ApplyEditResult(applied=True)

    _, channel = opened(joins)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert newcomer.followed == [Splice(2, 0, ("NEW\n",)), Splice(0, 0, ("typed\n",))]
    assert owner.followed == [Splice(0, 0, ("typed\n",))]


async def test_other_followers_receive_the_edits_of_a_batch_from_the_last_to_the_first() -> None:
    _, channel = opened(polite)
    owner, other = Tracked(), Tracked(line=9)
    channel.add(owner)
    channel.add(other)
    edits = (LineEdit(0, 1, ("ONE",)), LineEdit(2, 0, ("NEW", "NEWER")))
    await channel.apply(owner, lambda: FakeBatch(edits), request_for)
    assert other.followed == [Splice(2, 0, ("NEW", "NEWER")), Splice(0, 1, ("ONE",))]
    assert (owner.followed, owner.committed) == ([], [FakeBatch(edits)])


async def test_an_empty_change_reaches_no_follower_but_counts_as_a_change() -> None:
    editor, channel = opened(polite)
    follower = Tracked()
    channel.add(follower)
    calls: list[int] = []
    channel.on_followed = lambda: calls.append(1)
    assert not channel.has_changed
    editor.types(ContentChange(Range(Position(0, 0), Position(0, 3)), "one"))
    assert (follower.followed, len(calls), channel.has_changed) == ([], 1, True)
    assert channel.document.version == 2


async def test_followers_are_reported_as_changed_once_the_document_has_the_version_of_the_changes() -> None:
    editor, channel = opened(polite)
    owner, other = Tracked(), Tracked(line=3)
    channel.add(owner)
    channel.add(other)
    seen: list[tuple[int, str, int]] = []
    channel.on_followed = lambda: seen.append((channel.document.version, channel.document.text, other.line))
    editor.types(insert(0, "typed\n"), insert(0, "more\n"))
    assert seen == [(2, channel.document.text, 5)]
    await apply_new_line(channel, owner)
    assert seen[1:] == [(3, channel.document.text, 6)]


async def test_a_channel_without_followers_applies_changes() -> None:
    editor, channel = opened(polite)
    editor.types(insert(0, "typed\n"), insert(0, "more\n"))
    assert channel.document.text.startswith("more\ntyped\none\n")
    follower = Tracked()
    channel.add(follower)
    editor.types(insert(1, "last\n"))
    assert follower.followed == [Splice(1, 0, ("last\n",))]


async def test_wait_until_idle_waits_for_each_batch_in_turn() -> None:
    def settles_later(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        waits.append(asyncio.ensure_future(channel.wait_until_idle()))
        editor.channel.on_followed = lambda: done.append(waits[-1].done())
        asyncio.get_running_loop().call_later(0, editor.echo, apply_request)
        return ApplyEditResult(applied=True)

    done: list[bool] = []
    waits: list[asyncio.Future[None]] = []
    _, channel = opened(settles_later)
    owner = Tracked()
    channel.add(owner)
    for _ in range(2):
        await asyncio.wait_for(apply_new_line(channel, owner), 60)
        await asyncio.wait_for(waits[-1], 60)
    assert done[:1] == [False]


# Doubts


@pytest.mark.parametrize(
    ("behavior", "has_changed", "n_versions", "n_doubts"),
    [
        (COC, True, 1, 0),
        (COC, True, 2, 1),
        (UNKNOWN, True, 2, 0),
        (NEOVIM, True, 2, 0),
        (NEOVIM, False, 1, 0),
        (NEOVIM, False, 2, 1),
    ],
)
async def test_a_doubt_is_raised_if_an_unguarded_client_counts_unreported_changes(
    behavior: ClientBehavior, has_changed: bool, n_versions: int, n_doubts: int
) -> None:
    def echoes(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        (edit,) = apply_request.edits
        change = ContentChange(edit.range, edit.new_text)
        editor.channel.receive_changes([change], apply_request.document.version + n_versions)
        return ApplyEditResult(applied=True)

    doubts: list[int] = []
    editor, channel = opened(echoes, behavior=behavior, on_doubt=lambda: doubts.append(1))
    if has_changed:
        editor.types(ContentChange(Range(Position(0, 0), Position(0, 0)), "# "))
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert len(doubts) == n_doubts
    assert len(owner.committed) == 1


# Offers


async def test_an_offer_is_returned_only_for_its_owner() -> None:
    _, channel = opened(polite)
    owner, other = Tracked(), Tracked(line=3)
    channel.add(owner)
    channel.add(other)
    offer = asyncio.create_task(channel.offer(owner, lambda: FakeBatch((LineEdit(2, 1, ("NEW",)),))))
    nothing = asyncio.create_task(channel.offer(other, lambda: None))
    await asyncio.sleep(0)
    assert [edit.new_text for edit in channel.offered(owner)] == ["NEW\n"]
    assert channel.offered(other) == []
    for task in (offer, nothing):
        task.cancel()
    await asyncio.gather(offer, nothing, return_exceptions=True)
    assert channel.offered(owner) == []


async def test_a_withdrawn_offer_is_recognized_once() -> None:
    editor, channel = opened(polite)
    owner = Tracked()
    channel.add(owner)
    batch = FakeBatch((LineEdit(2, 1, ("NEW",)),))
    watched = channel.watch_withdrawn_offer(owner, lambda: batch)
    editor.types(insert(4, "typed\n"))
    assert not watched.done()
    editor.types(ContentChange(Range(Position(2, 0), Position(3, 0)), "NEW\n"))
    await asyncio.wait_for(watched, 60)
    assert owner.committed == [batch]
    assert channel.offered(owner) == []
    channel.close()  # no offer is left to fail


async def test_an_offer_out_of_bounds_raises_and_is_not_returned() -> None:
    _, channel = opened(polite)
    owner = Tracked(start=0, end=2)
    channel.add(owner)
    offer = asyncio.create_task(channel.offer(owner, lambda: FakeBatch((LineEdit(2, 1, ("NEW",)),))))
    await asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="beyond the lines"):
        channel.offered(owner)
    offer.cancel()


async def test_an_edit_out_of_bounds_raises_and_is_not_sent() -> None:
    editor, channel = opened(polite)
    owner = Tracked(start=0, end=2)
    channel.add(owner)
    with pytest.raises(RuntimeError, match="beyond the lines"):
        await apply_new_line(channel, owner, line=3)
    assert editor.apply_requests == []


# The end of an undo step


def end_of_step(document: Document) -> ApplyEditRequest:
    return ApplyEditRequest("e1", 2, document, (), is_first=False, is_last=True)


def responds_with(
    response: ApplyEditResult | Exception,
) -> Callable[[Editor, ApplyEditRequest], ApplyEditResult]:
    def behavior_of_editor(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        if isinstance(response, Exception):
            raise response
        return response

    return behavior_of_editor


@pytest.mark.parametrize(
    "response",
    [
        ApplyEditResult(applied=True),
        ApplyEditResult(applied=False, reason="stale"),
        ApplyEditResult(applied=False, reason="readOnly"),
        EditUnconfirmed("no response"),
    ],
    ids=["accepted", "stale", "read-only", "none"],
)
async def test_the_end_of_an_undo_step_is_sent_once_whatever_its_result(
    response: ApplyEditResult | Exception,
) -> None:
    editor, channel = opened(responds_with(response), behavior=OURS)
    await channel.end_undo_step(end_of_step)
    assert editor.apply_requests == [end_of_step(channel.document)]


async def test_the_end_of_an_undo_step_is_not_sent_to_other_editors_or_closed_documents() -> None:
    editor, channel = opened(polite, behavior=KNOWN["visual studio code"])
    await channel.end_undo_step(end_of_step)
    assert editor.apply_requests == []
    editor, channel = opened(polite, behavior=OURS)
    channel.close()
    await channel.end_undo_step(end_of_step)
    assert editor.apply_requests == []


async def test_a_document_that_closes_while_an_undo_step_ends_is_no_error() -> None:
    def closes(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.channel.close()
        return ApplyEditResult(applied=True)

    editor, channel = opened(closes, behavior=OURS)
    await channel.end_undo_step(end_of_step)
    assert len(editor.apply_requests) == 1


# Responses


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (ApplyEditResult(applied=False, reason="readOnly"), "the document is read-only"),
        (ApplyEditResult(applied=False, reason="closed"), "the document was closed"),
        (ApplyEditResult(applied=False), "the editor refused the edit and reported no newer version"),
    ],
)
async def test_a_refusal_of_the_client_names_the_reason(response: ApplyEditResult, words: str) -> None:
    editor, channel = opened(responds_with(response), confirm_s=0.0)
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(ClientRefused) as refused:
        await apply_new_line(channel, owner)
    assert str(refused.value) == words
    assert len(editor.apply_requests) == 1
    await channel.wait_until_idle()  # no batch is in flight
    assert not channel._sends


async def test_a_document_that_stays_hidden_refuses_a_standard_edit_as_well() -> None:
    editor, channel = opened(responds_with(ApplyEditResult(applied=False, reason="hidden")), behavior=OURS)
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(ClientRefused, match="does not edit documents that are not on screen"):
        await apply_new_line(channel, owner)
    assert [apply_request.is_hidden for apply_request in editor.apply_requests] == [False, True]


async def test_a_rejection_after_the_echo_is_ignored() -> None:
    def shows_and_denies(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.echo(apply_request)
        return ApplyEditResult(applied=False, reason="readOnly")

    editor, channel = opened(shows_and_denies)
    owner = Tracked()
    channel.add(owner)
    assert await apply_new_line(channel, owner) == editor.apply_requests[0]
    assert len(owner.committed) == 1


async def test_an_acceptance_covers_typing_beside_the_edit_before_it() -> None:
    def merges_then_answers(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.types(ContentChange(None, "one\ntwo\nNEW\nthree\nfour # typed\n"))
        assert owner.committed == [], "no commit before the acceptance"
        return ApplyEditResult(applied=True)

    _, channel = opened(merges_then_answers)
    owner, other = Tracked(), Tracked(line=9)
    channel.add(owner)
    channel.add(other)
    await apply_new_line(channel, owner)
    assert len(owner.committed) == 1
    assert owner.followed == [Splice(4, 1, ("four # typed\n",))]
    assert other.followed == [Splice(2, 0, ("NEW",)), Splice(4, 1, ("four # typed\n",))]


async def test_an_edit_that_is_dropped_silently_is_built_again_at_once() -> None:
    def drops_first(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        if len(editor.apply_requests) <= MAX_REBUILT:
            editor.types(insert(0, "typed\n"))
            return ApplyEditResult(applied=True)
        return polite(editor, apply_request)

    editor, channel = opened(drops_first, confirm_s=60, behavior=replace(NEOVIM, is_ours=True))
    editor.types(insert(0, "first\n"))
    owner = Tracked()
    channel.add(owner)
    await asyncio.wait_for(apply_new_line(channel, owner), 60)
    assert len(editor.apply_requests) == 1 + MAX_REBUILT
    assert channel.document.text == "typed\ntyped\nfirst\none\nNEW\ntwo\nthree\nfour\n"


# A pause in typing


async def test_an_edit_for_another_editor_waits_for_a_pause_in_typing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[bool] = []

    async def wait_for_typing_pause(self: document_events.DocumentEvents) -> bool:
        waits.append(self._typed_at is not None)
        return len(waits) == 1

    monkeypatch.setattr(document_events.DocumentEvents, "wait_for_typing_pause", wait_for_typing_pause)
    for behavior, n_waits in ((UNKNOWN, 2), (OURS, 0)):
        waits.clear()
        editor, channel = opened(polite, behavior=behavior)
        owner = Tracked()
        channel.add(owner)
        editor.types(insert(0, "typed\n"))
        await apply_new_line(channel, owner)
        assert waits == [True] * n_waits


async def test_the_echo_of_an_edit_is_not_typing() -> None:
    _, channel = opened(polite)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert await channel._events.wait_for_typing_pause() is False


# Pending edits


def pending(*splices: Splice, **more: Any) -> PendingApplyEdit:
    base = Document.opened("file:///a.py", 1, "python", "a\nb\nc\nd\n", "utf-16")
    return PendingApplyEdit(
        base, [LineEdit(1, 0, ("NEW",))], Tracked(), lambda: None, splices=list(splices), **more
    )


def test_a_pending_edit_seems_dropped_if_accepted_and_not_in_the_document() -> None:
    brings, types = Splice(3, 0, ("NEW",)), Splice(3, 0, ("typed",))
    assert not pending().seems_dropped
    assert pending(was_accepted=True).seems_dropped
    assert not pending(was_accepted=True, is_applied=True).seems_dropped
    assert pending(types, brings).seems_dropped
    assert not pending(types).seems_dropped
    assert not pending(brings, is_applied=True).seems_dropped


@pytest.mark.parametrize(
    ("number", "n_changes", "is_found"),
    [
        (1, MAX_SEARCHED + 9, True),
        (MAX_SEARCHED, MAX_SEARCHED + 9, True),
        (MAX_SEARCHED + 1, MAX_SEARCHED + 9, False),
        (MAX_SEARCHED + 9, MAX_SEARCHED + 9, True),
    ],
)
def test_a_pending_edit_is_searched_after_the_first_changes_and_the_last_of_a_message(
    number: int, n_changes: int, is_found: bool
) -> None:
    typed = Splice(5, 0, ("typed\n",))
    lines = Document.opened("file:///a.py", 2, "python", "a\nNEW\nb\nc\nd\ntyped\n", "utf-16").lines
    flying = pending(was_accepted=True)
    assert flying.receive([typed], lines, number, n_changes) is is_found
    assert (flying.splices, list(flying.typed)) == ([typed], [typed] if is_found else [])


def test_an_edit_with_typing_elsewhere_is_recognized_only_after_acceptance_and_a_change() -> None:
    lines = Document.opened("file:///a.py", 2, "python", "a\nNEW\nb\nc\nd\ntyped\n", "utf-16").lines
    typed = Splice(4, 0, ("typed\n",))
    assert not pending(typed).is_in(lines)
    assert not pending(was_accepted=True).is_in(lines)
    assert not pending(typed, was_accepted=True).is_in(lines, is_searched=False)
    assert pending(typed, was_accepted=True).is_in(lines)
    assert pending().is_in(pending().expected)


# Recognition in the document


TEXTS = ["a b c d", "a b c", "a x b c d", "x y z", "a c d e", "", "a b c d e f", "d c b a"]


def test_the_nearer_text_is_the_one_with_fewer_changed_lines() -> None:
    def n_changed(old: list[str], new: list[str]) -> int:
        return sum(each.count + len(each.lines) for each in splices_between(old, new))

    lists = [text.split() for text in TEXTS]
    for lines in lists:
        for one in lists:
            for other in lists:
                assert is_closer_to_expected(lines, one, other) == (
                    n_changed(one, lines) < n_changed(other, lines)
                )
    assert is_closer_to_expected(["a", "b"], ["a", "x"], ["x", "y"])
    assert not is_closer_to_expected(["a", "b"], ["a", "x"], ["x", "b"])
    assert n_changed(["a", "b"], ["a", "x", "y"]) == 3


def test_an_edit_is_partly_applied_only_next_to_its_place() -> None:
    edit = LineEdit(2, 1, ("new = 1", "more = 2"))
    base = ["a", "b", "c", "d", "e", "f"]
    for at, expected in ((0, False), (1, False), (2, True), (3, True), (4, False), (6, False)):
        lines = [*base[:at], "new = 1", *base[at:]]
        assert is_partly_applied([edit], base, lines) is expected, at
    assert not is_partly_applied([edit], base, base)
    assert not is_partly_applied(
        [edit], ["a", "b", "new = 1\n", "d"], ["a", "b", "typed", "new = 1\r\n", "d"]
    )
    assert is_partly_applied([edit], ["a", "b", "c\n", "d"], ["a", "b", "typed", "new = 1\r\n", "d"])
    assert is_partly_applied([LineEdit(0, 0, ("x",)), edit], base, ["a", "b", "more = 2", "d", "e", "f"])


def test_one_of_several_edits_may_be_misplaced() -> None:
    edits = [LineEdit(0, 1), LineEdit(1, 0, (" ",)), LineEdit(2, 0, ("N\r\n", ""))]
    assert is_misplaced(edits, Splice(5, 0, ("x", "N\n", "\n")))
    assert not is_misplaced(edits[:2], Splice(5, 0, ("x", " ", "\n")))


# The flush loop


async def turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def counting(
    calls: list[int], gate: asyncio.Event, error: Exception | None = None
) -> Callable[[], Awaitable[object]]:
    async def shows() -> None:
        calls.append(1)
        await gate.wait()
        if error:
            raise error

    return shows


async def test_a_stopped_flush_loop_sends_nothing_until_the_next_request() -> None:
    calls: list[int] = []
    gate = asyncio.Event()
    flush_loop = FlushLoop(counting(calls, gate))
    await flush_loop.stop()  # nothing to wait for
    flush_loop.flush_soon()
    await turns()
    flush_loop.flush_soon()
    stopped = asyncio.create_task(flush_loop.stop())
    await turns()
    assert not stopped.done()
    gate.set()
    await stopped
    assert calls == [1]
    flush_loop.flush_soon()
    await turns()
    assert calls == [1, 1]


async def test_a_failed_flush_loop_drops_later_requests_and_raises_on_finish() -> None:
    calls: list[int] = []
    gate, error = asyncio.Event(), ClientRefused("read-only")
    flush_loop = FlushLoop(counting(calls, gate, error))
    flush_loop.flush_soon()
    await turns()
    flush_loop.flush_soon()
    gate.set()
    await turns()
    with pytest.raises(ClientRefused):
        flush_loop.flush_soon()
    assert (calls, flush_loop.error) == ([1], error)
    with pytest.raises(ClientRefused):
        await flush_loop.finish(counting(calls, gate))
    assert calls == [1]


async def test_the_last_batch_of_a_flush_loop_is_sent_once_and_raises_its_error() -> None:
    calls: list[int] = []
    gate = asyncio.Event()
    gate.set()
    flush_loop = FlushLoop(counting(calls, gate))
    await flush_loop.finish(counting(calls, gate))
    assert (calls, flush_loop.error) == ([1], None)
    error = ClientRefused("closed")
    with pytest.raises(ClientRefused):
        await flush_loop.finish(counting(calls, gate, error))
    assert (calls, flush_loop.error) == ([1, 1], error)


async def test_a_flush_loop_does_not_catch_a_cancellation() -> None:
    flush_loop = FlushLoop(counting([], asyncio.Event()))
    flush_loop.flush_soon()
    await turns()
    assert flush_loop._task
    flush_loop._task.cancel()
    await flush_loop.stop()
    assert flush_loop._task.cancelled()
    assert flush_loop.error is None


# A closed document


async def test_closing_a_document_ends_waiting_callers_with_an_error() -> None:
    def never(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        return ApplyEditResult(applied=True)

    _, channel = opened(never, confirm_s=60)
    owner = Tracked()
    channel.add(owner)
    waiting = asyncio.create_task(apply_new_line(channel, owner))
    watched = channel.watch_withdrawn_offer(owner, lambda: FakeBatch((LineEdit(0, 1),)))
    await turns()
    assert not channel.is_closed
    channel.close()
    for ended in (waiting, watched):
        with pytest.raises(ClientRefused) as refused:
            await ended
        assert str(refused.value) == "the document was closed"
    assert channel.is_closed
    assert owner.committed == []


async def test_a_batch_is_not_built_for_a_closed_document() -> None:
    _, channel = opened(polite)
    channel.close()
    built: list[int] = []

    def build() -> None:
        built.append(1)

    with pytest.raises(ClientRefused):
        await channel.apply(Tracked(), build, request_for)
    assert built == []
