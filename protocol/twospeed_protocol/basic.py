"""What messages are made of: the two kinds of model, and LSP's own small structures."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

UInteger = Annotated[int, Field(ge=0, le=2**31 - 1)]
Instruction = Annotated[str, Field(max_length=20_000)]


class Message(BaseModel):
    """A message: camelCase on the wire; keys a newer server adds are ignored."""

    # Built when first used: a server that starts needs few of them, and each costs time and memory.
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, defer_build=True)

    def to_json(self) -> dict[str, object]:
        """Return the message as it goes over the wire."""
        return self.model_dump(mode="json", by_alias=True)


class Strict(Message):
    """A message whose unknown keys are errors: what a client sends."""

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
    """LSP ``TextDocumentIdentifier``; a version, where given, must be the current one."""

    uri: str
    version: int | None = None


def _as_one(value: object) -> object:
    """Turn down what is no token here, where the field is named alone; a union names each of its types."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise PydanticCustomError("token", "Input should be an integer or a string")
    return value


Token = Annotated[int | str, BeforeValidator(_as_one)]


def _as_step(value: object) -> object:
    """Turn down what is only as much as one: ``true`` and ``1.0``."""
    if type(value) is not int:
        raise PydanticCustomError("step", "Input should be 1 or -1")
    return value


Step = Annotated[Literal[1, -1], BeforeValidator(_as_step)]
