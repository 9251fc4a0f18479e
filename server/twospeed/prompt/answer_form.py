"""The form in which an answer is asked for: the whole scope in one code block, or only what changes in it.

A whole scope streams from its first line on, and is what models get right most often. But it costs the tokens of all
that stays, so a long one is asked for as search/replace blocks, of which an ordinary change needs some hundred tokens.
An answer in the other form is understood as well (`stream.answers`).

A code block has a delimiter on both sides: what is inside is code by construction, and the closing fence proves that the
answer is complete.
"""

from __future__ import annotations

import re
from typing import Literal

AnswerForm = Literal["whole", "blocks", "findings"]
"""``findings`` asks for no code at all, but for what is wrong with it (`findings`)."""

MAX_WHOLE_CHARS = 12_000
"""Of a scope that is asked for whole: some 300 lines, 3,000 tokens, half a minute of a model that thinks."""

_LIKE_A_MARK = re.compile(r"^(?:<{5,9}|={5,9}|>{5,9}|\|{5,9}|-{5,9}|\+{5,9})(?: .*)?\r?$", re.MULTILINE)
"""Lines that could be taken for the marks of a block: conflicts, underlines of titles."""


_FENCE_AT_START = re.compile(r"^[ \t]*+(`{3,})", re.MULTILINE)
_MIN_FENCE = 3
"""Backticks of the shortest fence (CommonMark 0.31, section 4.5)."""

_FENCE_IN_PROSE = 4
"""Backticks around prose, which may get code blocks of its own."""

_PROSE = frozenset({"markdown", "mdx", "plaintext", "restructuredtext", "asciidoc", "quarto", "rmd"})
"""LSP language ids of texts that hold code blocks."""


def answer_fence_for(scope_text: str, language_id: str) -> str:
    """Return the fence that delimits an answer: backticks, more than any fence of the scope has.

    Args:
        scope_text: The lines to rewrite.
        language_id: LSP language id of the document.
    """
    longest = max(map(len, _FENCE_AT_START.findall(scope_text)), default=0)
    least = _FENCE_IN_PROSE if is_prose(language_id) else _MIN_FENCE
    return "`" * max(least, longest + 1 if longest else 0)


def is_prose(language_id: str) -> bool:
    """Whether documents of a language are written for people, and may hold code blocks."""
    return language_id in _PROSE


def answer_form_for(scope_text: str) -> AnswerForm:
    """Choose the form for a scope; depends on nothing but its text, so that asking again asks alike."""
    is_long = len(scope_text) > MAX_WHOLE_CHARS
    return "blocks" if is_long and not _LIKE_A_MARK.search(scope_text) else "whole"
