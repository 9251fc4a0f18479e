"""The callers of a changed definition in a file that no buffer visits, in a real Emacs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.conformance import caller_files, reference_server
from tests.editors.conformance.caller_files import CALLER, FUNCTION, METHOD, METHOD_CALLER, answers, updated
from tests.editors.emacs.editor_session import EditorSession, editor_session
from tests.editors.emacs.emacs import has_library, needs_emacs, string

pytestmark = [pytest.mark.process, needs_emacs]

EDIT, UPDATE = "\x03*eadd the tax\r", "\x03*u"


def visit(path: Path, form: str) -> str:
    """Return a form that evaluates another one in the buffer of a file."""
    return f"(with-current-buffer (find-buffer-visiting {string(str(path))}) {form})"


def text_of(path: Path) -> str:
    return visit(path, "(buffer-substring-no-properties (point-min) (point-max))")


async def update_callers(session: EditorSession, path: Path) -> None:
    """Edit the definition, and update its caller in a file that no buffer visits."""
    await session.go_to(1)
    await session.emacs.typed(EDIT)
    await session.until_edit(state="review")
    assert await session.emacs.eval(f"(find-buffer-visiting {string(str(path))})") is None
    await session.emacs.typed(UPDATE)
    await session.until_edit(state="review", uri=path.as_uri())


async def test_a_caller_in_a_closed_file_is_updated_and_rejected(tmp_path: Path) -> None:
    path = caller_files.project(tmp_path / "project", CALLER)
    async with editor_session(
        tmp_path, FUNCTION.encode(), *answers(FUNCTION, CALLER), name="prices.py"
    ) as session:
        await update_callers(session, path)
        assert await session.emacs.eval(text_of(path)) == updated(CALLER)
        assert await session.emacs.eval("(buffer-name (window-buffer))") == "prices.py"
        assert path.read_text() == CALLER
        await session.emacs.eval(f"(progn (find-file {string(str(path))}) t)")
        await session.emacs.typed("\x03*r")
        await session.until_edit(state="ended", uri=path.as_uri(), verdict="rejected")
        assert await session.emacs.eval(text_of(path)) == CALLER


async def test_undo_takes_back_the_update_of_a_file(tmp_path: Path) -> None:
    path = caller_files.project(tmp_path / "project", CALLER)
    async with editor_session(
        tmp_path, FUNCTION.encode(), *answers(FUNCTION, CALLER), name="prices.py"
    ) as session:
        await update_callers(session, path)
        await session.emacs.eval(f"(progn (find-file {string(str(path))}) t)")
        await session.emacs.typed("\x18u")
        await session.until_edit(state="ended", uri=path.as_uri(), verdict="rejected")
        assert await session.emacs.eval(text_of(path)) == CALLER


async def test_a_caller_that_eglot_names_is_updated(tmp_path: Path) -> None:
    if not has_library("eglot"):
        pytest.skip("this Emacs has no Eglot")
    path = caller_files.project(tmp_path / "project", METHOD_CALLER)
    command = " ".join(map(string, reference_server.COMMAND))
    async with editor_session(
        tmp_path, METHOD.encode(), *answers(METHOD, METHOD_CALLER), name="prices.py", has_site=True
    ) as session:
        await session.emacs.eval(
            "(progn (require 'eglot) (setq eglot-sync-connect 10)"
            f" (add-to-list 'eglot-server-programs (list 'python-mode {command}))"
            " (apply #'eglot (eglot--guess-contact)) t)"
        )
        await update_callers(session, path)
        assert await session.emacs.eval(text_of(path)) == updated(METHOD_CALLER)


async def test_a_file_that_emacs_cannot_visit_is_listed(tmp_path: Path) -> None:
    path = caller_files.project(tmp_path / "project", CALLER)
    async with editor_session(
        tmp_path, FUNCTION.encode(), *answers(FUNCTION, CALLER), name="prices.py"
    ) as session:
        await session.go_to(1)
        await session.emacs.typed(EDIT)
        await session.until_edit(state="review")
        await session.emacs.eval(
            '(progn (advice-add \'find-file-noselect :before (lambda (&rest _) (error "No room"))) t)'
        )
        await session.emacs.typed(UPDATE)
        await session.emacs.wait_until(
            lambda: any("place may use it: till.py:3" in each for each in session.emacs.events_of("message"))
        )
        assert path.read_text() == CALLER
