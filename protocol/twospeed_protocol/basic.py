"""The two base classes of messages, and the small structures of LSP."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

UInteger = Annotated[int, Field(ge=0, le=2**31 - 1)]
Instruction = Annotated[str, Field(max_length=20_000)]


class Message(BaseModel):
    """A message that the server sends: camelCase on the wire, unknown keys are ignored."""

    # Deferred until first use: each model costs start-up time and memory, and a session needs few of them.
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, defer_build=True)

    def to_json(self) -> dict[str, object]:
        """Return the message as a JSON object."""
        return self.model_dump(mode="json", by_alias=True)


class Strict(Message):
    """A message that a client sends: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Position(Strict):
    """LSP ``Position``."""

    line: UInteger
    character: UInteger


class Range(Strict):
    """LSP ``Range``."""

    start: Position
    end: Position


class TextEdit(Strict):
    """LSP ``TextEdit``."""

    range: Range
    new_text: str


class VersionedDocument(Strict):
    """LSP ``VersionedTextDocumentIdentifier``."""

    uri: str
    version: int


class DocumentId(Strict):
    """LSP ``TextDocumentIdentifier``; if it has a version, that must be the current one."""

    uri: str
    version: int | None = None


def _as_one(value: object) -> object:
    # The error of a union would name each of its types, not only the field.
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise PydanticCustomError("token", "Input should be an integer or a string")
    return value


Token = Annotated[int | str, BeforeValidator(_as_one)]


def _as_step(value: object) -> object:
    # `true` and `1.0` equal 1, so a Literal alone accepts them.
    if type(value) is not int:
        raise PydanticCustomError("step", "Input should be 1 or -1")
    return value


Step = Annotated[Literal[1, -1], BeforeValidator(_as_step)]


class Diagnostic(Message):
    """LSP ``Diagnostic`` of another language server; further keys are ignored. Without ``severity`` it is an error."""

    model_config = ConfigDict(strict=True)

    range: Range
    severity: Literal[1, 2, 3, 4] | None = None
    code: Token | None = None
    source: str | None = None
    message: str
