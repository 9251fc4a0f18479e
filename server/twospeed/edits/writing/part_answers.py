"""Merge an answer that contains only some definitions of its scope: each replaces its old version.

Once its place is known (`syntax.place_parts`), each definition is read and judged as an ordinary answer for a smaller
scope. The merged result is read once more as the answer for the whole scope.
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
from .validation import judge

MAX_LINES = 20_000
"""Lines of a document in which the place of a part is looked for."""

MAY_BE_PART = frozenset(
    {"ambiguous", "elided", "extent", "indentation", "not-code", "partial", "secret", "syntax"}
)
"""Codes of refusals of an answer that may be a part of its scope."""

_IS_RECEIVED = frozenset({"ambiguous", "extent", "indentation"})
"""Those of them by which a part is refused before its end. Others are mostly of answers that are no part."""

_LOSSES = frozenset({"name-gone", "dropped-definition", "emptied-body", "lines-gone", "repeated-code"})
"""Codes of findings that leave it open whether a definition of the answer is a new version of the old one."""


@dataclass(frozen=True, slots=True)
class MergedPart:
    """The whole answer that a part stands for.

    Attributes:
        old: The scope's lines that it is for.
        lines: The scope's new lines, without line ends.
        parts: What was put into the scope, such as ``function "total"``.
        dropped: How often each hidden character was taken out of the answer.
    """

    old: tuple[str, ...]
    lines: tuple[str, ...]
    parts: tuple[str, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)


def proves_itself(language_id: str) -> bool:
    """Whether code that parses is whole in a language, because something closes whatever it opens."""
    profile = syntax.profile_for(language_id)
    return profile is not None and not profile.is_indented


def refusal_in(reading: AnswerReading) -> Ending | None:
    """Return the refusal of what was read so far, if it is one."""
    refusal = reading.refusal
    return Ending("refused", Reason(refusal.code, refusal.message)) if refusal else None


def may_be_part(ending: Ending) -> bool:
    """Whether an answer is refused for what a part of the scope is refused for."""
    return ending.reason is not None and ending.reason.code in MAY_BE_PART


def may_become_part(ending: Ending) -> bool:
    """Whether the rest of an answer tells if it is a part of the scope."""
    return ending.reason is not None and ending.reason.code in _IS_RECEIVED


async def part_in(
    reading: AnswerReading, ending: Ending, context: PromptContext, placeholders: Placeholders | None
) -> MergedPart | None:
    """Return what a refused answer stands for that was read to its end; ``None`` where it is no part whose place is certain."""
    if not may_be_part(ending):
        return None
    code = reading.whole_code(proves_itself=proves_itself(context.request.document.language_id))
    part = await merged_part(context, code, placeholders)
    return replace(part, dropped=reading.dropped) if part else None


async def merged_part(
    context: PromptContext, code: Sequence[str], placeholders: Placeholders | None
) -> MergedPart | None:
    """Put the definitions of an answer that was refused into their places.

    Args:
        context: What was asked.
        code: The answer's code, as the model wrote it; nothing where it may be cut off.
        placeholders: What the model was shown in place of secrets, if there were any.

    Returns:
        The whole answer; ``None`` where a place is not certain, the answer may be cut off, or nothing would change.
    """
    document, scope = context.request.document, context.scope
    if not code or scope.kind in ("function", "insertion") or len(document.lines) > MAX_LINES:
        return None
    parts = await in_thread(lambda: syntax.place_parts(document.lines, document.language_id, scope, code))
    at, lines = scope.start, list[str]()
    old = bodies_of(document.lines)
    for part in parts:
        new = await _answer_of(context, part)
        if new is None or part.start < at:
            return None
        lines += [*_kept(context, old, at, part.start), *new]
        at = part.end
    lines += _kept(context, old, at, scope.end)
    if not parts or lines == list(old[scope.start : scope.end]):
        return None
    if not await in_thread(lambda: _is_read_alike(context, lines, placeholders)):
        return None
    return MergedPart(context.old_lines, tuple(lines), tuple(f'{part.kind} "{part.name}"' for part in parts))


def _kept(context: PromptContext, old: Sequence[str], start: int, end: int) -> list[str]:
    """Return old lines of the scope, without the instruction comment, which the edit consumes."""
    comment = context.request.comment_line
    return [line for row, line in enumerate(old[start:end], start) if row != comment]


async def _answer_of(context: PromptContext, part: PlacedPart) -> Sequence[str] | None:
    """Read one definition as the answer for what it replaces; ``None`` where it would be refused, or may lose something."""
    request = context.request
    comment = request.comment_line
    if comment is not None and not part.start <= comment < part.end:
        request = replace(request, comment_line=None)
    scope = Scope("class" if part.kind == "class" else "function", part.name, part.start, part.end)
    smaller = PromptContext.about(request, scope, context.delimiters)
    stream = await in_thread(lambda: _read(smaller, part.lines, None))
    lines = tuple(stream.answer)
    if stream.refusal or lines != part.lines:
        return None
    judgement = await judge(request, scope, lines, {}, GateSettings())
    if judgement.refusal or any(finding.code in _LOSSES for finding in judgement.findings):
        return None
    return lines


def _is_read_alike(context: PromptContext, lines: Sequence[str], placeholders: Placeholders | None) -> bool:
    """Whether the whole scope, as an answer of the model, would land as these lines."""
    stream = _read(context, lines, placeholders)
    return stream.refusal is None and list(stream.answer) == list(lines)


def _read(context: PromptContext, lines: Sequence[str], placeholders: Placeholders | None) -> EditStream:
    stream = context.stream(placeholders)
    language_id = context.request.document.language_id
    fence = answer_fence_for("\n".join((*lines, *bodies_of(context.old_lines))), language_id)
    stream.receive_text("\n".join((f"{fence}{language_id}", *lines, fence, "")))
    stream.finish("stop")
    return stream
