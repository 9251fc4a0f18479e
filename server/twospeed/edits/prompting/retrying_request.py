"""Request one answer: at most three requests for an instruction.

A request that fails before a part of its answer was used is followed by another one: after a wait, to another model,
or once with a shorter prompt. `writing.repair` replaces a whole answer that cannot be used.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace

from twospeed.edits.model_source import ModelSource
from twospeed.edits.stats import RequestUsage
from twospeed.errors import AnswerBrokeOff, ContextTooLong, ModelError, ModelTimeout
from twospeed.models.base import (
    Finished,
    Model,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    Usage,
)
from twospeed.prompt import CHARS_PER_TOKEN, TokenLimits, reduced_token_limits
from twospeed.routing import MAX_REQUESTS, Mode, Route
from twospeed.secrets.placeholders import Placeholders

from .prompt_context import PromptContext

PIECE_CHARS = 8 * 1024
"""Characters processed in one step, about 200 lines: some servers send a whole answer in one event."""


def pieces_of(text: str) -> Sequence[str]:
    """Cut a text into pieces of at most ``PIECE_CHARS`` characters; an empty text is one piece."""
    return [text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS)] or [text]


class AnswerReceiver:
    """Receives one answer, piece by piece; only its text must be handled."""

    @property
    def is_done(self) -> bool:
        """Whether the rest of the answer is not needed."""
        return False

    def begin(self) -> None:
        """Prepare for the next request; discard the answer of an earlier one."""

    def note_delta(self) -> None:
        """Record that a text delta arrived; its pieces follow."""

    async def receive_text(self, text: str) -> None:
        """Receive a piece of the answer of at most ``PIECE_CHARS`` characters."""
        raise NotImplementedError

    def receive_reasoning(self, text: str) -> None:
        """Receive a piece of the model's reasoning."""

    def receive_usage(self, usage: Usage) -> None:
        """Receive the token counts so far."""


@dataclass(slots=True)
class _Sent:
    """The last request, and the parts of its answer that count for its usage."""

    request: ModelRequest
    usage: Usage | None = None
    n_chars: int = 0
    has_finished: bool = False


@dataclass(slots=True)
class _Failures:
    """The results of failed requests."""

    error: ModelError | None = None  # the last error after which the source allowed another request
    waited_s: float = 0.0
    limits: TokenLimits | None = None  # after a context overflow


