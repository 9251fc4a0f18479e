"""Errors that another language server reports only after an edit, in a real Emacs with Eglot."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.conformance.problem_server import COMMAND
from tests.editors.emacs.editor_session import EditorSession, editor_session
from tests.editors.emacs.emacs import has_library, needs_emacs, string
from tests.editors.scenarios import NEW, SHOP

from twospeed.testing.script import Script

pytestmark = [pytest.mark.process, needs_emacs]

OLD = SHOP + "\n\nprint(missing_before)\n"
TAX = "    # the tax comes last\n"
BROKEN = NEW.replace(TAX, f"{TAX}    items.missing_after()\n")
ASK, MEND = "\x03*ecount them\r", "\x03*M"
SHOWN = (
    "(vconcat (sort (mapcar (lambda (each) (substring-no-properties (flymake-diagnostic-text each)))"
    " (flymake-diagnostics)) #'string<))"
)


def answer(code: str) -> Script:
    return Script(f"```python\n{code}```\n")


async def start_problem_server(session: EditorSession) -> None:
    command = " ".join(map(string, COMMAND))
    await session.emacs.eval(
        "(progn (require 'eglot) (setq eglot-sync-connect 10)"
        f" (add-to-list 'eglot-server-programs (list 'python-mode {command}))"
        " (apply #'eglot (eglot--guess-contact)) t)"
    )
    await session.until(f"(length {SHOWN})", wanted=1)


async def test_a_new_error_is_a_finding_that_a_follow_up_edit_mends(tmp_path: Path) -> None:
    if not has_library("eglot"):
        pytest.skip("this Emacs has no Eglot")
    async with editor_session(tmp_path, OLD.encode(), answer(BROKEN), answer(NEW), has_site=True) as session:
        await start_problem_server(session)
        await session.go_to(6)
        await session.emacs.typed(ASK)
        await session.until_edit(state="review")
        await session.until(f"(length {SHOWN})", wanted=3)
        shown = await session.emacs.eval(SHOWN)
        [finding] = [each for each in shown if each.startswith("twospeed: ")]
        assert "missing_after is not defined" in finding
        await session.emacs.wait_until(
            lambda: any("; M-x twospeed-mend mends it" in each for each in session.emacs.events_of("message"))
        )
        await session.emacs.typed(MEND)
        await session.until_edit(state="review", editId="e2", mode="lightning")
        await session.until(f"(length {SHOWN})", wanted=1)
        assert "missing_after is not defined" in str(session.model.requests[-1].body)
        assert len(session.model.requests) == 2


async def test_without_another_server_nothing_is_sent(tmp_path: Path) -> None:
    async with editor_session(tmp_path, OLD.encode(), answer(BROKEN)) as session:
        await session.emacs.eval(
            "(progn (flymake-mode 1) (advice-add 'twospeed-problems--send :before"
            ' (lambda (id) (test-send "sent" id))) t)'
        )
        await session.go_to(6)
        await session.emacs.typed(ASK)
        await session.until_edit(state="review")
        await session.emacs.eval("(progn (sleep-for 2.5) t)")
        assert session.emacs.events_of("sent") == []
        await session.emacs.typed(MEND)
        await session.emacs.wait_until(
            lambda: any(
                "unknown edit" in each or "no " in each for each in session.emacs.events_of("message")
            )
        )
