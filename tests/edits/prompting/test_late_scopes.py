"""An edit with an approximate scope gets the exact one once its document is parsed, unless the edit has ended."""

from __future__ import annotations

from typing import Any, cast

import pytest

from twospeed import syntax
from twospeed.delivery import DocumentChannel
from twospeed.delivery.client_table import OURS, UNKNOWN, ClientBehavior
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.prompting.scope_resolution import TypingRecord, approximate_scope, resolve_when_parsed
from twospeed.edits.values import EditRequest
from twospeed.errors import InvalidRequest
from twospeed.stream.ops import Insert, Op
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document, Splice

CODE = "import math\n\n\ndef area(r):\n    a = 1\n\n    return a\n\n\nx = 1\n"
FUNCTION = (3, 7)


def edit_of(choice: str = "auto", behavior: ClientBehavior = UNKNOWN) -> InlineEdit:
    document = Document.opened("file:///a.py", 1, "python", CODE, "utf-16")
    request = EditRequest(document, ((4, 0), (4, 0)), "", "lightning", choice=cast("Any", choice))
    channel = DocumentChannel(document, cast("Any", None), behavior=behavior)
    return InlineEdit(
        "1", request, channel, approximate_scope(request), partials=None, on_change=lambda _edit: None
    )


def lines_of(scope: Scope) -> tuple[int, int]:
    return scope.start, scope.end


def parse_as(outcome: bool | Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the wait for the tree of a document end with this result."""

    async def wait(*_: object) -> bool:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(syntax, "wait_for_tree", wait)


async def placed(edit: InlineEdit) -> InlineEdit:
    typed = TypingRecord()
    edit.channel.add(typed)
    await resolve_when_parsed(edit, typed)
    return edit


async def test_a_late_tree_gives_the_edit_its_exact_scope() -> None:
    edit = edit_of()
    rough = lines_of(edit.scope)
    assert rough != FUNCTION
    assert lines_of((await placed(edit)).scope) == FUNCTION


@pytest.mark.parametrize(("behavior", "is_undo"), [(OURS, False), (UNKNOWN, True)])
async def test_a_late_scope_treats_all_batches_of_our_client_as_one_undo_step(
    behavior: ClientBehavior, is_undo: bool
) -> None:
    live = (await placed(edit_of(behavior=behavior))).live

    def write(op: Op) -> None:
        live.receive_ops([op])
        batch = live.next_batch()
        assert batch
        live.commit(batch)

    write(Insert("    first()"))
    write(Insert("    second()"))
    live.follow(Splice(live.start + 1, 1, ()))  # an undo of our client would also remove the first line
    assert live.was_undone == is_undo


async def test_a_document_that_cannot_be_parsed_keeps_the_approximate_scope(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parse_as(RuntimeError("a bug in a grammar"), monkeypatch)
    edit = edit_of()
    rough, live = edit.scope, edit.live
    assert ((await placed(edit)).scope, edit.live) == (rough, live)


async def test_a_finished_edit_keeps_its_scope() -> None:
    edit = edit_of()
    rough, live = edit.scope, edit.live
    edit.finished.cancel()
    assert ((await placed(edit)).scope, edit.live) == (rough, live)


async def test_without_a_tree_in_time_the_approximate_scope_is_edited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parse_as(False, monkeypatch)
    edit = edit_of()
    rough, live = edit.scope, edit.live
    assert ((await placed(edit)).scope, edit.live) == (rough, live)


@pytest.mark.parametrize("choice", ["function", "class", "block"])
async def test_without_a_tree_in_time_a_function_scope_is_refused(
    choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse_as(False, monkeypatch)
    with pytest.raises(InvalidRequest, match=f"no {choice} can be found yet"):
        await placed(edit_of(choice))
