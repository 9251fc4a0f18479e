"""Merge an answer that contains only some definitions of its scope: each replaces its old version.

Each definition is read and validated as the answer for its old lines (`syntax.place_parts`). The merged lines are read
once more as the answer for the whole scope.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from twospeed import syntax
from twospeed.aio import in_thread
from twospeed.edits.prompting.prompt_context import PromptContext
from twospeed.edits.values import Ending, Reason
from twospeed.gate import GateSettings
from twospeed.prompt.answer_form import answer_fence_for
from twospeed.secrets.placeholders import Placeholders
from twospeed.stream import EditStream
from twospeed.syntax import PlacedPart
from twospeed.text.code.scope import Scope
from twospeed.text.lines import bodies_of

from .answer_reading import AnswerReading
from .validation import ReadAnswer, validate

MAX_LINES = 20_000
"""Longest document, in lines, for which an answer is merged."""

_CODES_OF_PARTIAL_ANSWERS = frozenset(
    {"ambiguous", "elided", "extent", "indentation", "not-code", "partial", "secret", "syntax"}
)
"""Codes of the refusals of an answer that may be a part of its scope."""

_READ_ON_AFTER = frozenset({"ambiguous", "extent", "indentation"})
"""Codes of such refusals while the answer still streams. It is read on, because the rest is needed to merge it."""

_LOSSES = frozenset({"name-gone", "dropped-definition", "emptied-body", "lines-gone", "repeated-code"})
"""Codes of findings that make it uncertain whether a definition is a new version of the old one."""


@dataclass(frozen=True, slots=True)
class MergedAnswer:
    """An answer for a whole scope: its old lines with some definitions replaced.

    Attributes:
        old: The scope's lines that it replaces.
        lines: The scope's new lines, without line ends.
        parts: The replaced definitions, such as ``function "total"``.
        dropped: How often each invisible Unicode character was removed from the answer.
        imports: The import lines that the answer brings for the file.
    """

    old: tuple[str, ...]
    lines: tuple[str, ...]
    parts: tuple[str, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    imports: Sequence[str] = ()


def closes_its_blocks(language_id: str) -> bool:
    """Return whether a language closes each block with a token, so that cut-off code does not parse."""
    profile = syntax.profile_for(language_id)
    return profile is not None and not profile.is_indented


def refusal_in(reading: AnswerReading) -> Ending | None:
    """Return the refusal of the answer so far; ``None`` if there is none yet."""
    refusal = reading.refusal
    return Ending("refused", Reason(refusal.code, refusal.message)) if refusal else None


def may_be_part(ending: Ending) -> bool:
    """Return whether a refused answer may be a part of its scope."""
    return ending.reason is not None and ending.reason.code in _CODES_OF_PARTIAL_ANSWERS


def must_be_read_on(ending: Ending) -> bool:
    """Return whether a refused answer that still streams is read to its end: it may be a part of the scope."""
    return ending.reason is not None and ending.reason.code in _READ_ON_AFTER


async def merged_answer_of(
    reading: AnswerReading, ending: Ending, context: PromptContext, placeholders: Placeholders | None
) -> MergedAnswer | None:
    """Merge a refused answer that was read to its end; ``None`` unless the place of each definition is certain."""
    if not may_be_part(ending):
        return None
    code = reading.whole_code(complete_if_it_parses=closes_its_blocks(context.request.document.language_id))
    merged = await merge_into_scope(context, code, placeholders)
    return replace(merged, dropped=reading.dropped, imports=reading.imports) if merged else None


async def merge_into_scope(
    context: PromptContext, code: Sequence[str], placeholders: Placeholders | None
) -> MergedAnswer | None:
    """Replace the old versions of the definitions of a refused answer.

    Args:
        context: The content of the prompt.
        code: The answer's code; empty if it may be cut off.
        placeholders: The placeholders of the request; ``None`` if it hid no secrets.

    Returns:
        The merged answer; ``None`` if a place is not certain, the answer may be cut off, or nothing would change.
    """
    document, scope = context.request.document, context.scope
    # A function contains no definitions that are replaced one by one, and an insertion has no old lines.
    if not code or scope.kind in ("function", "insertion") or len(document.lines) > MAX_LINES:
        return None
    parts = await in_thread(lambda: syntax.place_parts(document.lines, document.language_id, scope, code))
    at, lines = scope.start, list[str]()
    old = bodies_of(document.lines)
    for part in parts:
        new = await _new_lines_of(context, part)
        if new is None or part.start < at:  # the old versions overlap
            return None
        lines += [*_old_lines_between(context, old, at, part.start), *new]
        at = part.end
    lines += _old_lines_between(context, old, at, scope.end)
    if not parts or lines == list(old[scope.start : scope.end]):
        return None
    if not await in_thread(lambda: _is_unchanged_by_reading(context, lines, placeholders)):
        return None
    return MergedAnswer(
        context.old_lines, tuple(lines), tuple(f'{part.kind} "{part.name}"' for part in parts)
    )


def _old_lines_between(context: PromptContext, old: Sequence[str], start: int, end: int) -> list[str]:
    comment = context.request.comment_line  # the edit consumes it
    return [line for row, line in enumerate(old[start:end], start) if row != comment]


async def _new_lines_of(context: PromptContext, part: PlacedPart) -> Sequence[str] | None:
    """Return the lines of one definition; ``None`` if it is not a certain new version.

    It is certain if an answer of these lines for the old version is accepted and loses no code.
    """
    request = context.request
    comment = request.comment_line
    if comment is not None and not part.start <= comment < part.end:
        request = replace(request, comment_line=None)
    scope = Scope("class" if part.kind == "class" else "function", part.name, part.start, part.end)
    smaller = PromptContext.about(request, scope, context.delimiters)
    # The lines have their secrets again. Placeholders are of the whole scope, so the other secrets would count as omitted.
    stream = await in_thread(lambda: _read_as_answer(smaller, part.lines, None))
    lines = tuple(stream.answer)
    # Reading may repair the indentation or remove repeated context; then the lines were not exactly the definition.
    if stream.refusal or lines != part.lines:
        return None
    # Invisible characters were removed before, so `{}`. The default settings have every check of `_LOSSES` switched on;
    # the user's settings are for the merged answer.
    result = await validate(request, scope, ReadAnswer(lines), GateSettings())
    if result.refusal or any(finding.code in _LOSSES for finding in result.findings):
        return None
    return lines


def _is_unchanged_by_reading(
    context: PromptContext, lines: Sequence[str], placeholders: Placeholders | None
) -> bool:
    stream = _read_as_answer(context, lines, placeholders)  # refuses if a secret of the scope is missing
    return stream.refusal is None and list(stream.answer) == list(lines)


def _read_as_answer(
    context: PromptContext, lines: Sequence[str], placeholders: Placeholders | None
) -> EditStream:
    """Read lines as one fenced block, as a model writes it."""
    stream = context.stream(placeholders)
    language_id = context.request.document.language_id
    fence = answer_fence_for("\n".join((*lines, *bodies_of(context.old_lines))), language_id)
    stream.receive_text("\n".join((f"{fence}{language_id}", *lines, fence, "")))
    stream.finish("stop")
    return stream
