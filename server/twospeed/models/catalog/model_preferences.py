"""Choose the fast and the deep model from the list of a provider.

Providers retire model names within months but keep family names for years, so the newest model of a preferred
family is chosen. A pattern matches the whole name, which excludes variants for sound, search and dated
snapshots. Source of families and efforts: the providers' own pages, November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Speed = Literal["fast", "deep"]


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as its provider lists it.

    Attributes:
        created: Seconds since 1970; 0 if the list does not say.
        window_tokens: Limit of prompt and answer together; ``None`` if the list does not say.
    """

    name: str
    created: float = 0.0
    window_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Preferred:
    """The chosen model.

    Attributes:
        effort: Reasoning effort; ``None`` leaves it to the provider.
        window_tokens: Limit of prompt and answer together; ``None`` if unknown.
    """

    name: str
    effort: str | None = None
    window_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class _Family:
    """A family of models.

    Attributes:
        pattern: Matches the whole name of each.
    """

    pattern: str
    effort: str | None = None
    suffix: str = ""


_N = r"\d+(?:[.-]\d{1,2})?"
_REASONING_GPT = r"gpt-(?:[5-9]|\d\d)(?:\.\d+)?"
"""Earlier models do not reason and refuse an effort."""
_CLAUDE_DATE = r"(?:-\d{8})?"

_FAMILIES: Final[Mapping[str, Mapping[Speed, Sequence[_Family]]]] = {
    "openai": {
        "fast": [
            _Family(rf"{_REASONING_GPT}-luna", "none"),
            _Family(rf"{_REASONING_GPT}-(?:mini|nano)"),
            _Family(r"gpt-\d[\do.]*-mini"),
        ],
        "deep": [
            _Family(rf"{_REASONING_GPT}-sol", "high"),
            _Family(rf"{_REASONING_GPT}(?:-terra)?", "high"),
            _Family(r"gpt-\d[\do.]*"),
        ],
    },
    "anthropic": {
        "fast": [
            _Family(rf"claude-haiku-{_N}{_CLAUDE_DATE}", "none"),
            _Family(rf"claude-sonnet-{_N}{_CLAUDE_DATE}", "none"),
        ],
        "deep": [
            _Family(rf"claude-opus-{_N}{_CLAUDE_DATE}", "high"),
            _Family(rf"claude-sonnet-{_N}{_CLAUDE_DATE}", "high"),
        ],
    },
    "cerebras": {
        "fast": [_Family(r"gpt-oss-\d+b"), _Family(r"llama.*\d+b.*"), _Family(r"qwen-.*")],
        "deep": [_Family(r"qwen-.*"), _Family(r"(?:zai-)?glm-.*"), _Family(r"gpt-oss-\d+b")],
    },
    "groq": {
        "fast": [_Family(r"openai/gpt-oss-20b"), _Family(r".*-instant"), _Family(r"openai/gpt-oss-\d+b")],
        "deep": [
            _Family(r"openai/gpt-oss-\d{3,}b"),
            _Family(r"moonshotai/kimi-.*"),
            _Family(r"qwen/.*"),
            _Family(r".*-versatile"),
        ],
    },
    "xai": {
        "fast": [
            _Family(
                r"grok-(?:4\.[3-9]|(?:[5-9]|\d\d)(?:\.\d+)?)", "none"
            ),  # 4.3 is the first that accepts an effort
            _Family(r"grok-.*-non-reasoning"),
            _Family(r"grok-code-.*"),
        ],
        "deep": [_Family(rf"grok-{_N}"), _Family(r"grok-.*(?<!non)-reasoning")],
    },
    "openrouter": {  # :nitro sorts the hosts by tokens per second
        "fast": [
            _Family(r"openai/gpt-oss-\d{3,}b", suffix=":nitro"),
            _Family(rf"openai/{_REASONING_GPT}-luna", "none", suffix=":nitro"),
            _Family(rf"anthropic/claude-haiku-{_N}", "none"),
        ],
        "deep": [
            _Family(rf"openai/{_REASONING_GPT}-sol"),
            _Family(rf"anthropic/claude-opus-{_N}"),
            _Family(rf"openai/{_REASONING_GPT}"),
        ],
    },
}


def prefer(provider: str, speed: Speed, listed: Sequence[ListedModel]) -> Preferred | None:
    """Choose a model.

    Returns:
        The newest model, by date and then list position, of the first family that is listed; ``None`` if none
            is.
    """
    for family in _FAMILIES.get(provider, {}).get(speed, ()):
        fitting = [model for model in listed if re.fullmatch(family.pattern, model.name)]
        if fitting:
            newest = max(fitting, key=lambda model: model.created)
            return Preferred(newest.name + family.suffix, family.effort, newest.window_tokens)
    return None
