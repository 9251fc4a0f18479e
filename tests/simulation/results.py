"""Check the result of an edit's request against the document at the version that it names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .ledger import Ledger, Places, changes_of
from .verdicts import moved_in
from .watched import Watched


def check_result(watched: Watched, ledger: Ledger, result: Mapping[str, Any], large: int) -> None:
    """Check the response to the request of an edit."""
    assert result["outcome"] == watched.outcome, f"{watched.label} is answered {result['outcome']}"
    version = result["version"]
    text = ledger.told[version].text
    if not watched.is_preview:
        stands = text_at(text, result["scope"]["range"], large)
        assert stands == result["newText"], f"{watched.label}: newText"
    elif result["edit"]:
        document, edits = changes_of(result["edit"])
        assert document["version"] == version
        done = Ledger("", text, 0, large=large)
        done.replace(done.places.spans(edits))
        ((start, end, _),) = Places(text, large).spans([{"range": result["scope"]["range"], "newText": ""}])
        assert done.text == text[:start] + result["newText"] + text[end:], f"{watched.label}: edit"
        assert watched.answer
        lines = result["newText"].splitlines()
        assert lines == moved_in(watched, watched.answer.lines, lines, (watched.old or "").splitlines())


def text_at(text: str, where: Mapping[str, Any], large: int) -> str:
    """Return the text of a range."""
    ((start, end, _),) = Places(text, large).spans([{"range": where, "newText": ""}])
    return text[start:end]
