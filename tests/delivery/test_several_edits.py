"""Several edits in a document with typing, late deletions of offers, and edits that end when it closes."""

from __future__ import annotations

import asyncio

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
from tests.delivery.test_offered_actions import offered

from twospeed.delivery import ApplyEditRequest, ApplyEditResult, FlushLoop
from twospeed.delivery.reconcile import is_late_deletion, is_misplaced, is_partly_applied, typed_elsewhere
from twospeed.errors import ClientRefused
from twospeed.text.document import Splice
from twospeed.text.edits import LineEdit


def explained(edits: list[LineEdit], base: str, expected: str, document: str) -> list[Splice] | None:
    return typed_elsewhere(edits, base.split(), expected.split(), document.split())


@pytest.mark.parametrize("document", ["a N M b c d O e typed", "a N M b typed c d O e"])
def test_typing_clear_of_two_edits_is_recognized_below_the_inserted_lines_of_the_first(
    document: str,
) -> None:
    edits = [LineEdit(1, 0, ("N", "M")), LineEdit(4, 0, ("O",))]
    place = document.split().index("typed")
    expected = [Splice(place, 0, ("typed",))]
    assert explained(edits, "a b c d e", "a N M b c d O e", document) == expected


@pytest.mark.parametrize("document", ["a N M b c d typed O e", "a N M b c d O typed e"])
def test_typing_at_the_second_of_two_edits_is_not_recognized(document: str) -> None:
    edits = [LineEdit(1, 0, ("N", "M")), LineEdit(4, 0, ("O",))]
    assert explained(edits, "a b c d e", "a N M b c d O e", document) is None


@pytest.mark.parametrize("document", ["a b c d typed e f N g", "a b typed c d e f N g"])
def test_typing_between_a_deletion_and_an_edit_below_it_is_recognized(document: str) -> None:
    edits = [LineEdit(1, 2), LineEdit(8, 0, ("N",))]
    expected = [Splice(document.split().index("typed"), 0, ("typed",))]
    assert explained(edits, "a x y b c d e f g", "a b c d e f N g", document) == expected


def test_a_line_typed_among_equal_lines_may_touch_an_edit_at_any_distance() -> None:
    edit = LineEdit(4, 0, ("N",))
    assert explained([edit], "a - - - b", "a - - - N b", "a - - - - N b") is None
    edit = LineEdit(3, 0, ("N",))
    assert explained([edit], "a b c", "a b c N", "x b c c N") is None
    edit = LineEdit(1, 0, ("N",))
    assert explained([edit], "a - - - b", "a N - - - b", "a N - - - - b") is None
    assert explained([edit], "a x - - - b", "a N x - - - b", "a N x - - - - b") is not None


@pytest.mark.parametrize(
    ("came", "expected"),
    [
        (("N", "M"), True),
        (("x", "N", "M"), True),
        (("N", "M", "x"), True),
        (("N",), False),
        (("N", "x", "M"), False),
        (("M", "N"), False),
    ],
)
def test_an_edit_is_misplaced_if_all_its_lines_were_inserted_in_order(
    came: tuple[str, ...], expected: bool
) -> None:
    assert is_misplaced([LineEdit(1, 0, ("N", "M"))], Splice(5, 0, came)) is expected
    assert not is_misplaced([LineEdit(1, 0, ("", " "))], Splice(5, 0, ("", " ")))


