"""What a model is: a request goes in, a stream of events comes out.

Every provider, the built-in engine and the scripted model are one ``Model``.
An answer is complete only when ``Finished`` arrived; a stream that ends without one is broken off.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from twospeed.text.code.scope import Scope
from twospeed.text.line_blocks import Lines

Role = Literal["system", "user", "assistant"]

FinishReason = Literal["stop", "length", "content_filter", "refusal"]
"""How an answer ended, by the model's own word: only ``stop`` is a whole answer."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the prompt.

    Attributes:
        role: Who says it.
        content: What is said.
        n_stable: How much of ``content``, from its start, is likely to be the same in the next request, and is worth
            being kept by the provider; 0 where nothing is known.
    """

    role: Role
    content: str
    n_stable: int = 0

    @property
    def parts(self) -> tuple[str, ...]:
        """What is stable and what is not, in order, without empty parts."""
        return tuple(part for part in (self.content[: self.n_stable], self.content[self.n_stable :]) if part)


_NO_LINES = Scope("file", None, 0, 0)


@dataclass(frozen=True, slots=True)
class EditTask:
    """The request as values, for an engine that reads code and not prose (`rules`).

    Attributes:
        instruction: The user's words.
        language_id: LSP language id of the document.
        scope_text: The lines to rewrite, with their line ends; empty where the answer is inserted.
        sent_text: The same as a model is shown it, with placeholders in place of secrets.
        lines: The document's lines, with their line ends.
        scope: The lines of it to rewrite.
        parses: Whether a text, in place of the scope, adds no syntax error to the document.
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
    """One answer asked for.

    Attributes:
        messages: The prompt.
        task: The same as facts.
        max_output_tokens: The answer's limit.
        effort: How much to think, in the model's own words; ``None`` leaves it to the provider.
        is_effort_ours: Whether that is a guess of ours, which a model may refuse, and not the user's word.
        predicts: Whether the provider is to be told that much of the scope's text will be in the answer.
        repeats_scope: Whether it will be: the whole scope is asked for, not only what changes.
        may_send_again: Asked by a model that has sent it, was told nothing, and could send it once more; a yes counts
            as a request.
    """

    messages: tuple[Message, ...]
    task: EditTask
    max_output_tokens: int
    effort: str | None = None
    is_effort_ours: bool = False
    predicts: bool = False
    repeats_scope: bool = True
    may_send_again: Callable[[], bool] = field(default=lambda: True, compare=False)

    @property
    def opening(self) -> ModelRequest:
        """The same without what is not stable: the start that requests to come are likely to share."""
        *earlier, last = self.messages
        kept = Message(last.role, last.content[: last.n_stable], last.n_stable)
        return replace(self, messages=(*earlier, *([kept] if kept.content else [])))


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer; pieces may be cut anywhere."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's thinking; never part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens billed so far, as the provider counts them; a later one replaces an earlier one.

    Attributes:
        input_tokens: Of the prompt, however it was read.
        output_tokens: Of the answer and the thinking.
        cached_tokens: How many of the input were read from a cache.
        reasoning_tokens: How many of the output were thought.
        cache_write_tokens: How many of the input were written to a cache.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """The model's own word that the answer ended, and why.

    ``message`` is what the model, or the engine, said instead of an answer (``refusal``).
    """

    reason: FinishReason
    message: str = ""


ModelEvent = TextDelta | ReasoningDelta | Usage | Finished


@dataclass(frozen=True, slots=True)
class Limits:
    """Time and size limits of one answer, in seconds and tokens (contract, ``[limits]``).

    Reasoning counts as content, comments and pings on the wire do not. ``context_tokens`` is the prompt's, as
    `prompt.budget` estimates them: a fast model is to begin at once, so it is told less.
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
"""The deep lane's defaults: reasoning models think long before their first word."""


CONTEXT_TOKENS = 32768
"""What prompt and answer may be together in a model that runs in a process of ours; what is kept for them takes memory."""


class Model(Protocol):
    """One model at one provider."""

    @property
    def provider(self) -> str:
        """Provider's name, as shown to the user."""

    @property
    def name(self) -> str:
        """Model's name, as sent on the wire."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask for one answer.

        Yields:
            Events as they arrive; ``Finished`` is the last one of a whole answer.

        Raises:
            ModelError: The provider could not be reached or answered with an error.

        Closing the generator, or cancelling its consumer, releases the connection at once.
        """

    async def warm(self, request: ModelRequest) -> Usage | None:
        """Have the provider read how a request begins, and keep it for the requests to come that begin alike.

        Returns:
            What that has cost; ``None`` where the provider offers nothing of the kind, or keeps it already.

        Raises:
            ModelError: As `stream`.
        """

    def send_ahead(self, request: ModelRequest) -> None:
        """Send how a request begins, where the provider is known to wait for the rest; see `streamed_request_body`.

        Nothing is answered, and nothing costs anything, before `stream` is asked for a request that begins so. What
        goes wrong is told to nobody.
        """


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """An endpoint: where it is, how it speaks, which environment variable holds its key.

    Attributes:
        name: As lanes name it.
        api: The protocol, as the contract names it.
        base_url: Up to and with the version, such as ``https://api.cerebras.ai/v1``.
        api_key_env: Environment variable of the key; ``None`` sends no key.
        headers: Constant extra headers, never secrets.
        early_body: Whether the start of a request may be sent before its end is known.
        websocket: Whether ``responses`` come over a WebSocket where there is one.
        gguf: The file that ``llama`` serves, in a process whose address is known once it runs.
        context_tokens: What prompt and answer may be together there.
        prediction: Whether ``chat`` is told what an answer is likely to hold, until a model refuses that.
        hides_secrets: Whether its models are kept from what looks like a secret.
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
