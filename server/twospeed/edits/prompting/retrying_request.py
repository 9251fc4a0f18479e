"""The requests of one instruction: at most three.

If a request fails before any of its answer was shown, the next one follows: after a wait, to another model, or once with
a shorter prompt. After that there is no other answer, unless this one is whole and does not parse (`repair`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace

from twospeed.edits.model_source import ModelSource
from twospeed.edits.usage import RequestUsage
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
"""Characters that are received in one step: some 200 lines. Some servers send a whole answer in one event."""


def pieces_of(text: str) -> Sequence[str]:
    """Cut a text into pieces of at most ``PIECE_CHARS`` characters, at least one."""
    return [text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS)] or [text]


class AnswerReceiver:
    """Receives one answer, piece by piece; by default everything but its text is ignored."""

    @property
    def is_done(self) -> bool:
        """Whether the rest of the answer is not needed."""
        return False

    def begin(self) -> None:
        """Prepare for the next request; drop the answer of an earlier one."""

    def note_delta(self) -> None:
        """Note that a text delta arrived; its pieces follow."""

    async def receive_text(self, text: str) -> None:
        """Receive a piece of the answer, of at most ``PIECE_CHARS`` characters."""
        raise NotImplementedError

    def receive_reasoning(self, text: str) -> None:
        """Receive a piece of the model's reasoning."""

    def receive_usage(self, usage: Usage) -> None:
        """Receive the token counts so far."""