def test_a_line_of_an_edit_inserted_at_its_place_applies_it_partly() -> None:
    edit = LineEdit(2, 0, ("new = 1", "}"))
    base = ["a", "b", "c", "d"]
    assert is_partly_applied([edit], base, ["a", "b", "new = 1", "x", "c", "d"])
    assert not is_partly_applied([edit], base, ["a", "b", "}", "c", "d"])
    assert not is_partly_applied([edit], base, ["a", "b", "c", "d", "new = 1"])
    assert not is_partly_applied([edit], base, ["new = 1", "a", "b", "c", "d"])


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ([Splice(4, 2, ())], True),
        ([Splice(0, 0, ("x",)), Splice(5, 2, ()), Splice(4, 2, ())], True),
        ([Splice(4, 0, ("x",)), Splice(4, 2, ())], True),
        ([Splice(6, 0, ("x",)), Splice(4, 2, ())], True),
        ([Splice(4, 1, ())], False),
        ([Splice(3, 2, ())], False),
        ([Splice(4, 2, ("x",))], False),
    ],
)
def test_lines_deleted_at_the_earlier_place_of_an_offer_were_deleted_late(
    typed: list[Splice], expected: bool
) -> None:
    sent, now = [LineEdit(4, 2)], [LineEdit(5, 2)]
    assert is_late_deletion(sent, now, typed) is expected


def test_lines_deleted_at_the_current_place_of_an_offer_were_not_deleted_late() -> None:
    assert not is_late_deletion([LineEdit(4, 2)], [LineEdit(4, 2)], [Splice(4, 2, ())])
    moved = [Splice(2, 0, ("x",)), Splice(4, 2, ())]
    assert not is_late_deletion([LineEdit(4, 2)], [LineEdit(3, 2)], moved)
    assert is_late_deletion([LineEdit(4, 2)], [LineEdit(5, 2)], moved)
    at_once = [Splice(4, 0, ("x",)), Splice(4, 2, ())]
    assert not is_late_deletion([LineEdit(4, 2)], [LineEdit(3, 2)], at_once)


async def test_closing_the_document_ends_offers_that_wait() -> None:
    _, channel = opened(polite)
    _, offer = await offered(channel)
    channel.close()
    with pytest.raises(ClientRefused, match="closed"):
        await asyncio.wait_for(offer, 60)


async def test_no_edit_is_sent_to_a_closed_document() -> None:
    editor, channel = opened(polite)
    channel.close()
    with pytest.raises(ClientRefused, match="closed"):
        await apply_new_line(channel, Tracked())
    assert editor.apply_requests == []


async def test_one_batch_is_in_flight_however_often_a_flush_is_requested() -> None:
    n_flying = most = 0
    gate = asyncio.Event()

    async def shows() -> None:
        nonlocal n_flying, most
        n_flying += 1
        most = max(most, n_flying)
        await gate.wait()
        n_flying -= 1

    flush_loop = FlushLoop(shows)
    for _ in range(3):
        flush_loop.flush_soon()
        await asyncio.sleep(0)
    gate.set()
    await asyncio.sleep(0)
    await flush_loop.finish(shows)
    assert (most, n_flying) == (1, 0)


async def test_an_edit_reported_before_its_response_is_committed_once() -> None:
    def shows_and_types(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.echo(apply_request)
        editor.types()
        return ApplyEditResult(applied=True)

    _, channel = opened(shows_and_types)
    owner, other = Tracked(), Tracked()
    channel.add(owner)
    channel.add(other)
    await apply_new_line(channel, owner)
    assert len(owner.committed) == 1
    assert other.followed == [Splice(2, 0, ("NEW",))]
    assert owner.followed == []


async def test_a_batch_without_edits_is_committed_and_not_sent() -> None:
    editor, channel = opened(polite)
    owner = Tracked()
    channel.add(owner)
    assert await channel.apply(owner, lambda: FakeBatch(()), request_for) is None
    assert (editor.apply_requests, owner.committed) == ([], [FakeBatch(())])


async def test_a_replaced_follower_receives_no_changes_and_the_others_stay() -> None:
    editor, channel = opened(polite)
    old, new, other = Tracked(), Tracked(), Tracked()
    channel.add(old)
    channel.add(other)
    channel.replace(old, new)
    editor.types(insert(0, "typed\n"))
    assert (old.followed, len(new.followed), len(other.followed)) == ([], 1, 1)
