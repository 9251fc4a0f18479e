"""Preview the prompt that an edit would send now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from twospeed.edits.model_source import ModelSource
from twospeed.edits.values import EditRequest
from twospeed.errors import RequestError
from twospeed.models.base import ModelRequest
from twospeed.routing import LaneEntry

from .prompt_context import PromptContext, PromptDelimiters
from .scope_resolution import best_scope


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """A request, and the model that would receive it."""

    entry: LaneEntry
    request: ModelRequest


async def preview_prompt(
    request: EditRequest, source: ModelSource, delimiters: PromptDelimiters, ignore: Iterable[str]
) -> PromptPreview:
    """Build the first request of an edit; nothing is sent. Its ``notes`` must not ask the user.

    Raises:
        RequestError: The file is never sent, or the prompt contains an API key of the user.
    """
    context = await PromptContext.gather(request, await best_scope(request), delimiters)
    if why := request.why_never_sent(ignore):
        raise RequestError(f"{request.file_name} {why}")
    entry = await source.serving(request.mode)
    return PromptPreview(entry, context.request_for(entry, own_key_in=source.own_key_in))
