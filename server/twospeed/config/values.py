"""The types of values in a settings file, which several tables use."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def on_one_line(text: str) -> str:
    """Return a text; raises ValueError if it has control characters."""
    if any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in text):
        raise ValueError("must be one line without control characters")
    return text


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(on_one_line)]
Seconds = Annotated[float, Field(gt=0, le=24 * 60 * 60)]
Count = Annotated[int, Field(gt=0, le=10**12)]
Money = Annotated[float, Field(ge=0, le=10**6)]


def _program(arguments: list[str]) -> list[str]:
    program = os.path.expanduser(arguments[0])  # noqa: PTH111  # pathlib raises for an unknown user
    if not Path(program).is_absolute() and Path(program).name != program:
        raise ValueError("must begin with the name of a program on PATH or its absolute path")
    return [program, *arguments[1:]]


Argument = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(on_one_line)]
Command = Annotated[list[Argument], Field(min_length=1, max_length=100), AfterValidator(_program)]


class Table(BaseModel):
    """A table that refuses unknown keys."""

    # Built on first use, so a start without config file builds none.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, defer_build=True)
