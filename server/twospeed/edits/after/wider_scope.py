"""Find out whether an answer says that code outside its scope must change too."""

from __future__ import annotations

import re

from twospeed import syntax
from twospeed.edits.inline_edit import InlineEdit
from twospeed.text.code.scope import ScopeChoice

_NEEDS_MORE = re.compile(
    r"\b(?:also|need(?:s|ed)?|must|should|have to|has to|remember|make sure|don't forget|do not forget|callers?|elsewhere)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z_]\w*")


def wider_scope(edit: InlineEdit) -> ScopeChoice | None:
    """Return the scope that contains the definitions that the model's prose names outside of the edit's scope.

    ``class`` if all are in the class around the scope, else ``file``; ``None`` if the prose names none, or does not say that
    something is needed. Only whole names of functions and classes of the document count.
    """
    prose, scope = edit.answer.prose, edit.live
    if edit.scope.kind == "file" or not _NEEDS_MORE.search(prose):
        return None
    document = edit.document  # its tree is known, and an editor asks at each move of the cursor
    file = syntax.symbols_of(document.lines, document.language_id)
    if file is None:
        return None
    words = set(_NAME.findall(prose))
    named = [
        symbol
        for symbol in file.symbols
        if symbol.kind != "value"
        and re.split(r"\W+", symbol.name)[-1] in words
        and (symbol.end <= scope.start or symbol.start >= scope.end)
    ]
    if not named:
        return None
    around = [
        symbol
        for symbol in file.symbols
        if symbol.kind == "class" and symbol.start < scope.start and scope.end <= symbol.end
    ]
    inner = max(around, key=lambda symbol: symbol.start, default=None)
    is_in_class = inner is not None and all(
        inner.start < symbol.start and symbol.end <= inner.end for symbol in named
    )
    return "class" if is_in_class else "file"
