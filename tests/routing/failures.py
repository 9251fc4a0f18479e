"""Create errors of a model."""

from __future__ import annotations

from twospeed import errors
from twospeed.errors import ModelError


def error(kind: type[ModelError], **more: object) -> ModelError:
    return kind("words", provider="lab", model="m", **more)  # type: ignore[arg-type]  # by keyword


def timeout(limit: str) -> ModelError:
    return errors.ModelTimeout("words", provider="lab", model="m", limit=limit)
