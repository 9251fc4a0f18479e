"""An offered edit that the user applies is recognized or reported, with other changes in the document."""

from __future__ import annotations

import asyncio

import pytest
from tests.delivery.fakes import Editor, FakeBatch, Tracked, apply_new_line, insert, opened, polite

from twospeed.delivery import ApplyEditRequest, ApplyEditResult, DocumentChannel
from twospeed.delivery.client_table import KATE, UNKNOWN, ClientBehavior
from twospeed.errors import EditUnconfirmed
from twospeed.text.document import ContentChange, Splice
from twospeed.text.edits import LineEdit
from twospeed.text.positions import Position, Range

LIMIT_S = 20.0
CHANGED = ("THREE", "MORE", "FOUR")
TAKEN = "one\ntwo\nTHREE\nMORE\nFOUR\n"


def replace_lines(first: int, last: int, text: str) -> ContentChange:
    return ContentChange(Range(Position(first, 0), Position(last, 0)), text)


async def offered(
    channel: DocumentChannel, count: int = 2, lines: tuple[str, ...] = CHANGED, *, at: int = 2
) -> tuple[Tracked, asyncio.Task[None]]:
    """Offer other lines in the place of so many from ``at`` on, wherever they have moved to."""
    owner = Tracked(line=at)
    channel.add(owner)

    def build() -> FakeBatch:
        return FakeBatch((LineEdit(owner.line, count, lines),))

    offer = asyncio.create_task(channel.offer(owner, build))
    await asyncio.sleep(0)
    return owner, offer


async def shown(channel: DocumentChannel) -> Tracked:
    """Apply another edit at the top of the document."""
    other = Tracked()
    channel.add(other)
    await apply_new_line(channel, other, line=0)
    return other


