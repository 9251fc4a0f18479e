"""In which form an answer is asked for: the whole scope, or only what changes in it.

A whole scope streams from its first line on, and is what models get right most often. But it costs the tokens of all
that stays, so a long one is asked for as search/replace blocks, of which an ordinary change needs some hundred tokens.
Whoever answers in the other form is understood all the same (`stream.answers`).
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


def answer_form_for(scope_text: str) -> AnswerForm:
    """Choose the form for a scope; depends on nothing but its text, so that asking again asks alike."""
    is_long = len(scope_text) > MAX_WHOLE_CHARS
    return "blocks" if is_long and not _LIKE_A_MARK.search(scope_text) else "whole"