class RetryingRequest:
    """Requests one answer, more than once if needed.

    Attributes:
        is_in_use: Whether a part of the answer or its reasoning was passed on: from then on no request replaces it.

    Args:
        why: Why the mode is used, as `Route.reason` says it.
        n_requests: Earlier requests for the instruction.
        counts_in_budget: Whether one of them counts towards the budget of edits.
        on_route: Called with each model in use.
        on_metered: Called with the usage of each request when it ends.
    """

    def __init__(
        self,
        source: ModelSource,
        mode: Mode,
        context: PromptContext,
        *,
        why: str = "mode",
        n_requests: int = 0,
        counts_in_budget: bool = False,
        on_route: Callable[[Route], None],
        on_metered: Callable[[RequestUsage], None],
    ) -> None:
        self._source = source
        self._mode = mode
        self._context = context
        self._why = why
        self._on_route = on_route
        self._on_metered = on_metered
        self._n_requests = n_requests
        self._counts_in_budget = counts_in_budget
        self._failures = _Failures()
        self._route: Route | None = None
        self._sent: _Sent | None = None
        self.is_in_use = False

    @property
    def n_requests(self) -> int:
        """The number of requests for the instruction."""
        return self._n_requests

    @property
    def counts_in_budget(self) -> bool:
        """Whether a request that may cost something was made: the instruction counts towards the budget."""
        return self._counts_in_budget

    @property
    def may_request_again(self) -> bool:
        """Whether another request may correct the answer; the built-in engine would repeat it."""
        return self._n_requests < MAX_REQUESTS and self._route is not None and not self._route.is_builtin

    @property
    def placeholders(self) -> Placeholders | None:
        """The placeholders of the last request; ``None`` if it hid no secrets."""
        assert self._route
        return self._context.placeholders_for(self._route.entry)

    async def choose(self) -> Model:
        """Choose the model for the next request.

        Raises:
            BudgetSpent: The first paid request of the edit would exceed the budget.
            SettingsError: The user's config cannot be read.
        """
        route, model = await self._source.choose(self._mode, may_ask_user=self._n_requests == 0)
        self._route = route.because(self._why)
        if self._route.entry.may_cost and not self._counts_in_budget:
            self._source.spending.check()
            self._source.spending.note_edit()
            self._counts_in_budget = True
        is_last_resort = self._route.is_builtin and self._failures.error is not None
        if not is_last_resort:  # `note_in_use` reports the built-in engine once it has an answer
            self._on_route(self._route)
        return model

    async def read(self, receiver: AnswerReceiver, *, retries: bool = True) -> Finished | None:
        """Request the answer for ``receiver``; if ``retries``, request again after failures that allow it.

        Returns:
            The end of the answer, for `accept_answer`; ``None`` if the receiver was done before.

        Raises:
            TwospeedError: As `choose` and `request`, or the model failed and no other request follows.
        """
        model = await self.choose()
        while True:
            receiver.begin()
            try:
                return await self._read_once(model, receiver)
            except ModelError as error:
                if not retries:
                    raise
                await self.recover(error)
                model = await self.choose()

    async def _read_once(self, model: Model, receiver: AnswerReceiver) -> Finished | None:
        async with aclosing(self.answer(model, self.request())) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        receiver.note_delta()
                        for number, piece in enumerate(pieces_of(text)):
                            if number:
                                await asyncio.sleep(0)  # the event loop reads messages in between
                            await receiver.receive_text(piece)
                            if receiver.is_done:
                                return None
                    case ReasoningDelta(text):
                        receiver.receive_reasoning(text)
                    case Usage():
                        receiver.receive_usage(event)
                    case Finished():
                        return event
                if receiver.is_done:
                    return None
        raise AssertionError("`answer` yields Finished or raises")

    def request(self) -> ModelRequest:
        """Build the next request.

        Raises:
            OwnKeyInPrompt: The prompt contains one of the user's API keys.
        """
        assert self._route
        self._n_requests += 1
        request = self._context.request_for(
            self._route.entry, limits=self._failures.limits, own_key_in=self._source.own_key_in
        )
        request = replace(request, may_send_again=self._count_resend)
        self._sent = _Sent(request)
        return request

    def _count_resend(self) -> bool:
        """Count and meter an unanswered request that is sent again; false if it may not be: see `ModelRequest`."""
        if self._n_requests >= MAX_REQUESTS:
            return False
        self._n_requests += 1
        self._on_metered(
            RequestUsage(None, is_usage_complete=True, price=None)
        )  # the request without an answer
        return True

    async def answer(self, model: Model, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send a request and yield its events, `Finished` last; its usage is reported however it ends.

        Raises:
            ModelError: As `Model.stream`; `AnswerBrokeOff` if the stream ends without `Finished`.
        """
        assert self._sent
        sent = self._sent
        with self._metered(sent):
            async with aclosing(model.stream(request)) as events:
                async for event in events:
                    match event:
                        case TextDelta(text) | ReasoningDelta(text):
                            sent.n_chars += len(text)
                        case Usage():  # some servers report 0/0; that is not a count
                            sent.usage = event if event.input_tokens or event.output_tokens else None
                        case Finished():
                            sent.has_finished = True
                    yield event
                    if isinstance(event, Finished):
                        return
            raise AnswerBrokeOff("the answer broke off", provider=model.provider, model=model.name)

    def note_in_use(self) -> None:
        """Record that a part of the answer or its reasoning is passed on."""
        if not self.is_in_use:
            assert self._route
            self.is_in_use = True
            self._on_route(self._route)
            self._source.notify_substitute(self._route)

    @contextmanager
    def _metered(self, sent: _Sent) -> Iterator[None]:
        is_free = False
        try:
            yield
        except ModelError as error:
            is_free = _is_free(sent, error)
            raise
        finally:
            self._meter(sent, is_free=is_free)

    def _meter(self, sent: _Sent, *, is_free: bool) -> None:
        assert self._route
        entry = self._route.entry
        if self._route.is_builtin or is_free:
            # None: nothing was billed. Zero tokens: the built-in engine.
            usage = Usage() if self._route.is_builtin else None
            self._on_metered(RequestUsage(usage, is_usage_complete=True, price=None))
            return
        is_usage_complete = sent.has_finished and sent.usage is not None
        self._on_metered(
            RequestUsage(sent.usage, is_usage_complete=is_usage_complete, price=self._source.price_of(entry))
        )
        if not entry.may_cost:
            return
        if sent.usage:
            self._source.spending.note_tokens(sent.usage.input_tokens + sent.usage.output_tokens)
        elif sent.n_chars:  # no usage was reported: the budget counts an estimate
            n_chars = sent.n_chars + _n_chars_of(sent.request)
            self._source.spending.note_tokens(n_chars // CHARS_PER_TOKEN)

    def accept_answer(self, finished: Finished) -> Finished:
        """Record a whole answer, and return its end.

        Raises:
            ModelError: The built-in engine replaced a model that failed, and declined: the model's error.
        """
        assert self._route
        if self._route.is_builtin and finished.reason == "refusal":
            if error := self._failures.error or self._source.error_replaced_by_builtin(self._route):
                raise error
            if why := self._route.needs_user:
                finished = replace(finished, message=f"{why}; {finished.message}")
                self._route = replace(self._route, needs_user="")  # the message has reported it
        self.note_in_use()
        self._source.served(self._route)
        return finished

    async def recover(self, error: ModelError) -> None:
        """Record a failure, and wait until the next request may be made.

        Raises:
            ModelError: No request follows.
        """
        assert self._route
        failures = self._failures
        wait_s = self._source.failed(
            self._route, error, n_requests=self._n_requests, waited_s=failures.waited_s
        )
        if self.is_in_use:
            raise error
        if isinstance(error, ContextTooLong):
            self._shorten(error)
            return
        if wait_s is None:
            raise error
        failures.error = error
        failures.waited_s += wait_s
        await self._source.wait(self._route, wait_s)

    def _shorten(self, error: ContextTooLong) -> None:
        # At most once. Only lines around the scope are omitted.
        assert self._sent
        assert self._route
        limits = None
        if self._failures.limits is None and self._n_requests < MAX_REQUESTS:
            request = self._sent.request
            limits = reduced_token_limits(
                n_chars=_n_chars_of(request),
                scope_chars=len(request.task.scope_text),
                max_output_tokens=request.max_output_tokens,
                prompt_tokens=error.prompt_tokens,
                limit_tokens=error.limit_tokens,
            )
            if not _is_shorter(self._context.request_for(self._route.entry, limits=limits), request):
                limits = None
        if limits is None:
            message = (
                f"the prompt for these lines is too long for {error.model}; choose fewer"
                if self._failures.limits is None  # no shorter prompt was tried
                else f"these lines are too long for {error.model}, even without those around them; choose fewer"
            )
            raise ContextTooLong(message, provider=error.provider, model=error.model) from error
        self._failures.limits = limits


def _is_free(sent: _Sent, error: ModelError) -> bool:
    # No provider bills a request that failed before the model began to work.
    has_begun = isinstance(error, AnswerBrokeOff) or (
        isinstance(error, ModelTimeout) and error.limit != "connect_s"
    )
    return not (has_begun or sent.n_chars or sent.usage)


def _is_shorter(request: ModelRequest, than: ModelRequest) -> bool:
    return _n_chars_of(request) < _n_chars_of(than) or request.max_output_tokens < than.max_output_tokens


def _n_chars_of(request: ModelRequest) -> int:
    return sum(len(message.content) for message in request.messages)
