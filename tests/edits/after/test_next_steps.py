"""The message about the end of an edit, and the next steps after a refused one."""

from __future__ import annotations

from typing import cast

import pytest
from tests.edits.inline_edits import edit_in, opened, replace_lines

from twospeed.edits.after.next_steps import (
    available_steps,
    check_unchanged,
    forced_answer_of,
    next_steps,
    outcome_message,
)
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.model_source import ModelSource
from twospeed.edits.values import Ending, Reason
from twospeed.errors import RequestError
from twospeed.models.base import Limits
from twospeed.routing import LaneEntry, Mode, Route
from twospeed.text.code.scope import Scope

TEXT = "top\na\nb\nend\n"
SCOPE = Scope("selection", None, 1, 3)
ENTRY = LaneEntry("lab", "m", limits=Limits(), is_cloud=True, origin="config")
ROUTE = Route("lightning", ENTRY, "first")
REFUSED = Ending("refused", Reason("syntax", "the answer does not parse"))


def refused() -> InlineEdit:
    edit = edit_in(TEXT, SCOPE)
    edit.ending, edit.answer.refused_lines, edit.place.ended_version = (
        REFUSED,
        ("new",),
        edit.document.version,
    )
    edit.route = ROUTE
    return edit


@pytest.mark.parametrize(
    ("ending", "message", "expected"),
    [
        (None, "", None),
        (Ending("cancelled", Reason("cancelled", "stopped")), "", None),
        (Ending("applied"), "", None),
        (Ending("failed", Reason("internal", "broken")), "", ("error", "⚡ failed: broken")),
        (REFUSED, "", ("warning", "⚡ refused: the answer does not parse")),
        (Ending("unchanged"), "", ("info", "⚡ unchanged: the model returned the lines as they are")),
        (
            Ending("unchanged"),
            "Nothing to do.",
            ("info", "⚡ unchanged: the model returned the lines as they are; its message: Nothing to do."),
        ),
    ],
)
async def test_the_message_names_outcome_and_reason(
    ending: Ending | None, message: str, expected: tuple[str, str] | None
) -> None:
    edit = edit_in(TEXT, SCOPE)
    edit.ending, edit.answer.prose = ending, message
    shown = outcome_message(edit)
    assert (shown and (shown.severity, shown.text)) == expected


async def test_a_refused_answer_can_be_requested_again_shown_and_applied() -> None:
    edit = refused()
    assert next_steps(edit, can_show=True) == ("retry", "show", "apply")
    assert next_steps(edit, can_show=False) == ("retry", "apply")
    edit.answer.refused_lines = ()
    assert next_steps(edit, can_show=True) == ("retry",)
    edit.ending = Ending("refused", Reason("never-send", "the file is never sent"))
    assert next_steps(edit, can_show=True) == ()


async def test_no_step_is_offered_once_the_document_has_changed() -> None:
    edit = refused()
    replace_lines(edit, 0, 1, "other\n")
    assert next_steps(edit, can_show=True) == ()
    with pytest.raises(RequestError, match="the text has changed since that edit ended"):
        forced_answer_of(edit, edit.channel.document)


async def test_an_answer_is_forced_only_over_the_lines_it_was_written_for() -> None:
    forced = forced_answer_of(refused(), opened(TEXT))
    assert (forced.lines, forced.old, forced.route) == (("new",), ("a\n", "b\n"), ROUTE)
    edit = refused()
    replace_lines(edit, 1, 2, "typed\n")
    edit.place.ended_version = edit.channel.document.version
    assert next_steps(edit, can_show=True) == ("retry", "show")
    with pytest.raises(RequestError, match="does not contain what you typed"):
        forced_answer_of(edit, edit.channel.document)


async def test_an_edit_without_a_refused_answer_cannot_be_forced() -> None:
    with pytest.raises(RequestError, match="no refused answer"):
        forced_answer_of(edit_in(TEXT, SCOPE), opened(TEXT))


async def test_an_edit_that_has_not_ended_can_be_repeated() -> None:
    check_unchanged(edit_in(TEXT, SCOPE), opened(TEXT))


@pytest.mark.parametrize(("provider", "steps"), [("lab", ("retry", "show")), ("builtin", ("show",))])
async def test_a_retry_is_offered_only_if_a_model_serves_deep_mode(
    provider: str, steps: tuple[str, ...]
) -> None:
    class Source:
        async def serving(self, mode: Mode) -> LaneEntry:
            assert mode == "deep"
            return LaneEntry(provider, "m", limits=Limits(), is_cloud=False, origin="config")

    assert await available_steps(("retry", "show"), cast("ModelSource", Source())) == steps
