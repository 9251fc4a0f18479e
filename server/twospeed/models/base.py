"""What a model is: a request goes in, a stream of events comes out.

Every provider, the built-in engine and the scripted model are one ``Model``.
An answer is complete only when ``Finished`` arrived; a stream that ends without one is broken off.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from twospeed.text.code_facts import CodeFacts

Role = Literal["system", "user", "assistant"]

FinishReason = Literal["stop", "length", "content_filter", "refusal"]
"""How an answer ended, by the model's own word: only ``stop`` is a whole answer."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class EditTask:
    """The same request as plain facts, for an engine that reads code and not prose (``builtin/rules``).

    Attributes:
        instruction: The user's words.
        language_id: LSP language id of the document.
        scope_text: The lines to rewrite, with their line ends; empty where the answer is inserted.
        code: What the parser knows of the scope; ``None`` for a language without a grammar.
        parses: Whether a text, in place of the scope, adds no syntax error to the document.
    """

    instruction: str
    language_id: str
    scope_text: str
    code: CodeFacts | None
    parses: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One answer asked for."""

    messages: tuple[Message, ...]
    task: EditTask
    max_output_tokens: int
    effort: str | None = None


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
    """Tokens billed so far, as the provider counts them; a later one replaces an earlier one."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0


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

    Reasoning counts as content, comments and pings on the wire do not.
    """

    connect_s: float = 5.0
    first_content_s: float = 30.0
    content_gap_s: float = 15.0
    total_s: float = 300.0
    max_output_tokens: int = 8192


DEEP_LIMITS = Limits(first_content_s=120.0, content_gap_s=60.0, max_output_tokens=32768)
"""The deep lane's defaults: reasoning models think long before their first word."""


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


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """An endpoint: where it is, how it speaks, which environment variable holds its key.

    Attributes:
        name: As lanes name it.
        api: The protocol, as the contract names it; ``llama`` is not built yet.
        base_url: Up to and with the version, such as ``https://api.cerebras.ai/v1``.
        api_key_env: Environment variable of the key; ``None`` sends no key.
        headers: Constant extra headers, never secrets.
        websocket: Whether ``responses`` come over a WebSocket where there is one.
    """

    name: str
    api: Literal["chat", "responses", "messages", "llama", "builtin"]
    base_url: str
    api_key_env: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    websocket: bool = False
