"""Detect reasoning that a model writes before its answer, in a tag of any name: ``<think>…</think>``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from .evidence import OldText, Surroundings

_NAME = r"([A-Za-z][\w.:-]*)"
_OPENING = re.compile(rf"\s*<{_NAME}(?:\s[^<>]*)?>")
_CLOSING = re.compile(rf"</{_NAME}\s*>")
_OPENED = re.compile(rf"<{_NAME}")
_ANY = re.compile(rf"</?{_NAME}")
_TAG_ALONE = re.compile(rf"\s*</?{_NAME}>\s*")

_REASONING = frozenset(
    [
        "think",
        "thinking",
        "thought",
        "thoughts",
        "reasoning",
        "reason",
        "analysis",
        "reflection",
        "scratchpad",
        "plan",
        "planning",
    ]
)
"""Tags whose content is never the answer, even if nothing follows."""

_WORDS = re.compile(r"[a-z]+|[A-Z][a-z]*")
_CODE_WORDS = frozenset(["code", "source"])
"""Words in names of tags that contain code. ``<code>`` alone is also an element of Markdown."""


class ReasoningBlock:
    """An open block, including nested blocks of the same name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._depth = 0
        self._opening = re.compile(rf"\s*<{re.escape(name)}(?:\s[^<>]*)?>")
        self._closing = re.compile(rf"</{re.escape(name)}\s*>")

    def receive_line(self, line: str) -> str | None:
        """Return the text after the block's end, or ``None`` while it is open."""
        at = 0
        # Only at the start of a line; elsewhere the tag is only mentioned.
        while match := self._opening.match(line, at):
            self._depth, at = self._depth + 1, match.end()
        for match in self._closing.finditer(line, at):
            self._depth -= 1
            if self._depth <= 0:
                return line[match.end() :]
        return None


class ReasoningTags:
    """Distinguishes tags of reasoning from tags of the document's code."""

    def __init__(self, old: OldText, around: Surroundings) -> None:
        self._old = old
        self._around = around
        self._opened: set[str] = set()

    def opened_by(self, line: str) -> ReasoningBlock | None:
        """Return the reasoning block that the first line of an answer opens."""
        match = _OPENING.match(line)
        return ReasoningBlock(match[1]) if match and self._is_foreign(match[1]) else None

    def after_closing(self, line: str) -> str | None:
        """Return the text after a closing tag whose opening tag the chat template wrote."""
        if "<" not in line:
            return None
        self._opened.update(_OPENED.findall(line))
        match = _CLOSING.search(line)
        if match is None or match[1] in self._opened or not self._is_foreign(match[1]):
            return None
        return line[match.end() :]

    def _is_foreign(self, name: str) -> bool:
        return not self._old.first.lstrip().startswith("<") and name not in self._names

    @cached_property
    def _names(self) -> set[str]:
        lines = (*self._around.above, *self._old.lines, *self._around.below)
        return {name for line in lines if "<" in line for name in _ANY.findall(line)}


def is_code_tag(line: str, *, is_prose: bool) -> bool:
    """Whether a tag alone on a line has a name that means code."""
    match = _TAG_ALONE.fullmatch(line)
    words = {word.lower() for word in _WORDS.findall(match[1])} if match else set[str]()
    return not words.isdisjoint(_CODE_WORDS) and not (is_prose and words == {"code"})


def content_of_tags(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines between tags on the first and the last line; nothing if they may be reasoning."""
    opening, closing = (_TAG_ALONE.fullmatch(line) for line in (lines[0], lines[-1]))
    if opening is None or closing is None or opening[1].lower() in _REASONING:
        return ()
    return lines[1:-1]
