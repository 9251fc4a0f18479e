"""Say which of the models that a provider lists is the fast one, and which the deep one.

Providers retire names within months and keep the names of their families for years, so a family is preferred, and
of a family the newest. A pattern fits a whole name: what a family has for sound, search or dated snapshots is
called otherwise. Families and the efforts they take: the providers' own pages, November 2026. Data and one rule.
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
        name: As sent on the wire.
        created: When it came, in seconds of the Unix clock; 0 where the list does not say.
        window_tokens: What prompt and answer may be together; ``None`` where the list does not say.
    """

    name: str
    created: float = 0.0
    window_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Preferred:
    """A model chosen.

    Attributes:
        name: As sent on the wire.
        effort: How hard it is to think; ``None`` where nothing is said of that.
        window_tokens: What prompt and answer may be together; ``None`` where that is not known.
    """

    name: str
    effort: str | None = None
    window_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class _Family:
    """A family of models.

    Attributes:
        pattern: Fits the whole name of each.
        effort: What all of them take.
        suffix: Put behind the name.
    """

    pattern: str
    effort: str | None = None
    suffix: str = ""


_N = r"\d+(?:[.-]\d{1,2})?"
_REASONING_GPT = r"gpt-(?:[5-9]|\d\d)(?:\.\d+)?"
"""Those before do not think, and refuse to be told how hard."""
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
            _Family(r"grok-(?:4\.[3-9]|(?:[5-9]|\d\d)(?:\.\d+)?)", "none"),  # 4.3 is the first that takes it
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

    Args:
        provider: Its name in the table of providers.
        speed: What it is wanted for.
        listed: What the provider has, in its own order.

    Returns:
        The newest of the first family that is there: the latest by its date, of equals the one listed first;
        ``None`` where no family is there.
    """
    for family in _FAMILIES.get(provider, {}).get(speed, ()):
        fitting = [model for model in listed if re.fullmatch(family.pattern, model.name)]
        if fitting:
            newest = max(fitting, key=lambda model: model.created)
            return Preferred(newest.name + family.suffix, family.effort, newest.window_tokens)
    return None
