"""The channel distinguishes typing from our edits, in any order of messages."""

from __future__ import annotations

import asyncio
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

from twospeed.delivery import ApplyEditRequest, ApplyEditResult, ClientBehavior, FlushLoop
from twospeed.delivery.pending_apply_edit import MAX_SEARCHED
from twospeed.delivery.reconcile import typed_elsewhere
from twospeed.errors import ClientRefused, EditUnconfirmed
from twospeed.text.document import ContentChange, Splice
from twospeed.text.edits import LineEdit
from twospeed.text.positions import Position, Range


async def test_an_edit_is_committed_when_the_client_reports_it() -> None:
    _, channel = opened(polite)
    owner, other = Tracked(), Tracked(line=3)
    channel.add(owner)
    channel.add(other)
    await apply_new_line(channel, owner)
    assert channel.document.text == "one\ntwo\nNEW\nthree\nfour\n"
    assert len(owner.committed) == 1
    assert owner.followed == []
    assert other.followed == [Splice(2, 0, ("NEW",))]


async def test_an_edit_is_recognized_before_or_after_the_response() -> None:
    def answers_first(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        asyncio.get_running_loop().call_soon(editor.echo, apply_request)
        return ApplyEditResult(applied=True)

    _, channel = opened(answers_first)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert len(owner.committed) == 1
    assert owner.followed == []


async def test_a_rejected_edit_is_rebuilt_after_typing() -> None:
    def types_first(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        if len(editor.apply_requests) == 1:
            editor.types(insert(0, "typed\n"))
        return polite(editor, apply_request)

    editor, channel = opened(types_first)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert channel.document.text == "typed\none\ntwo\nNEW\nthree\nfour\n"
    assert [apply_request.document.version for apply_request in editor.apply_requests] == [1, 2]
    assert owner.followed == [Splice(0, 0, ("typed\n",))]


async def test_typing_reported_with_the_edit_is_typing() -> None:
    def with_typing(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.echo(apply_request, insert(0, "typed\n"))
        return ApplyEditResult(applied=True)

    _, channel = opened(with_typing)
    owner, other = Tracked(), Tracked(line=3)
    channel.add(owner)
    channel.add(other)
    await apply_new_line(channel, owner)
    assert owner.followed == [Splice(0, 0, ("typed\n",))]
    assert other.followed == [Splice(2, 0, ("NEW",)), Splice(0, 0, ("typed\n",))]


async def test_one_change_with_the_edit_and_typing_elsewhere_is_recognized() -> None:
    def merged(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        whole = ContentChange(None, "typed\none\ntwo\nNEW\nthree\nfour\n")
        editor.channel.receive_changes([whole], 2)
        return ApplyEditResult(applied=True)

    _, channel = opened(merged)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert len(owner.committed) == 1
    assert owner.followed == [Splice(0, 0, ("typed\n",))]


async def test_a_full_text_change_with_the_edit_and_typing_around_it_is_recognized() -> None:
    def merged(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        whole = ContentChange(None, "typed\none\ntwo\nNEW\nthree\nfour # typed\n")
        editor.channel.receive_changes([whole], 2)
        return ApplyEditResult(applied=True)

    _, channel = opened(merged)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert len(owner.committed) == 1
    assert owner.followed == [Splice(0, 0, ("typed\n",)), Splice(5, 1, ("four # typed\n",))]


async def test_a_full_text_change_with_typing_above_and_below_spares_the_lines_between() -> None:
    editor, channel = opened(polite)
    follower = Tracked()
    channel.add(follower)
    editor.types(ContentChange(None, "# one\ntwo\nthree\nfour\nfive\n"))
    assert follower.followed == [Splice(0, 1, ("# one\n",)), Splice(4, 0, ("five\n",))]


async def test_an_accepted_edit_that_the_document_never_contains_is_reported() -> None:
    _, channel = opened(lambda editor, apply_request: ApplyEditResult(applied=True), confirm_s=0.02)
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(EditUnconfirmed):
        await apply_new_line(channel, owner)
    assert owner.committed == []


async def test_a_misplaced_edit_is_reported_and_not_repaired() -> None:
    def misplaces(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.types(insert(0, "typed\n"))
        editor.types(insert(2, "NEW\n"))
        return ApplyEditResult(applied=True)

    editor, channel = opened(misplaces, confirm_s=0.02)
    owner, other = Tracked(), Tracked(line=3)
    channel.add(owner)
    channel.add(other)
    with pytest.raises(EditUnconfirmed):
        await apply_new_line(channel, owner)
    assert len(editor.apply_requests) == 1
    assert channel.document.text == "typed\none\nNEW\ntwo\nthree\nfour\n"
    assert other.line == 5


async def test_a_message_of_many_changes_is_compared_with_the_edit_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searches = 0

    def counted(*texts: Any) -> list[Splice] | None:
        nonlocal searches
        searches += 1
        return typed_elsewhere(*texts)

    def replaces_a_word_everywhere(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        words = [ContentChange(Range(Position(line, 0), Position(line, 1)), "V") for line in range(9, 509)]
        echo = [ContentChange(edit.range, edit.new_text) for edit in apply_request.edits]
        asyncio.get_running_loop().call_soon(lambda: editor.types(*words, *echo))
        return ApplyEditResult(applied=True)

    monkeypatch.setattr("twospeed.delivery.pending_apply_edit.typed_elsewhere", counted)
    _, channel = opened(replaces_a_word_everywhere)
    owner = Tracked()
    channel.receive_changes([insert(4, "value\n" * 510)], 2)
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert len(owner.committed) == 1
    assert [(splice.start, splice.count) for splice in owner.followed] == [(10, 500)]
    assert 1 < searches <= MAX_SEARCHED + 1


@pytest.mark.parametrize("reason", ["readOnly", "closed", "hidden"])
async def test_a_final_refusal_of_the_client_is_an_error(reason: str) -> None:
    _, channel = opened(lambda editor, apply_request: ApplyEditResult(applied=False, reason=reason))  # type: ignore[arg-type]
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(ClientRefused):
        await apply_new_line(channel, owner)


async def test_a_rejected_edit_is_not_sent_again_without_a_change() -> None:
    editor, channel = opened(lambda editor, apply_request: ApplyEditResult(applied=False), confirm_s=0.02)
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(ClientRefused):
        await apply_new_line(channel, owner)
    assert len(editor.apply_requests) == 1


async def test_closing_the_document_ends_the_wait() -> None:
    def closes(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        asyncio.get_running_loop().call_soon(editor.channel.close)
        return ApplyEditResult(applied=True)

    _, channel = opened(closes)
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(ClientRefused):
        await apply_new_line(channel, owner)


async def test_one_batch_is_in_flight_at_a_time() -> None:
    editor, channel = opened(polite)
    owners = [Tracked(), Tracked()]
    for owner in owners:
        channel.add(owner)
    await asyncio.gather(*(apply_new_line(channel, owner) for owner in owners))
    assert [apply_request.document.version for apply_request in editor.apply_requests] == [1, 2]


async def test_a_cancelled_caller_does_not_abandon_the_batch_in_flight() -> None:
    _, channel = opened(polite)
    owner = Tracked()
    channel.add(owner)
    task = asyncio.ensure_future(apply_new_line(channel, owner))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await apply_new_line(channel, owner)
    assert len(owner.committed) == 2


async def test_a_follower_added_during_a_pending_edit_receives_each_change() -> None:
    newcomer = Tracked(line=4)

    def joins(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.channel.add(newcomer)
        editor.echo(apply_request)
        return ApplyEditResult(applied=True)

    _, channel = opened(joins)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert newcomer.line == 5
    assert len(newcomer.followed) == 1


async def test_a_follower_added_with_another_receives_the_same_changes() -> None:
    like_owner, like_newcomer, newcomer = (
        Tracked(line=3),
        Tracked(line=4),
        Tracked(line=5),
    )  # equal followers would be one

    def joins(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.types(insert(0, "typed\n"))
        editor.channel.add(newcomer)
        for follower, other in ((like_owner, owner), (like_newcomer, newcomer)):
            editor.channel.add(follower, same_document_as=other)
            assert editor.channel.seen_by(follower) is editor.channel.seen_by(other)
        assert editor.channel.seen_by(like_owner) is not editor.channel.seen_by(like_newcomer)
        return ApplyEditResult(applied=False, reason="stale")

    def does(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        return (
            joins(editor, apply_request) if len(editor.apply_requests) == 1 else polite(editor, apply_request)
        )

    _, channel = opened(does)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    typed, written = Splice(0, 0, ("typed\n",)), Splice(3, 0, ("NEW",))
    assert like_owner.followed == [typed, written]
    assert like_newcomer.followed == newcomer.followed == [written]


async def test_the_flush_loop_coalesces_requests_while_a_batch_is_in_flight() -> None:
    calls = 0
    gate = asyncio.Event()

    async def shows() -> None:
        nonlocal calls
        calls += 1
        await gate.wait()

    flush_loop = FlushLoop(shows)
    for _ in range(5):
        flush_loop.flush_soon()
        await asyncio.sleep(0)
    gate.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await flush_loop.stop()
    assert calls == 2


async def test_the_flush_loop_keeps_its_error_and_stops() -> None:
    async def fails() -> None:
        raise ClientRefused("read-only")

    flush_loop = FlushLoop(fails)
    flush_loop.flush_soon()
    await asyncio.sleep(0)
    await flush_loop.stop()
    assert isinstance(flush_loop.error, ClientRefused)
    with pytest.raises(ClientRefused):
        flush_loop.flush_soon()
    await flush_loop.stop()


async def test_an_unreported_insertion_among_equal_lines_is_not_mistaken_for_typing() -> None:
    _, channel = opened(lambda editor, apply_request: ApplyEditResult(applied=True), confirm_s=0.02)
    channel.receive_changes([ContentChange(None, "x\n}\n}\n}\ny\n")], 2)
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(EditUnconfirmed):
        await channel.apply(owner, lambda: FakeBatch((LineEdit(1, 1),)), request_for)
    assert owner.committed == []


async def test_closing_the_document_ends_the_wait_for_a_missing_response() -> None:
    editor, channel = opened(polite)
    asked = asyncio.Event()

    async def never(apply_request: ApplyEditRequest) -> ApplyEditResult:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    editor.apply_edit = never  # type: ignore[method-assign]
    owner = Tracked()
    shows = [asyncio.ensure_future(apply_new_line(channel, owner)) for _ in range(2)]
    await asked.wait()
    channel.close()
    results = await asyncio.gather(*shows, return_exceptions=True)
    assert [type(result) for result in results] == [ClientRefused, ClientRefused]


async def test_a_rejection_followed_by_the_echo_is_not_sent_again() -> None:
    def denies(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        asyncio.get_running_loop().call_soon(editor.echo, apply_request)
        return ApplyEditResult(applied=False)

    editor, channel = opened(denies)
    owner = Tracked()
    channel.add(owner)
    await apply_new_line(channel, owner)
    assert len(editor.apply_requests) == len(owner.committed) == 1
    assert channel.document.text == "one\ntwo\nNEW\nthree\nfour\n"


async def test_the_owner_of_an_unconfirmed_edit_keeps_its_place() -> None:
    def ignores_and_types(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.types(insert(0, "typed\n"))
        return ApplyEditResult(applied=True)

    _, channel = opened(ignores_and_types, confirm_s=0.02)
    owner = Tracked()
    channel.add(owner)
    with pytest.raises(EditUnconfirmed):
        await apply_new_line(channel, owner)
    assert owner.line == 3


async def test_seen_by_returns_the_document_of_the_followers_place() -> None:
    seen = []

    def types_first(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        if len(editor.apply_requests) == 1:
            editor.types(insert(0, "typed\n"))
            seen.append(channel.seen_by(other).version)
        return polite(editor, apply_request)

    _, channel = opened(types_first)
    owner, other = Tracked(), Tracked(line=3)
    channel.add(owner)
    channel.add(other)
    await apply_new_line(channel, owner)
    assert seen == [1]
    assert channel.seen_by(other) is channel.document


async def test_the_flush_loop_sends_its_last_batch_without_a_waiter() -> None:
    gate, shown = asyncio.Event(), []

    async def shows() -> None:
        await gate.wait()
        shown.append(1)

    flush_loop = FlushLoop(shows)
    waiting = asyncio.ensure_future(flush_loop.finish(shows))
    await asyncio.sleep(0)
    waiting.cancel()
    gate.set()
    await asyncio.sleep(0)
    await flush_loop.stop()
    assert shown == [1]


async def test_a_batch_that_waits_for_a_pause_is_not_in_flight() -> None:
    editor, channel = opened(polite, behavior=ClientBehavior("test", drops_messages_after_responses=True))
    pause = asyncio.Event()
    waits = asyncio.Event()

    async def wait_until_idle() -> bool:
        waits.set()
        return not await pause.wait()

    editor.wait_until_idle = wait_until_idle  # type: ignore[method-assign]
    owner = Tracked()
    channel.add(owner)
    shown = asyncio.create_task(apply_new_line(channel, owner))
    await waits.wait()
    async with asyncio.timeout(60):
        await channel.wait_until_idle()
    assert editor.apply_requests == []
    pause.set()
    await shown
    assert len(owner.committed) == 1


async def test_settled_returns_before_the_next_batch_is_sent() -> None:
    editor, channel = opened(polite)
    owners = [Tracked(), Tracked()]
    for owner in owners:
        channel.add(owner)
    shows = [asyncio.create_task(apply_new_line(channel, owner)) for owner in owners]
    while not editor.apply_requests:  # noqa: ASYNC110 - the editor has no event for what it was sent
        await asyncio.sleep(0)
    await channel.wait_until_idle()
    n_sent = len(editor.apply_requests)
    await asyncio.gather(*shows)
    assert (n_sent, len(editor.apply_requests)) == (1, 2)
