"""The mode for sensitive code; a long scope is searched in a thread, a short one at once."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any, cast

import pytest
from tests.edits.schedulers import ENTRY

from twospeed import gate, syntax
from twospeed.edits.prompting.sensitivity import (
    MAX_SIZE_AT_ONCE,
    Sensitivity,
    classify_scope,
    sensitive_uses_in,
    sensitivity_of,
)
from twospeed.gate import GateSettings
from twospeed.gate.facts import SensitiveUse
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document

LINE = "eval(x)\n"


@pytest.mark.parametrize(
    ("n_lines", "is_in_thread"), [(10, False), (MAX_SIZE_AT_ONCE // len(LINE) + 1, True)]
)
async def test_a_long_scope_is_searched_for_sensitive_code_in_a_thread(
    n_lines: int, is_in_thread: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    search = gate.sensitive_uses

    def sensitive_uses(*args: object) -> object:
        threads.append(threading.current_thread())
        return search(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(gate, "sensitive_uses", sensitive_uses)
    document = Document.opened("file:///a.py", 1, "python", LINE * n_lines, "utf-16")
    found = await sensitive_uses_in(document, sensitivity_of(document, Scope("selection", None, 0, n_lines)))
    assert [(each.topic, each.line) for each in found] == [("commands", 0)]
    assert [thread is not threading.main_thread() for thread in threads] == [is_in_thread]


class Serving:
    """Returns the entry that serves deep mode, and counts the calls."""

    def __init__(self, provider: str) -> None:
        self.entry = replace(ENTRY, provider=provider)
        self.asked: list[str] = []

    async def serving(self, mode: str) -> Any:
        self.asked.append(mode)
        return self.entry


RUNS = SensitiveUse("commands", 1, "eval")


@pytest.mark.parametrize(
    ("mode", "sensitive", "text", "provider", "expected", "n_asked"),
    [
        ("lightning", "deep", LINE, "lab", ("deep", (RUNS,), "sensitive: commands"), 1),
        (
            "lightning",
            "deep",
            LINE,
            "builtin",
            ("lightning", (RUNS,), "mode; sensitive: commands, Deep is not ready"),
            1,
        ),
        (
            "lightning",
            "offer",
            LINE,
            "lab",
            ("lightning", (RUNS,), "mode; sensitive: commands, Deep is offered"),
            1,
        ),
        ("lightning", "off", LINE, "lab", ("lightning", (), "mode"), 0),
        ("lightning", "deep", "x = 1\n", "lab", ("lightning", (), "mode"), 0),
        ("deep", "deep", LINE, "lab", ("deep", (), "mode"), 0),
    ],
)
async def test_settings_and_sensitive_code_choose_the_mode(
    mode: Any,
    sensitive: Any,
    text: str,
    provider: str,
    expected: Any,
    n_asked: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[object] = []

    async def wait_for_scope_code(*place: object) -> None:
        waited.append(place)

    monkeypatch.setattr(syntax, "wait_for_scope_code", wait_for_scope_code)
    document = Document.opened("file:///a.py", 1, "python", "y = 2\n" + text, "utf-16")
    scope, source = Scope("selection", None, 1, 2), Serving(provider)
    sensitivity = await classify_scope(
        document, scope, mode, GateSettings(sensitive=sensitive), cast("Any", source)
    )
    mode, sensitive_uses, route = expected
    assert sensitivity == Sensitivity(sensitivity_of(document, scope).before, mode, sensitive_uses, route)
    assert source.asked == ["deep"] * n_asked
    assert waited == [(document.lines, "python", 1, 2)]
