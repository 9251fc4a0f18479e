"""Look at the code of an edit before anybody is asked: what it is about, and who should edit it."""

from __future__ import annotations

from dataclasses import dataclass

from twospeed import gate, syntax
from twospeed.aio import in_thread
from twospeed.edits.model_source import ModelSource
from twospeed.gate import GateSettings
from twospeed.gate.facts import Touch
from twospeed.routing import Mode, mode_for
from twospeed.routing.lanes import BUILTIN_PROVIDER
from twospeed.text.code.scope import Scope
from twospeed.text.code.scope_code import ScopeCode
from twospeed.text.document import Document

MAX_SIZE_AT_ONCE = 10_000
"""Characters, lines and strings of a scope that is searched for sensitive code on the event loop, in 10 ms."""


@dataclass(frozen=True, slots=True)
class Care:
    """What is known of an edit's code.

    Attributes:
        before: What stands in the scope.
        mode: Who carries the edit out.
        touches: What in the scope much depends on.
        route: Why the mode was chosen.
    """

    before: ScopeCode
    mode: Mode = "lightning"
    touches: tuple[Touch, ...] = ()
    route: str = "mode"


def care_of(document: Document, scope: Scope, mode: Mode = "lightning") -> Care:
    """Look at the scope of an edit that nobody sends elsewhere."""
    return Care(syntax.scope_code(document.lines, document.language_id, scope.start, scope.end), mode)


async def touches_in(document: Document, care: Care) -> tuple[Touch, ...]:
    """Find what in a scope much depends on; of a long scope in a thread."""
    code, language_id = care.before, document.language_id
    imports = syntax.import_statements(document.lines, language_id)
    size = len(code.code) + sum(map(len, code.code)) + len(code.literals)
    if size <= MAX_SIZE_AT_ONCE:
        return gate.touches(code, imports, language_id)
    return await in_thread(lambda: gate.touches(code, imports, language_id))


async def care_for(
    document: Document, scope: Scope, mode: Mode, settings: GateSettings, source: ModelSource
) -> Care:
    """Look at the scope of an edit, and say whether it goes to another mode than was asked for."""
    await syntax.wait_for_scope_code(document.lines, document.language_id, scope.start, scope.end)
    care = care_of(document, scope, mode)
    if mode != "lightning" or settings.sensitive == "off":
        return care
    touches = await touches_in(document, care)
    if not touches:
        return care
    is_deep_ready = (await source.serving("deep")).provider != BUILTIN_PROVIDER
    topics = tuple(dict.fromkeys(touch.topic for touch in touches))
    mode, why = mode_for(mode, topics, settings.sensitive, is_deep_ready=is_deep_ready)
    return Care(care.before, mode, touches, why)
