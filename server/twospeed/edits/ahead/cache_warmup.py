"""Let a provider cache the beginning of a likely edit's prompt, which speeds up the edit for some minutes.

The warm-up is the prompt without the instruction, sent once for a version of a document. It counts towards the user's
budget. If the user enabled ``early_body``, the start of the edit's own request is sent too (`Model.send_ahead`).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from twospeed.aio import loop_time
from twospeed.budget.spending import Spending
from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.prompting.scope_resolution import best_scope, refuse_too_large
from twospeed.edits.values import EditRequest
from twospeed.errors import BudgetSpent, InvalidRequest, LimitReached, ModelError, OwnKeyInPrompt
from twospeed.models.base import Message, Model, ModelRequest, ProviderSettings
from twospeed.prompt import CHARS_PER_TOKEN
from twospeed.routing import LaneEntry, Mode

logger = logging.getLogger(__name__)

LEAST_TOKENS = 1024
"""Tokens of the shortest prompt that a cloud provider caches."""

INTERVAL_S = 10.0
"""Least seconds between two warm-ups of a mode."""

LIFETIME_S = 240.0
"""Seconds after which a cached prompt is sent again. Of all providers Anthropic keeps it shortest: five minutes."""

PAUSE_S = 600.0
"""Seconds without a warm-up after a model refused one."""


class WarmupSource(Protocol):
    """The part of `LaneSource` that a warm-up needs."""

    @property
    def spending(self) -> Spending:
        """The count of the user's spending."""

    def own_key_in(self, text: str) -> str | None:
        """Return the name of the user's API key that a text contains."""

    async def model_ahead(self, mode: Mode) -> tuple[LaneEntry, ProviderSettings, Model] | None:
        """Return the model that would serve a mode now; ``None`` if there is none or it may not be used."""


class CacheWarmup:
    """Warms the prompt cache of the model that would serve an edit.

    Args:
        ignore: Returns the patterns of files that are never sent.
        connect_spare: Opens another connection to a provider, so that an edit does not wait for the one in use.
    """

    def __init__(
        self,
        source: WarmupSource,
        delimiters: PromptDelimiters,
        *,
        ignore: Callable[[], Sequence[str]],
        connect_spare: Callable[[ProviderSettings], Awaitable[None]],
        clock: Callable[[], float] = loop_time,
    ) -> None:
        self._source = source
        self._delimiters = delimiters
        self._ignore = ignore
        self._connect_spare = connect_spare
        self._clock = clock
        self._sent: dict[Mode, tuple[float, str, int]] = {}  # time, document and version of the last one
        self._cached: dict[str, tuple[float, Sequence[Message]]] = {}  # the same by model, with its prompt
        self._paused_until: dict[str, float] = {}  # by model

    async def warm(self, request: EditRequest) -> None:
        """Send the beginning of a likely edit's prompt, unless the provider has it or it must not be sent."""
        is_due = self._is_due(request)
        found = await self._source.model_ahead(request.mode)
        if found is None:
            return
        entry, provider, model = found
        if not (is_due or provider.early_body):
            return
        context = await self._context(request)
        if context is None:
            return
        try:
            model_request = context.request_for(entry, own_key_in=self._source.own_key_in)
            if entry.may_cost:
                self._source.spending.check()
        except (BudgetSpent, OwnKeyInPrompt):  # the edit will report it
            return
        if provider.early_body:
            await self._connect_spare(provider)
            model.send_ahead(model_request)
        if is_due:
            await self._send(request, entry, provider, model, model_request)

    async def _send(
        self,
        request: EditRequest,
        entry: LaneEntry,
        provider: ProviderSettings,
        model: Model,
        model_request: ModelRequest,
    ) -> None:
        opening = model_request.opening.messages
        n_tokens = sum(len(message.content) for message in opening) // CHARS_PER_TOKEN
        now = self._clock()
        cached_at, cached = self._cached.get(entry.label, (0.0, ()))
        # A WebSocket model itself knows what its connection has cached.
        is_cached = not provider.websocket and cached == opening and now - cached_at < LIFETIME_S
        if is_cached or n_tokens < LEAST_TOKENS or now < self._paused_until.get(entry.label, 0.0):
            return
        if entry.is_cloud and not provider.websocket:
            await self._connect_spare(provider)
        self._sent[request.mode] = (now, request.document.uri, request.document.version)
        self._cached[entry.label] = (now, opening)
        n_used = n_tokens  # counted if an edit cancels this, or the provider reports no tokens
        try:
            usage = await model.warm(model_request)
            if usage is None:  # nothing was sent
                n_used = 0
            elif n_billed := usage.input_tokens + usage.output_tokens:
                n_used = n_billed
        except ModelError as error:
            logger.info("no prompt is cached: %s", type(error).__name__)
            self._paused_until[entry.label] = now + PAUSE_S
            n_used = 0
        finally:
            if entry.may_cost:
                self._source.spending.note_tokens(n_used)

    def _is_due(self, request: EditRequest) -> bool:
        if request.mode not in self._sent:
            return True
        sent_at, uri, version = self._sent[request.mode]
        is_same = (uri, version) == (request.document.uri, request.document.version)
        return self._clock() - sent_at >= (LIFETIME_S if is_same else INTERVAL_S)

    async def _context(self, request: EditRequest) -> PromptContext | None:
        try:
            refuse_too_large(request.document)
            scope = await best_scope(request)
        except (InvalidRequest, LimitReached):  # the edit will report it
            return None
        context = await PromptContext.gather(request, scope, self._delimiters)
        return None if request.why_never_sent(self._ignore()) else context
