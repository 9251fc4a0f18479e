"""Classify the code of an edit before a model is chosen: its sensitive uses, and the mode for it."""

from __future__ import annotations

from dataclasses import dataclass

from twospeed import gate, syntax
from twospeed.aio import in_thread
from twospeed.edits.model_source import ModelSource
from twospeed.gate import GateSettings
from twospeed.gate.facts import SensitiveUse
from twospeed.routing import Mode, mode_for
from twospeed.routing.lanes import BUILTIN_PROVIDER
from twospeed.text.code.scope import Scope, ScopeCode
from twospeed.text.document import Document

MAX_SIZE_AT_ONCE = 10_000
"""Characters, lines and strings of a scope that is searched on the event loop: 10 ms."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The sensitive uses in an edit's scope, and the mode that follows."""

    before: ScopeCode  # the code of the scope before the edit
    mode: Mode = "lightning"
    sensitive_uses: tuple[SensitiveUse, ...] = ()
    route: str = "mode"  # why the mode was chosen, in words


def sensitivity_of(document: Document, scope: Scope, mode: Mode = "lightning") -> Sensitivity:
    """Return the sensitivity of an edit that stays in its mode, without a search for sensitive uses."""
    return Sensitivity(syntax.scope_code(document.lines, document.language_id, scope.start, scope.end), mode)


async def sensitive_uses_in(document: Document, sensitivity: Sensitivity) -> tuple[SensitiveUse, ...]:
    """Return the sensitive uses in a scope; a long scope is searched in a thread."""
    code, language_id = sensitivity.before, document.language_id
    imports = syntax.import_statements(document.lines, language_id)
    size = len(code.code) + sum(map(len, code.code)) + len(code.literals)
    if size <= MAX_SIZE_AT_ONCE:
        return gate.sensitive_uses(code, imports, language_id)
    return await in_thread(lambda: gate.sensitive_uses(code, imports, language_id))


async def classify_scope(
    document: Document, scope: Scope, mode: Mode, settings: GateSettings, source: ModelSource
) -> Sensitivity:
    """Classify the scope of an edit, and replace the requested mode if the settings require it for sensitive code."""
    await syntax.wait_for_scope_code(document.lines, document.language_id, scope.start, scope.end)
    sensitivity = sensitivity_of(document, scope, mode)
    if mode != "lightning" or settings.sensitive == "off":
        return sensitivity
    sensitive_uses = await sensitive_uses_in(document, sensitivity)
    if not sensitive_uses:
        return sensitivity
    is_deep_ready = (await source.serving("deep")).provider != BUILTIN_PROVIDER
    topics = tuple(dict.fromkeys(use.topic for use in sensitive_uses))
    mode, why = mode_for(mode, topics, settings.sensitive, is_deep_ready=is_deep_ready)
    return Sensitivity(sensitivity.before, mode, sensitive_uses, why)
