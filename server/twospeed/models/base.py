"""The interface of a model: a request in, a stream of events out.

Every provider, the built-in engine and the scripted model is one ``Model``. An answer is complete only if
``Finished`` arrives; otherwise it broke off.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from twospeed.text.code.scope import Scope
from twospeed.text.line_blocks import Lines

Role = Literal["system", "user", "assistant"]

FinishReason = Literal["stop", "length", "content_filter", "refusal"]
"""Finish reason reported by the model; only ``stop`` means a complete answer."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the prompt.

    Attributes:
        n_stable: Length of the prefix of ``content`` that the provider should cache, because the next request
            probably repeats it.
    """

    role: Role
    content: str
    n_stable: int = 0

    @property
    def parts(self) -> tuple[str, ...]:
        """The stable and the unstable part, in order, without empty ones."""
        return tuple(part for part in (self.content[: self.n_stable], self.content[self.n_stable :]) if part)


_NO_LINES = Scope("file", None, 0, 0)


@dataclass(frozen=True, slots=True)
class EditTask:
    """The request as values, for an engine that reads code and not prose (`rules`).

    Attributes:
        scope_text: The lines to rewrite, with their line ends; empty for an insertion.
        sent_text: The same with placeholders for secrets, as a model sees it.
        parses: Whether a text in place of the scope adds no syntax error.
    """

    instruction: str
    language_id: str
    scope_text: str
    parses: Callable[[str], bool]
    sent_text: str = ""
    lines: Lines = field(default_factory=lambda: Lines.of(()))
    scope: Scope = _NO_LINES


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """The request for one answer.

    Attributes:
        effort: Reasoning effort in the provider's own words; ``None`` leaves it to the provider.
        is_effort_default: The effort is our default, not the user's setting, so it may be dropped if the model
            refuses it.
        predicts: Whether to send the scope's text as predicted output.
        repeats_scope: Whether the answer is to contain the whole scope, not only the changes.
        may_send_again: Called before a request without an answer is sent again; True counts as a request.
    """

    messages: tuple[Message, ...]
    task: EditTask
    max_output_tokens: int
    effort: str | None = None
    is_effort_default: bool = False
    predicts: bool = False
    repeats_scope: bool = True
    may_send_again: Callable[[], bool] = field(default=lambda: True, compare=False)

    @property
    def opening(self) -> ModelRequest:
        """The request without its unstable part: the prefix that later requests probably share."""
        *earlier, last = self.messages
        kept = Message(last.role, last.content[: last.n_stable], last.n_stable)
        return replace(self, messages=(*earlier, *([kept] if kept.content else [])))


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer; it may begin and end anywhere."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the reasoning; never part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens billed so far, as the provider counts; each event replaces the one before.

    Attributes:
        input_tokens: Tokens of the prompt, cached or not.
        output_tokens: Tokens of the answer and the reasoning.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """The finish reason; ``message`` is the text of a ``refusal``."""

    reason: FinishReason
    message: str = ""


ModelEvent = TextDelta | ReasoningDelta | Usage | Finished


@dataclass(frozen=True, slots=True)
class Limits:
    """Time and size limits of one answer, in seconds and tokens (contract, ``[limits]``).

    Reasoning counts as content; comments and pings do not. ``context_tokens`` limits the prompt, as
    `prompt.budget` estimates it: a fast model gets less, so that it begins at once.
    """

    connect_s: float = 5.0
    first_content_s: float = 30.0
    content_gap_s: float = 15.0
    total_s: float = 300.0
    max_output_tokens: int = 8192
    context_tokens: int = 8_000


DEEP_LIMITS = Limits(
    first_content_s=120.0, content_gap_s=60.0, max_output_tokens=32768, context_tokens=32_000
)
"""Defaults of the deep lane: reasoning models think long before their first text."""


CONTEXT_TOKENS = 32768
"""Context window of a model that runs in a child process; it is allocated in memory."""


class Model(Protocol):
    """One model at one provider."""

    @property
    def provider(self) -> str:
        """Provider's name, as shown to the user."""

    @property
    def name(self) -> str:
        """Model's name, as sent on the wire."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Request one answer.

        Closing the generator, or cancelling its consumer, closes the connection at once.

        Yields:
            Events as they arrive; ``Finished`` is the last one of a complete answer.

        Raises:
            ModelError: The provider could not be reached or returned an error.
        """

    async def warm(self, request: ModelRequest) -> Usage | None:
        """Let the provider read and cache the start of a request.

        Returns:
            The billed tokens; ``None`` if the provider has no such feature or the cache is warm already.

        Raises:
            ModelError: As `stream`.
        """

    def send_ahead(self, request: ModelRequest) -> None:
        """Send the start of a request, if the provider waits for the rest; see `streamed_request_body`.

        It is neither answered nor billed until `stream` sends a request with this start. Errors are ignored.
        """


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """An endpoint: its address, its protocol and the environment variable of its key.

    Attributes:
        base_url: Up to and including the version, such as ``https://api.cerebras.ai/v1``.
        api_key_env: Environment variable of the key; ``None`` sends no key.
        headers: Constant extra headers, never secrets.
        early_body: Whether the start of a request may be sent before its end is known.
        websocket: Whether ``responses`` uses a WebSocket if the endpoint has one.
        gguf: The model file that ``llama`` serves, in a process whose address is known once it runs.
        context_tokens: Context window of that process.
        prediction: Whether ``chat`` sends predicted output, until a model refuses it.
        hides_secrets: Whether secrets are hidden from its models.
    """

    name: str
    api: Literal["chat", "responses", "messages", "llama", "builtin"]
    base_url: str
    api_key_env: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    websocket: bool = False
    early_body: bool = False
    prediction: bool = False
    hides_secrets: bool = True
    gguf: str = ""
    context_tokens: int = CONTEXT_TOKENS