class RetryingRequest:
    """Requests one answer, more than once if needed.

    Attributes:
        has_shown: Whether text of the answer is shown: from then on no other answer replaces it.

    Args:
        source: Where models come from.
        mode: The requested mode.
        context: The content of the prompt.
        why: Why the mode is used, in the words of the route; ``mode`` if the user chose it.
        n_requests: Requests that were already made for the instruction.
        is_counted: Whether one of them already counts towards the budget of edits.
        on_route: Called with the model and the reason, again if another model follows.
        on_metered: Called with the usage of each request when it is over.
    """

    # Of the last request, from `request` on:
    _usage: Usage | None
    _n_chars: int
    _is_whole: bool

    def __init__(
        self,
        source: ModelSource,
        mode: Mode,
        context: PromptContext,
        *,
        why: str = "mode",
        n_requests: int = 0,
        is_counted: bool = False,
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
        self._is_counted = is_counted
        self._waited_s = 0.0
        self._setback: ModelError | None = None
        self._room: TokenLimits | None = None
        self._route: Route | None = None
        self._sent: ModelRequest | None = None
        self.has_shown = False

    @property
    def n_requests(self) -> int:
        """How many were made for the instruction."""
        return self._n_requests

    @property
    def is_counted(self) -> bool:
        """Whether the instruction counts towards the budget of edits: once a request of it may cost something."""
        return self._is_counted

    @property
    def can_ask_again(self) -> bool:
        """Whether another request may correct the answer: the built-in engine would answer the same."""
        return self._n_requests < MAX_REQUESTS and self._route is not None and not self._route.is_builtin

    @property
    def placeholders(self) -> Placeholders | None:
        """The placeholders of the last request; ``None`` if it hid no secrets."""
        assert self._route
        return self._context.placeholders_for(self._route.entry)

    async def choose(self) -> Model:
        """Choose the model for the next request.

        Raises:
            BudgetSpent: This would be the first paid request of an edit beyond the budget.
            SettingsError: The user's config cannot be read.
        """
        route, model = await self._source.choose(self._mode, asks=self._n_requests == 0)
        self._route = route.because(self._why)
        if self._route.entry.may_cost and not self._is_counted:
            self._source.spending.check()
            self._source.spending.note_edit()
            self._is_counted = True
        is_last_resort = self._route.is_builtin and self._setback is not None
        if not is_last_resort:  # which is named once it turns out to be able to help
            self._on_route(self._route)
        return model

    async def read(self, receiver: AnswerReceiver, *, retries: bool = True) -> Finished | None:
        """Request the answer, again after failures that allow it, and pass it to ``receiver``.

        Args:
            receiver: Gets the answer.
            retries: Whether a failed request is followed by another one.

        Returns:
            How the answer ended, not yet settled (`settle`); ``None`` if the receiver was done before.

        Raises:
            ModelError: The model failed, and there is no other request.
            TwospeedError: As `choose` and `request`.
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
                                await asyncio.sleep(0)  # lets the event loop read messages in between
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
        raise AssertionError("an answer ends, or is broken off")

    def request(self) -> ModelRequest:
        """Build the next request.

        Raises:
            OwnKeyInPrompt: The prompt contains one of the user's API keys.
        """
        assert self._route
        self._n_requests += 1
        self._usage, self._n_chars, self._is_whole = None, 0, False
        asked = self._context.request_for(
            self._route.entry, room=self._room, own_key_in=self._source.own_key_in
        )
        self._sent = replace(asked, may_send_again=self._may_send_again)
        return self._sent

    def _may_send_again(self) -> bool:
        """Let a model send the same request once more, over another connection; it counts as a request."""
        if self._n_requests >= MAX_REQUESTS:
            return False
        self._n_requests += 1
        self._on_metered(RequestUsage(None, is_whole=True, price=None))  # the one that was not answered
        return True

    async def answer(self, model: Model, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send a request and yield its events, the end of the answer last; usage is counted however it ends.

        Raises:
            AnswerBrokeOff: The answer has no end.
            ModelError: As `Model.stream`.
        """
        with self._metered():
            async with aclosing(model.stream(request)) as events:
                async for event in events:
                    match event:
                        case TextDelta(text) | ReasoningDelta(text):
                            self._n_chars += len(text)
                        case Usage():  # an answer of nothing to nothing is no count
                            self._usage = event if event.input_tokens or event.output_tokens else None
                        case Finished():
                            self._is_whole = True
                    yield event
                    if isinstance(event, Finished):
                        return
            raise AnswerBrokeOff("the answer broke off", provider=model.provider, model=model.name)

    def note_shown(self) -> None:
        """Record that text of the answer is shown: from here on no other answer replaces it."""
        if not self.has_shown:
            assert self._route
            self.has_shown = True
            self._on_route(self._route)
            self._source.answers(self._route)

    @contextmanager
    def _metered(self) -> Iterator[None]:
        try:
            yield
        except ModelError as error:
            self._meter(is_free=self._is_free(error))
            raise
        except BaseException:
            self._meter()
            raise
        else:
            self._meter()

    def _is_free(self, error: ModelError) -> bool:
        """Whether a model failed before it began to work: no provider bills that."""
        has_begun = isinstance(error, AnswerBrokeOff) or (
            isinstance(error, ModelTimeout) and error.limit != "connect_s"
        )
        return not (has_begun or self._n_chars or self._usage)

    def _meter(self, *, is_free: bool = False) -> None:
        """Report the usage of the request, and count it towards the user's budget.

        If the provider reports no usage, the budget counts four characters as a token.
        """
        assert self._route
        assert self._sent
        entry = self._route.entry
        if self._route.is_builtin or is_free:
            self._on_metered(
                RequestUsage(Usage() if self._route.is_builtin else None, is_whole=True, price=None)
            )
            return
        is_whole = self._is_whole and self._usage is not None
        self._on_metered(RequestUsage(self._usage, is_whole=is_whole, price=self._source.price_of(entry)))
        if not entry.may_cost:
            return
        if self._usage:
            self._source.spending.note_tokens(self._usage.input_tokens + self._usage.output_tokens)
        elif self._n_chars:
            n_chars = self._n_chars + _n_chars_of(self._sent)
            self._source.spending.note_tokens(n_chars // CHARS_PER_TOKEN)

    def settle(self, finished: Finished) -> Finished:
        """Record that an answer is whole.

        Returns:
            The end of the answer; a refusal by the built-in engine begins with the reason why no model answered.

        Raises:
            ModelError: The built-in engine replaced a model and could not help; this is the model's error.
        """
        assert self._route
        if self._route.is_builtin and finished.reason == "refusal":
            setback = self._setback or self._source.obstacle_behind(self._route)
            if setback:
                raise setback
            if why := self._route.needs_user:
                finished = replace(finished, message=f"{why}; {finished.message}")
        self.note_shown()
        self._source.served(self._route)
        return finished

    async def recover(self, error: ModelError) -> None:
        """Record a failure, and wait until the next request may be made.

        Raises:
            ModelError: No request follows; ``error``, in most cases.
        """
        assert self._route
        wait_s = self._source.failed(self._route, error, n_requests=self._n_requests, waited_s=self._waited_s)
        if self.has_shown:
            raise error
        if isinstance(error, ContextTooLong):
            self._shrink(error)
            return
        if wait_s is None:
            raise error
        self._setback = error
        self._waited_s += wait_s
        await self._source.wait(self._route, wait_s)

    def _shrink(self, error: ContextTooLong) -> None:
        """Omit lines around the scope, never of it; once.

        Raises:
            ContextTooLong: Nothing is left to omit.
        """
        assert self._sent
        assert self._route
        room = None
        if self._room is None and self._n_requests < MAX_REQUESTS:
            room = reduced_token_limits(
                n_chars=_n_chars_of(self._sent),
                scope_chars=len(self._sent.task.scope_text),
                max_output_tokens=self._sent.max_output_tokens,
                prompt_tokens=error.prompt_tokens,
                limit_tokens=error.limit_tokens,
            )
            if not self._is_shorter(room):
                room = None
        if room is None:
            raise ContextTooLong(
                f"these lines are too long for {error.model}, even without those around them; choose fewer",
                provider=error.provider,
                model=error.model,
            ) from error
        self._room = room

    def _is_shorter(self, room: TokenLimits) -> bool:
        assert self._sent
        assert self._route
        next_one = self._context.request_for(self._route.entry, room=room)
        return (
            _n_chars_of(next_one) < _n_chars_of(self._sent)
            or next_one.max_output_tokens < self._sent.max_output_tokens
        )


def _n_chars_of(request: ModelRequest) -> int:
    return sum(len(message.content) for message in request.messages)
