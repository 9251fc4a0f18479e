"""What an edit knows of its answer, and what the user has decided about it. `InlineEdit` alone assigns these."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from twospeed.gate import Finding
from twospeed.text.edits import TextEdit

from .values import Verdict


@dataclass(slots=True)
class AnswerNotes:
    """The newest answer of an edit, apart from its text in the document.

    Attributes:
        refused_lines: The scope's lines of an answer that cannot be applied; empty for none.
        message: The prose of the model beside its code.
        thought: The end of the model's reasoning.
        findings: The findings of the gate.
        preview: The edits of a preview, in the document of the request.
        preview_text: The scope's text with a preview.
    """

    refused_lines: tuple[str, ...] = ()
    message: str = ""
    thought: str = ""
    findings: tuple[Finding, ...] = ()
    preview: tuple[TextEdit, ...] | None = None
    preview_text: str = ""


@dataclass(slots=True)
class Decision:
    """What the user decides about an answer.

    Attributes:
        lock: Held while hunks are decided or another variation is applied.
        is_offered: Set once the answer is a code action that the user may apply.
        is_partial: Whether some hunks are decided: no other variation may be applied then.
        is_model_reviewed: Whether a model reviews the edit now.
        was_undone: Whether the user undid the whole edit in review.
        verdict: The verdict; ``None`` until there is one.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_offered: asyncio.Event = field(default_factory=asyncio.Event)
    is_partial: bool = False
    is_model_reviewed: bool = False
    was_undone: bool = False
    verdict: Verdict | None = None
