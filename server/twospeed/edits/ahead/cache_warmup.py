"""Let a provider cache the beginning of a likely edit's prompt: the file around its lines.

Providers keep a prompt for some minutes, and process it faster the second time. The warm-up is sent to the model of the
edit, with the edit's content except the instruction. It is sent once for a state of a document, not too often, and not
if the prompt is too short to be cached. It counts towards the user's budget, and an edit does not wait for it.
If the user enabled it, the start of the edit's own request is sent too, to be continued (`Model.send_ahead`).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from twospeed import syntax
from twospeed.aio import loop_time
from twospeed.budget.spending import Spending
from twospeed.edits.prompting.prompt_context import PromptContext
from twospeed.edits.prompting.prompt_delimiters import PromptDelimiters
from twospeed.edits.prompting.scope_resolution import approximate_scope, refuse_too_large, resolve_scope
from twospeed.edits.values import EditRequest
from twospeed.errors import BudgetSpent, InvalidRequest, LimitReached, ModelError, OwnKeyInPrompt
from twospeed.models.base import Message, Model, ModelRequest, ProviderSettings
from twospeed.prompt import CHARS_PER_TOKEN
from twospeed.routing import LaneEntry, Mode

logger = logging.getLogger(__name__)

LEAST_TOKENS = 1024
"""No cloud provider caches a shorter prompt."""

AGAIN_S = 10.0
"""Seconds between two warm-ups of a mode."""

KEPT_S = 240.0
"""Seconds that a provider keeps an unused prompt: five minutes at Anthropic, the shortest of all."""

REST_S = 600.0
"""Seconds without a warm-up after a model refused one."""


class SourceAhead(Protocol):
    """Says who would serve; `LaneSource` does."""

    @property
    def spending(self) -> Spending:
        """What counts the user's spending."""

    def own_key_in(self, text: str) -> str | None:
        """Return the name of a user's API key that a text contains; ``None`` if it contains none."""

    async def model_ahead(self, mode: Mode) -> tuple[LaneEntry, ProviderSettings, Model] | None:
        """Return the model that would serve a mode now; ``None`` if there is none or it may not be used."""


class CacheWarmup:
    """Reads ahead.

    Args:
        source: Where models come from.
        delimiters: Has the words that set prompts apart from documents.
        ignore: Gives the patterns of files that are never sent.
        spare: Opens one more connection to a provider, so that an edit does not wait for the one in use.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        source: SourceAhead,
        delimiters: PromptDelimiters,
        *,
        ignore: Callable[[], Sequence[str]],
        spare: Callable[[ProviderSettings], Awaitable[None]],
        clock: Callable[[], float] = loop_time,
    ) -> None:
        self._source = source
        self._delimiters = delimiters
        self._ignore = ignore
        self._spare = spare
        self._clock = clock
        self._asked: dict[Mode, tuple[float, str, int]] = {}
        self._kept: dict[str, tuple[float, Sequence[Message]]] = {}
        self._rests_until: dict[str, float] = {}

    async def read_ahead(self, request: EditRequest) -> None:
        """Let the model that would serve a request read its beginning, if that is useful.

        Args:
            request: The likely edit, with any instruction.
        """
        is_news = self._is_news(request)
        found = await self._source.model_ahead(request.mode)
        if found is None or not (is_news or found[1].early_body):
            return
        context = await self._context(request)
        if context is None:
            return
        entry, provider, model = found
        try:
            asked = context.request_for(entry, own_key_in=self._source.own_key_in)
            if entry.may_cost:
                self._source.spending.check()
        except (BudgetSpent, OwnKeyInPrompt):  # the edit will say so
            return
        if provider.early_body:
            await self._spare(provider)
            model.send_ahead(asked)
        if is_news:
            await self._have_read(request, entry, provider, model, asked)

    async def _have_read(
        self,
        request: EditRequest,
        entry: LaneEntry,
        provider: ProviderSettings,
        model: Model,
        asked: ModelRequest,
    ) -> None:
        opening = asked.opening.messages
        n_tokens = sum(len(message.content) for message in opening) // CHARS_PER_TOKEN
        now = self._clock()
        kept_at, kept = self._kept.get(entry.label, (0.0, ()))
        # A socket knows by itself what it remembers.
        is_kept = not provider.websocket and kept == opening and now - kept_at < KEPT_S
        if is_kept or n_tokens < LEAST_TOKENS or now < self._rests_until.get(entry.label, now):
            return
        if entry.cloud and not provider.websocket:
            await self._spare(provider)
        self._asked[request.mode] = (now, request.document.uri, request.document.version)
        self._kept[entry.label] = (now, opening)
        n_used = n_tokens  # also where an edit comes in between
        try:
            usage = await model.warm(asked)
            n_used = 0 if usage is None else usage.input_tokens + usage.output_tokens or n_tokens
        except ModelError as error:
            logger.info("nothing is read ahead: %s", type(error).__name__)
            self._rests_until[entry.label] = now + REST_S
            n_used = 0
        finally:
            if entry.may_cost:
                self._source.spending.note_tokens(n_used)

    def _is_news(self, request: EditRequest) -> bool:
        asked_at, uri, version = self._asked.get(request.mode, (-AGAIN_S, "", 0))
        is_same = (uri, version) == (request.document.uri, request.document.version)
        is_same &= self._clock() - asked_at < KEPT_S
        return not is_same and self._clock() - asked_at >= AGAIN_S

    async def _context(self, request: EditRequest) -> PromptContext | None:
        """Return what would be sent; ``None`` if nothing may be."""
        document = request.document
        try:
            refuse_too_large(document)
            can_tell = await syntax.wait_for_tree(document.language_id, document.lines)
            scope = resolve_scope(request) if can_tell else approximate_scope(request)
        except (InvalidRequest, LimitReached):  # the edit will say so
            return None
        context = await PromptContext.asked(request, scope, self._delimiters)
        return None if request.why_never_sent(self._ignore()) else context