async def test_an_offer_applied_during_a_pending_edit_is_recognized() -> None:
    def takes_both(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.echo(apply_request, replace_lines(3, 5, "THREE\nMORE\nFOUR\n"))
        return ApplyEditResult(applied=True)

    _, channel = opened(takes_both)
    owner, offer = await offered(channel)
    other = await shown(channel)
    await asyncio.wait_for(offer, LIMIT_S)
    assert channel.document.text == "NEW\n" + TAKEN
    assert len(owner.committed) == 1
    assert other.followed == [Splice(3, 2, CHANGED)]


async def test_an_offer_applied_while_another_edit_is_refused_is_recognized() -> None:
    def takes_offer_first(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        if len(editor.apply_requests) == 1:
            editor.types(replace_lines(2, 4, "THREE\nMORE\nFOUR\n"))
        return polite(editor, apply_request)

    _, channel = opened(takes_offer_first)
    owner, offer = await offered(channel)
    await shown(channel)
    await asyncio.wait_for(offer, LIMIT_S)
    assert channel.document.text == "NEW\n" + TAKEN
    assert len(owner.committed) == 1


async def test_an_offer_misplaced_during_a_pending_edit_is_reported() -> None:
    def misplaces_offer(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        editor.echo(apply_request, replace_lines(1, 3, "THREE\nMORE\nFOUR\n"))
        return ApplyEditResult(applied=True)

    _, channel = opened(misplaces_offer)
    owner, offer = await offered(channel)
    await shown(channel)
    with pytest.raises(EditUnconfirmed):
        await asyncio.wait_for(offer, LIMIT_S)
    assert owner.committed == []


async def test_an_offer_with_earlier_typing_inside_is_not_offered_again() -> None:
    editor, channel = opened(polite)
    owner, offer = await offered(channel)
    editor.types(ContentChange(None, "one\ntwo\nTHREE\ntyped\nMORE\nFOUR # typed\n"))
    with pytest.raises(EditUnconfirmed):
        await asyncio.wait_for(offer, LIMIT_S)
    assert channel.offered(owner) == []


async def test_an_offer_with_typing_inside_and_above_is_not_offered_again() -> None:
    editor, channel = opened(polite)
    _, offer = await offered(channel, 0, ("NEW", "MORE"))
    editor.types(ContentChange(None, "one\ntyped\ntwo\nNEWtyped\nMORE\nthree\nfour\n"))
    with pytest.raises(EditUnconfirmed):
        await asyncio.wait_for(offer, LIMIT_S)


async def test_an_offer_cancelled_when_it_was_typed_in_is_reported() -> None:
    editor, channel = opened(polite)
    owner, offer = await offered(channel)
    editor.types(ContentChange(None, "one\ntwo\nTHREE\ntyped\nMORE\nFOUR # typed\n"))
    offer.cancel()
    with pytest.raises(EditUnconfirmed):
        await asyncio.wait_for(offer, LIMIT_S)
    assert owner.committed == []


async def test_an_offer_remains_if_its_line_was_changed_otherwise() -> None:
    editor, channel = opened(polite)
    _, offer = await offered(channel, 1, ("threes",))
    editor.types(ContentChange(None, "one\ntwo\nthrice\nfour\n"))
    assert not offer.done()
    offer.cancel()


async def test_an_offer_applied_with_typing_above_and_below_is_recognized() -> None:
    editor, channel = opened(polite)
    editor.types(ContentChange(None, "top\none\ntwo\nthree\nfour\nsix\nseven\n"))
    owner, offer = await offered(channel, at=3)
    editor.types(ContentChange(None, "# top\none\ntwo\nTHREE\nMORE\nFOUR\nsix\nseven # typed\n"))
    await asyncio.wait_for(offer, LIMIT_S)
    assert owner.followed == [Splice(0, 1, ("# top\n",)), Splice(7, 1, ("seven # typed\n",))]


async def test_typing_near_an_offer_is_not_mistaken_for_it() -> None:
    editor, channel = opened(polite)
    owner, offer = await offered(channel)
    editor.types(insert(2, "typed\n"))
    editor.types(ContentChange(None, "one\ntwo\ntyped\nthree # typed\nfour\n"))
    assert not offer.done()
    assert owner.committed == []
    offer.cancel()


async def test_an_offer_consists_of_whole_lines() -> None:
    _, channel = opened(polite)
    owner, offer = await offered(channel, 1, ("threes",))
    (edit,) = channel.offered(owner)
    assert (edit.range, edit.new_text) == (Range(Position(2, 0), Position(3, 0)), "threes\n")
    offer.cancel()


@pytest.mark.parametrize(("behavior", "is_offered"), [(UNKNOWN, True), (KATE, False)])
async def test_no_offer_is_returned_while_its_place_is_in_an_older_document(
    behavior: ClientBehavior, is_offered: bool
) -> None:
    # A client that checks no versions would apply the offer to the text with the batch: simulated session 5016966.
    seen: list[object] = []

    def types_first(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
        seen.append(channel.offered(owner))
        if len(editor.apply_requests) == 1:
            editor.types(insert(0, "typed\n"))
            seen.append(channel.offered(owner))
        return polite(editor, apply_request)

    _, channel = opened(types_first, behavior=behavior)
    owner, offer = await offered(channel)
    other = Tracked()
    channel.add(other)
    await apply_new_line(channel, other, line=1)
    assert [bool(edits) for edits in seen] == [is_offered, False, is_offered]
    offer.cancel()


async def test_an_applied_offer_is_not_mistaken_for_a_withdrawn_one_that_equals_a_part_of_it() -> None:
    # Simulated session 7012202: the rest of the offer was taken for typing, and offered again.
    editor, channel = opened(polite)
    cancelled = Tracked(line=1)
    channel.add(cancelled)
    withdrawn = channel.watch_withdrawn_offer(cancelled, lambda: FakeBatch((LineEdit(cancelled.line, 1),)))
    owner = Tracked(line=1)
    channel.add(owner)
    edits = (LineEdit(1, 1), LineEdit(3, 1, ("FOUR",)))
    offer = asyncio.create_task(channel.offer(owner, lambda: FakeBatch(edits)))
    await asyncio.sleep(0)
    editor.types(replace_lines(3, 4, "FOUR\n"), replace_lines(1, 2, ""))
    await asyncio.wait_for(offer, LIMIT_S)
    assert len(owner.committed) == 1
    assert not withdrawn.done()
    withdrawn.cancel()


async def test_an_offer_whose_lines_were_deleted_ends_and_hides_no_other() -> None:
    editor, channel = opened(polite)
    gone = Tracked()
    channel.add(gone)
    nothing = asyncio.create_task(channel.offer(gone, lambda: FakeBatch(())))
    owner, offer = await offered(channel)
    editor.types(ContentChange(None, TAKEN))
    await asyncio.wait_for(asyncio.gather(nothing, offer), 60)
    assert gone.committed == []
    assert len(owner.committed) == 1


async def test_lines_deleted_at_the_earlier_place_of_an_offer_are_reported() -> None:
    editor, channel = opened(polite)
    owner, offer = await offered(channel, 1, ())
    assert channel.offered(owner)
    editor.types(insert(0, "typed\n"), replace_lines(2, 3, ""))
    with pytest.raises(EditUnconfirmed):
        await asyncio.wait_for(offer, LIMIT_S)


async def test_lines_deleted_elsewhere_are_typing() -> None:
    editor, channel = opened(polite)
    owner, offer = await offered(channel, 1, ())
    assert channel.offered(owner)
    editor.types(replace_lines(0, 1, ""))
    assert not offer.done()
    offer.cancel()
