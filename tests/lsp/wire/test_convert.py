"""Values of the server are converted to wire messages and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from lsprotocol import types
from pydantic import ValidationError
from tests.scenarios.editor import place_range

from twospeed.edits.values import (
    PlacedClash,
    PlacedFinding,
    PlacedHunk,
    PlacedImports,
    PlacedScope,
    Reason,
    Report,
)
from twospeed.errors import InvalidRequest
from twospeed.gate import Finding
from twospeed.lsp.wire.convert import (
    content_changes_from,
    lsp_range,
    plain_edits,
    result_to,
    selection_from,
    text_edits_to,
)
from twospeed.text.document import ContentChange, Document
from twospeed.text.edits import TextEdit
from twospeed.text.positions import Position, Range
from twospeed_protocol import messages as wire

URI = "file:///a.py"
DOCUMENT = Document.opened(URI, 3, "python", "one\ntwo\n\U0001f600three\n", "utf-16")


def at(line: int, start: int, end: int) -> Range:
    return Range(Position(line, start), Position(line, end))


REPORT = Report(
    edit_id="e1",
    outcome="conflict",
    reason=Reason("client-refused", "you typed there"),
    mode="deep",
    provider="p",
    model="m",
    route="mode",
    version=3,
    scope=PlacedScope("function", "f", at(1, 2, 3)),
    new_text="new",
    answer="refused",
    message="Note this.",
    preview=(TextEdit(at(4, 5, 6), "text"),),
    hunks=(PlacedHunk("h1", at(7, 8, 9), "gone"),),
    imports=PlacedImports(at(16, 17, 18), (PlacedHunk("i1", at(16, 17, 18), ""),)),
    clashes=(PlacedClash(at(10, 11, 12), "proposed"),),
    findings=(PlacedFinding(Finding("dropped-definition", 2, "what", 13, 13), at(13, 14, 15)),),
)


def wire_range(first: tuple[int, int], last: tuple[int, int]) -> wire.Range:
    return wire.Range.model_validate(place_range(*first, *last))


@pytest.mark.parametrize(
    ("first", "last", "selection"),
    [
        ((0, 1), (1, 2), ((0, 1), (1, 2))),
        ((1, 2), (0, 1), ((0, 1), (1, 2))),
        ((2, 2), (2, 4), ((2, 1), (2, 3))),
        ((3, 0), (3, 0), ((3, 0), (3, 0))),
        ((0, 99), (0, 99), ((0, 3), (0, 3))),
        ((3, 0), (4, 0), ((3, 0), (3, 0))),
        ((4, 0), (4, 0), "range.start.line: the document has 4 lines"),
        ((0, 0), (5, 0), "range.end.line: the document has 4 lines"),
    ],
)
def test_a_range_is_two_places_in_the_document(first: Any, last: Any, selection: Any) -> None:
    if isinstance(selection, str):
        with pytest.raises(InvalidRequest) as caught:
            selection_from(DOCUMENT, wire_range(first, last))
        assert f"{caught.value.field}: {caught.value}" == selection
    else:
        assert selection_from(DOCUMENT, wire_range(first, last)) == selection


def test_edits_convert_equally_to_plain_json_and_models() -> None:
    edits = (TextEdit(Range(Position(1, 2), Position(3, 4)), "new"),)
    plain = [{"range": place_range(1, 2, 3, 4), "newText": "new"}]
    assert plain_edits(edits) == plain
    assert [each.model_dump(by_alias=True) for each in text_edits_to(edits)] == plain
    assert lsp_range(edits[0].range) == types.Range(types.Position(1, 2), types.Position(3, 4))


def test_incremental_and_full_changes_are_converted() -> None:
    where = types.Range(types.Position(1, 2), types.Position(3, 4))
    changes = [
        types.TextDocumentContentChangePartial(where, "part"),
        types.TextDocumentContentChangeWholeDocument("whole"),
    ]
    assert content_changes_from(changes) == [
        ContentChange(Range(Position(1, 2), Position(3, 4)), "part"),
        ContentChange(None, "whole"),
    ]


def test_a_report_is_converted_whole() -> None:
    told: dict[str, Any] = result_to(REPORT, uri=URI).to_json()
    stats = told.pop("stats")
    assert set(stats.values()) <= {None, 0}
    assert told == {
        "editId": "e1",
        "outcome": "conflict",
        "reason": {"code": "client-refused", "message": "you typed there"},
        "mode": "deep",
        "provider": "p",
        "model": "m",
        "route": "mode",
        "version": 3,
        "scope": {"kind": "function", "name": "f", "range": place_range(1, 2, 1, 3)},
        "newText": "new",
        "answer": {"text": "refused", "imports": [], "message": "Note this."},
        "message": "Note this.",
        "edit": {
            "documentChanges": [
                {
                    "textDocument": {"uri": URI, "version": 3},
                    "edits": [{"range": place_range(4, 5, 4, 6), "newText": "text"}],
                }
            ]
        },
        "places": None,
        "deep": None,
        "offer": None,
        "hunks": [{"id": "h1", "range": place_range(7, 8, 7, 9), "removed": "gone"}],
        "alsoChanged": [
            {
                "kind": "imports",
                "range": place_range(16, 17, 16, 18),
                "hunks": [{"id": "i1", "range": place_range(16, 17, 16, 18), "removed": ""}],
            }
        ],
        "conflicts": [{"range": place_range(10, 11, 10, 12), "proposed": "proposed"}],
        "findings": [
            {
                "code": "dropped-definition",
                "severity": 2,
                "message": "what",
                "range": place_range(13, 14, 13, 15),
            }
        ],
    }


def test_a_reason_is_of_the_contracts_list() -> None:
    with pytest.raises(ValidationError):
        result_to(replace(REPORT, reason=Reason("weather", "it rains")), uri=URI)


def test_a_preview_of_nothing_is_an_edit_without_changes_and_none_is_no_edit() -> None:
    empty = result_to(replace(REPORT, preview=()), uri=URI).to_json()
    assert empty["edit"] == {"documentChanges": [{"textDocument": {"uri": URI, "version": 3}, "edits": []}]}
    bare = result_to(replace(REPORT, preview=None, scope=None, reason=None), uri=URI).to_json()
    assert (bare["edit"], bare["scope"], bare["reason"]) == (None, None, None)
