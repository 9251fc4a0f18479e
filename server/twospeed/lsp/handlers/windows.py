"""What people do to our progress bars."""

from __future__ import annotations

from lsprotocol import types

from twospeed.lsp.session.session import Session


def work_done_progress_cancel(session: Session, params: types.WorkDoneProgressCancelParams) -> None:
    """Cancelling the progress of an edit cancels the edit."""
    edit = session.progress.get(params.token)
    if edit is not None and edit.is_live:
        session.desk.stop(edit)
