"""The scope of a request, with and without an instruction comment or a tree, within the limits."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.edits.inline_edits import edit_in, opened, replace_lines

from twospeed import syntax
from twospeed.edits.after.next_steps import retry_request, with_instructions_of
from twospeed.edits.prompting import scope_resolution
from twospeed.edits.prompting.scope_resolution import (
    TypingRecord,
    approximate_scope,
    must_wait_for_tree,
    refuse_too_large,
    resolve_scope,
    resolve_when_parsed,
)
from twospeed.edits.values import EditRequest, PreviousEdit
from twospeed.errors import LimitReached
from twospeed.text.code.scope import Scope

CODE = """\
import math


def area(r):
    # ai: use pi
    x = 3 * r

    return x


class A:
    x = 1
"""


def request(text: str = CODE, line: int = 0, *, language_id: str = "python", **more: Any) -> EditRequest:
    place = (line, 0)
    document = opened(text, language_id=language_id)
    return EditRequest(document, (place, place), "use pi", "lightning", **more)


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (CODE, 4, (3, 8)),  # in a function
        ("# ai: use pi\nx = 1\ny = 2\n\nz = 3\n", 0, (0, 3)),  # above a block
        ("x = 1\ny = 2\n# ai: use pi\n\nz = 3\n", 2, (0, 3)),  # at the end of a block
        ("x = 1\n# ai: use pi\ny = 2\n", 1, (0, 3)),
        ("def f():\n    x = 1\n    # ai: use pi\ny = 2\n", 2, (0, 3)),  # the next line is less deep
        ("x = 1\n# ai: use pi", 1, (0, 2)),
        ("# ai: use pi\n", 0, (0, 1)),
        ("# ai: use pi\n\nx = 1\n", 0, (0, 1)),
        ("\n# ai: use pi\n\ndef f():\n    return 1\n", 1, (0, 2)),
        ("# ai: use pi\ndef f():\n    return 1\n", 0, (0, 3)),
        ("x = 1\n\ny = 2\n# ai: use pi\n\nz = 3\n", 3, (2, 4)),  # below a block of one line
        ("def f():\n    return 1\n\n# ai: use pi\ny = 2\n", 3, (3, 5)),  # a line as deep is below it
        ("def f():\n    return 1\n# ai: use pi\n", 2, (0, 3)),
    ],
)
def test_a_scope_contains_the_instruction_comment_and_the_scope_without_it(
    text: str, line: int, expected: tuple[int, int]
) -> None:
    scope = resolve_scope(request(text, line, comment_line=line))
    assert (scope.start, scope.end) == expected


def test_a_scope_of_one_line_above_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope_resolution, "MAX_SCOPE_LINES", 3)
    text = "x = 1\n" * 9
    for n_lines in (2, 3):
        chosen = request(text, choice="selection")
        chosen = EditRequest(chosen.document, ((0, 0), (n_lines, 0)), "", "lightning", choice="selection")
        assert resolve_scope(chosen).end == n_lines
    chosen = EditRequest(chosen.document, ((0, 0), (4, 0)), "", "lightning", choice="selection")
    with pytest.raises(LimitReached, match="the scope has more than 3 lines"):
        resolve_scope(chosen)


def test_a_document_of_one_byte_or_character_above_the_limits_is_refused() -> None:
    def sized(n_bytes: int, longest: int) -> Any:
        return SimpleNamespace(lines=SimpleNamespace(n_bytes=n_bytes, longest=longest))

    n_bytes, longest = scope_resolution.MAX_DOCUMENT_BYTES, scope_resolution.MAX_LINE_LENGTH
    refuse_too_large(sized(n_bytes, longest))
    with pytest.raises(LimitReached) as too_large:
        refuse_too_large(sized(n_bytes + 1, longest))
    assert str(too_large.value) == "the document is not edited: it is larger than 8 MiB"
    with pytest.raises(LimitReached) as too_long:
        refuse_too_large(sized(n_bytes, longest + 1))
    assert str(too_long.value) == "the document is not edited: it has a line of more than 100,000 characters"


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("auto", (3, 6)), ("function", (3, 6)), ("class", (3, 6)), ("block", (3, 6)), ("file", (0, 12))],
)
def test_without_a_tree_the_approximate_scope_is_the_block_around_the_cursor(
    choice: Any, expected: tuple[int, int]
) -> None:
    scope = approximate_scope(request(line=5, choice=choice))
    assert (scope.start, scope.end) == expected


def test_a_scope_needs_a_tree_that_is_not_parsed_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def is_tree_ready(*document: object) -> bool:
        asked.append(document)
        return len(asked) == 1

    monkeypatch.setattr(syntax, "is_tree_ready", is_tree_ready)
    one = request()
    assert [must_wait_for_tree(one), must_wait_for_tree(one)] == [False, True]
    assert asked == [("python", one.document.lines)] * 2


@pytest.mark.parametrize("style", ["atomic", "preview"])
async def test_a_scope_found_late_is_moved_by_the_typing_meanwhile(style: str) -> None:
    edit = edit_in(CODE, Scope("block", None, 4, 6), style=style)
    typed = TypingRecord()
    edit.channel.add(typed)
    rough = edit.live
    replace_lines(edit, 0, 0, "typed\n")
    assert len(typed.splices) == 1
    await resolve_when_parsed(edit, typed)
    assert (edit.scope.kind, edit.scope.start, edit.scope.end) == ("function", 3, 8)
    assert edit.live is not rough
    assert (edit.live.start, edit.live.end) == (4, 9)
    replace_lines(edit, 0, 0, "typed\n")
    if style == "preview":  # the channel does not follow its lines
        assert (edit.live.start, len(typed.splices), rough.start) == (4, 2, 6)
    else:
        assert (edit.live.start, len(typed.splices), rough.start) == (5, 1, 5)


async def test_a_scope_found_after_the_end_of_the_edit_is_ignored() -> None:
    edit = edit_in(CODE, Scope("block", None, 4, 6))
    edit.finished.cancel()
    rough = edit.live
    await resolve_when_parsed(edit, TypingRecord())
    assert edit.live is rough
    await asyncio.sleep(0)


# Repeated requests


def test_a_repeated_edit_contains_all_instructions() -> None:
    old = request(earlier=("first", "second"), follows=PreviousEdit("x"), diagnostics=("bad",))
    old = replace(old, instruction="use tau")
    edit = cast("Any", SimpleNamespace(request=old, scope=Scope("function", "area", 3, 8)))
    new = with_instructions_of(edit, request(line=9, draft="kept"))
    assert (new.instruction, new.earlier, new.draft) == ("use tau", ("first", "second"), "kept")
    assert (new.follows, new.diagnostics, new.selection) == (None, (), ((9, 0), (9, 0)))


@pytest.mark.parametrize(
    ("kind", "choice", "comment_line", "expected"),
    [
        ("function", "auto", None, ("auto", (5, 5), None)),
        ("function", "function", None, ("function", (5, 5), None)),
        ("class", "class", None, ("class", (5, 5), None)),
        ("insertion", "block", None, ("auto", (5, 5), None)),
        ("selection", "auto", None, ("selection", (5, 8), None)),
        ("block", "block", None, ("selection", (5, 8), None)),
        ("file", "file", None, ("selection", (5, 8), None)),
        ("block", "block", 4, ("block", (6, 6), 6)),
        ("function", "auto", 4, ("auto", (6, 6), 6)),
    ],
)
def test_a_retry_selects_the_lines_where_the_scope_is_now(
    kind: Any, choice: Any, comment_line: int | None, expected: tuple[str, tuple[int, int], int | None]
) -> None:
    old = request(choice=choice, comment_line=comment_line, follows=PreviousEdit("x"), diagnostics=("bad",))
    edit = cast("Any", SimpleNamespace(request=old, scope=Scope(kind, None, 3, 6)))
    new = retry_request(edit, request("\n\n" + CODE), 5, 8)
    assert [column for _, column in new.selection] == [0, 0]
    (first, _), (last, _) = new.selection
    assert (new.choice, (first, last), new.comment_line) == expected
    assert (new.follows, new.diagnostics, new.instruction) == (PreviousEdit("x"), ("bad",), "use pi")
