"""One instruction at several places in a real Emacs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.emacs.editor_session import EditorSession, editor_session
from tests.editors.emacs.emacs import needs_emacs
from tests.editors.scenarios import PLACES

from twospeed.testing.script import Script

pytestmark = [pytest.mark.process, needs_emacs]

UNKNOWN = Script("I am sorry.")
N_PLACES = "(length (twospeed-places--live))"
PROBLEMS = """
(progn
  (setq-local flymake-diagnostic-functions
              (list (lambda (report &rest _)
                      (funcall report
                               (mapcar (lambda (place)
                                         (flymake-make-diagnostic (current-buffer) place (+ place 2) :error "bad"))
                                       (list (tests-line 5) (tests-line 1)))))))
  (flymake-mode 1)
  (flymake-start)
  t)
"""
LINE = "(defun tests-line (n) (save-excursion (goto-char (point-min)) (forward-line n) (+ 4 (point))))"
CURSORS = """
(progn
  (defvar mc/--default-cmds-to-run-once nil)
  (defvar multiple-cursors-mode t)
  (run-hooks 'multiple-cursors-mode-hook)
  (defun mc/all-fake-cursors (&rest _)
    (mapcar (lambda (line)
              (let ((overlay (make-overlay (tests-line line) (tests-line line))))
                (overlay-put overlay 'point (copy-marker (tests-line line)))
                overlay))
            '(1 9)))
  t)
"""


def scopes(session: EditorSession) -> list[str]:
    """Return the numbers of the functions that the model should rewrite; it is asked again for some."""
    last = [str(request.body["messages"]) for request in session.model.requests if not request.is_warm_up]
    return sorted({each.split("scope, to be rewritten")[1].split("def f")[1][0] for each in last})


async def test_added_places_are_edited_together_and_removed(tmp_path: Path) -> None:
    async with editor_session(tmp_path, PLACES.encode(), UNKNOWN, UNKNOWN) as session:
        for line in (0, 8):
            await session.go_to(line, 4)
            await session.emacs.typed("\x03*+")
        assert await session.emacs.eval(N_PLACES) == 2
        await session.emacs.typed("\x03*edouble it\r")
        await session.emacs.wait_until(
            lambda: any(
                "2 of 2 places refused; line 1: " in text for text in session.emacs.events_of("message")
            )
        )
        assert scopes(session) == ["0", "2"]
        assert await session.emacs.eval(N_PLACES) == 0


async def test_places_can_be_removed(tmp_path: Path) -> None:
    async with editor_session(tmp_path, PLACES.encode()) as session:
        await session.emacs.typed("\x03*+\x03*-")
        assert await session.emacs.eval(N_PLACES) == 0


async def test_all_problems_of_a_kind_are_one_edit(tmp_path: Path) -> None:
    async with editor_session(tmp_path, PLACES.encode(), UNKNOWN, UNKNOWN) as session:
        await session.emacs.eval(f"(progn {LINE} t)")
        await session.emacs.eval(PROBLEMS)
        await session.until("(length (flymake-diagnostics))", 2)
        await session.go_to(5, 4)
        await session.emacs.typed("\x03*F")
        await session.until_edit(editId="e1.2", outcome="refused")
        assert scopes(session) == ["0", "1"]
        assert "Fix every problem of this kind: bad" in str(session.model.requests[-1].body)


async def test_the_cursors_of_multiple_cursors_are_places(tmp_path: Path) -> None:
    async with editor_session(tmp_path, PLACES.encode(), UNKNOWN, UNKNOWN, UNKNOWN) as session:
        await session.emacs.eval(f"(progn {LINE} t)")
        await session.emacs.eval(CURSORS)
        await session.go_to(5, 4)
        await session.emacs.typed("\x03*edouble it\r")
        await session.until_edit(editId="e1.3", outcome="refused")
        assert scopes(session) == ["0", "1", "2"]
        once = "(and (memq 'twospeed-edit mc/--default-cmds-to-run-once) t)"
        assert await session.emacs.eval(once) is True
