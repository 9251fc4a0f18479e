"""The prompt that an edit would send now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from twospeed import syntax
from twospeed.edits.model_source import ModelSource
from twospeed.edits.values import EditRequest
from twospeed.errors import RequestError
from twospeed.models.base import ModelRequest
from twospeed.routing import LaneEntry

from .prompt_context import PromptContext
from .prompt_delimiters import PromptDelimiters
from .scope_resolution import approximate_scope, resolve_scope


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """A request, and the model that would receive it."""

    entry: LaneEntry
    request: ModelRequest


async def preview_prompt(
    request: EditRequest, source: ModelSource, delimiters: PromptDelimiters, ignore: Iterable[str]
) -> PromptPreview:
    """Build the first request of an edit. Nothing is sent, and the user is asked nothing.

    Args:
        request: The edit; its ``notes`` must not ask the user.
        source: Names the model of its mode.
        delimiters: The delimiters of prompts of this session.
        ignore: Patterns of files that are never sent.

    Raises:
        RequestError: The file is never sent.
        OwnKeyInPrompt: The prompt contains an API key of the user.
    """
    has_tree = await syntax.wait_for_tree(request.document.language_id, request.document.lines)
    scope = resolve_scope(request) if has_tree else approximate_scope(request)
    context = await PromptContext.asked(request, scope, delimiters)
    if why := request.why_never_sent(ignore):
        raise RequestError(f"{context.file_name} {why}")
    entry = await source.serving(request.mode)
    return PromptPreview(entry, context.request_for(entry, own_key_in=source.own_key_in))
