"""Convert values of the protocol to values of `text`, and name their icons.

Only `session` imports `twospeed_protocol.messages` at run time; other modules only name its types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from twospeed.text.edits import TextEdit
from twospeed.text.positions import Position, Range

if TYPE_CHECKING:
    from twospeed_protocol import messages

ICONS = {"lightning": "⚡", "deep": "🧠"}


def range_from(wire: messages.Range) -> Range:
    """Convert an LSP range to a `Range`."""
    return Range(Position(wire.start.line, wire.start.character), Position(wire.end.line, wire.end.character))


def range_to(range_: Range) -> dict[str, dict[str, int]]:
    """Convert a `Range` to an LSP range."""
    return {
        "start": {"line": range_.start.line, "character": range_.start.character},
        "end": {"line": range_.end.line, "character": range_.end.character},
    }


def text_edits_from(wire: Sequence[messages.TextEdit]) -> list[TextEdit]:
    """Convert LSP text edits."""
    return [TextEdit(range_from(edit.range), edit.new_text) for edit in wire]
