"""Parts of an edit's record: its newest answer, what the user decided about it, and the receivers of its events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from twospeed.gate import Finding
from twospeed.text.edits import TextEdit

from .values import PartialSink, Verdict
from .writing.new_imports import NewImports

if TYPE_CHECKING:  # it has these parts
    from .inline_edit import InlineEdit

MAX_PROSE_LINES, MAX_PROSE_CHARS = 5, 500
"""Lines and characters of the model's prose that are kept, for the report and the message about an unchanged edit."""

MAX_REASONING_CHARS = 400
"""Characters of the model's reasoning that are kept, the last ones: progress shows their last whole sentence."""


@dataclass(slots=True)
class AnswerNotes:
    """The newest answer of an edit, apart from its text in the document.

    Attributes:
        refused_lines: The lines that a refused answer has for the scope; empty if none was refused.
        refused_imports: The import lines that it has for the file.
        prose: The model's text outside its code; on the wire, ``message``.
        reasoning: The end of the model's reasoning.
        findings: The findings of the gate.
        imports: What it adds to the import block.
        preview: The edits of a preview, for the document of the request.
        preview_text: The text of the scope in the preview; ``None`` for no preview.
    """

    refused_lines: tuple[str, ...] = ()
    refused_imports: tuple[str, ...] = ()
    prose: str = ""
    reasoning: str = ""
    findings: tuple[Finding, ...] = ()
    imports: NewImports | None = None
    preview: tuple[TextEdit, ...] | None = None
    preview_text: str | None = None

    def add_reasoning(self, text: str) -> None:
        """Record a piece of the model's reasoning."""
        self.reasoning = (self.reasoning + text)[-MAX_REASONING_CHARS:]

    def set_refused(self, lines: Sequence[str], imports: Sequence[str] = ()) -> None:
        """Record the lines and imports of an answer that cannot be applied; empty for none."""
        self.refused_lines, self.refused_imports = tuple(lines), tuple(imports)

    def set_prose(self, lines: Sequence[str]) -> None:
        """Record the first lines of the model's prose, without blank ones."""
        shown = [text for line in lines if (text := line.strip())]
        self.prose = "\n".join(shown[:MAX_PROSE_LINES])[:MAX_PROSE_CHARS]


@dataclass(slots=True)
class Decision:
    """The user's decisions about a finished answer: the offer, if it is not applied at once, and the review.

    Attributes:
        lock: Held while hunks are decided or another variation is applied.
        offered: Set once the answer is a code action that the user may apply.
        is_partial: Whether some hunks are decided, but not all; no other variation may be applied then.
        is_model_reviewing: Whether a model reviews the edit now.
        was_undone_in_review: Whether the user undid the whole edit in review.
        is_draft_decided: Whether nothing of the text is to be decided while the edit waits for a deep answer.
        draft_verdict: The verdict until then, which is that of the edit unless the deep answer is taken.
        verdict: The verdict of the user; ``None`` until then, and if the review ended without one.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    offered: asyncio.Event = field(default_factory=asyncio.Event)
    is_partial: bool = False
    is_model_reviewing: bool = False
    was_undone_in_review: bool = False
    is_draft_decided: bool = False
    draft_verdict: Verdict | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class EditListeners:
    """The receivers of an edit's events.

    Attributes:
        on_change: Called after every change of phase.
        partials: Receives partial results; ``None`` if the client requested none.
        on_deep_change: Called after every change of its deep answer or of the offer.
    """

    on_change: Callable[[InlineEdit], None]
    partials: PartialSink | None
    on_deep_change: Callable[[InlineEdit], None] = lambda _: None
