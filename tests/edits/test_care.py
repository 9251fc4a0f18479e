"""A long scope is searched for sensitive code in a thread, a short one at once."""

from __future__ import annotations

import threading

import pytest

from twospeed import gate
from twospeed.edits.care import MAX_SIZE_AT_ONCE, care_of, touches_in
from twospeed.text.document import Document
from twospeed.text.scope import Scope

LINE = "eval(x)\n"


@pytest.mark.parametrize(
    ("n_lines", "is_in_thread"), [(10, False), (MAX_SIZE_AT_ONCE // len(LINE) + 1, True)]
)
async def test_where_a_scope_is_searched(
    n_lines: int, is_in_thread: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    search = gate.touches

    def touches(*args: object) -> object:
        threads.append(threading.current_thread())
        return search(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(gate, "touches", touches)
    document = Document.opened("file:///a.py", 1, "python", LINE * n_lines, "utf-16")
    found = await touches_in(document, care_of(document, Scope("selection", None, 0, n_lines)))
    assert [(each.topic, each.line) for each in found] == [("commands", 0)]
    assert [thread is not threading.main_thread() for thread in threads] == [is_in_thread]
