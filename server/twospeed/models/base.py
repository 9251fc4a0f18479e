"""The interface of a model: a request in, a stream of events out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from twospeed.models.http.endpoints import DIRECT, Endpoint, Network, parse_endpoint
from twospeed.text.code.scope import Scope
from twospeed.text.line_blocks import Lines

Role = Literal["system", "user", "assistant"]

# Finish reason reported by the model; only ``stop`` means a complete answer.
FinishReason = Literal["stop", "length", "content_filter", "refusal"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the prompt."""

    role: Role
    content: str
    # the next request probably repeats these first characters: the provider should cache them
    n_stable: int = 0

    @property
    def parts(self) -> tuple[str, ...]:
        """The stable and the unstable part, in order, without empty ones."""
        return tuple(part for part in (self.content[: self.n_stable], self.content[self.n_stable :]) if part)


_PRICED_TOKENS = 1_000_000
_COST_DIGITS = 10
_NO_LINES = Scope("file", None, 0, 0)


@dataclass(frozen=True, slots=True)
class EditTask:
    """The request as values, for an engine that reads code and not prose (`rules`)."""

    instruction: str
    language_id: str
    scope_text: str  # the lines to rewrite, with their line ends; empty for an insertion
    parses: Callable[[str], bool]  # whether a text in place of the scope adds no syntax error
    sent_text: str = ""  # the scope with placeholders for secrets, as a model sees it
    lines: Lines = field(default_factory=lambda: Lines.of(()))
    scope: Scope = _NO_LINES


@dataclass(frozen=True, slots=True)
class Infill:
    """The text on both sides of a gap, which a model for fill-in-the-middle completes."""

    prefix: str
    suffix: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """The request for one answer."""

    messages: tuple[Message, ...]
    task: EditTask
    max_output_tokens: int
    effort: str | None = None  # reasoning effort in the provider's own words; None leaves it to the provider
    # if the user did not set the effort, it is dropped when the model refuses it
    is_effort_default: bool = False
    predicts: bool = False  # whether to send the scope's text as predicted output
    repeats_scope: bool = True  # whether the answer contains the whole scope, not only the changes
    infill: Infill | None = None  # what `completions` sends; it has no messages
    # called before an unanswered request is sent again; True counts as a request
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
    """Tokens billed so far, as the provider counts; each event replaces the one before."""

    input_tokens: int = 0  # of the prompt, cached or not
    output_tokens: int = 0  # of the answer and the reasoning
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a million tokens of each kind, configured by the user in any currency."""

    input: float
    output: float  # includes the reasoning
    cached_input: float | None = None  # None means the price of `input`
    cache_write: float | None = None  # None means the price of `input`

    def of(self, usage: Usage) -> float:
        """Return the cost of a request, in the currency of the prices."""
        cached = min(usage.cached_tokens, usage.input_tokens)
        written = min(usage.cache_write_tokens, usage.input_tokens - cached)
        cost = (
            (usage.input_tokens - cached - written) * self.input
            + cached * (self.input if self.cached_input is None else self.cached_input)
            + written * (self.input if self.cache_write is None else self.cache_write)
            + usage.output_tokens * self.output
        )
        return round(cost / _PRICED_TOKENS, _COST_DIGITS)


@dataclass(frozen=True, slots=True)
class Finished:
    """The finish reason; without it the answer broke off. ``message`` is the text of a ``refusal``."""

    reason: FinishReason
    message: str = ""


ModelEvent = TextDelta | ReasoningDelta | Usage | Finished


@dataclass(frozen=True, slots=True)
class Limits:
    """Time and size limits of one answer, in seconds and tokens (contract, ``[limits]``)."""

    connect_s: float = 5.0
    first_content_s: float = 30.0  # reasoning counts as content; comments and pings do not
    content_gap_s: float = 15.0
    total_s: float = 300.0
    max_output_tokens: int = 8192
    # of the prompt, as `prompt.budget` estimates it: a fast model gets less, so that it begins at once
    context_tokens: int = 8_000


# Defaults of the deep lane: reasoning models think long before their first text.
DEEP_LIMITS = Limits(
    first_content_s=120.0, content_gap_s=60.0, max_output_tokens=32768, context_tokens=32_000
)


# Context window of a model that runs in a child process; it is allocated in memory.
CONTEXT_TOKENS = 32768


class Model(Protocol):
    """One model at one provider."""

    @property
    def provider(self) -> str:
        """Provider's name, as shown to the user."""

    @property
    def name(self) -> str:
        """Model's name, as sent on the wire."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Request one answer; ``Finished`` is the last event of a complete one. Raises ModelError.

        Closing the generator closes the connection at once.
        """

    async def warm(self, request: ModelRequest) -> Usage | None:
        """Let the provider cache the start of a request, and return the billed tokens. Raises ModelError.

        None means that nothing was sent: the cache is warm already, or the provider has none.
        """

    def send_ahead(self, request: ModelRequest) -> None:
        """Send the start of a request (`streamed_request_body`); errors are ignored."""


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """An endpoint: its address, its protocol and the environment variable of its key."""

    name: str
    api: Literal["chat", "responses", "messages", "completions", "llama", "builtin"]
    base_url: str  # up to and including the version, such as https://api.cerebras.ai/v1
    api_key_env: str | None = None  # None sends no key
    headers: dict[str, str] = field(default_factory=dict)  # constant extra headers, never secrets
    websocket: bool = False  # whether `responses` uses a WebSocket if the endpoint has one
    early_body: bool = False  # whether the start of a request may be sent before its end is known
    prediction: bool = False  # whether `chat` sends predicted output, until a model refuses it
    hides_secrets: bool = True
    gguf: str = ""  # the model file that `llama` serves, in a process whose address is known once it runs
    context_tokens: int = CONTEXT_TOKENS
    insecure_http: bool = False  # whether `http` is allowed to a host in a private network
    network: Network = DIRECT
    key_command: tuple[str, ...] = ()  # prints the key

    @property
    def endpoint(self) -> Endpoint:
        """Its address; raises UnsafeEndpoint."""
        endpoint = parse_endpoint(self.base_url, insecure_http=self.insecure_http)
        return endpoint if self.network is DIRECT else replace(endpoint, network=self.network)
