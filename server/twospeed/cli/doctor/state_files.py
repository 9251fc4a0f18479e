"""What ``doctor`` says about the files that twospeed keeps for itself, where one of them cannot be used."""

from __future__ import annotations

from collections.abc import Iterator

from twospeed.budget.consent import consent_path
from twospeed.budget.spending import MAX_BYTES as MAX_SPENDING_BYTES
from twospeed.budget.spending import spending_path
from twospeed.config.state import history_path, state_folder
from twospeed.errors import NoHomeFolder
from twospeed.lsp.log import log_path
from twospeed.workspace.guarded import MAX_BYTES, trouble_with


def unusable_files() -> Iterator[str]:
    """Yield a sentence for each file that cannot be used, with what follows from it."""
    try:
        files = (
            (log_path(), None, "nothing is logged"),
            (spending_path(state_folder()), MAX_SPENDING_BYTES, "each server counts its own spending"),
            (consent_path(state_folder()), MAX_BYTES, "what was agreed to is asked again"),
            (history_path(), None, "edits are not kept for statistics"),
        )
    except NoHomeFolder:  # the server has said so
        return
    for path, max_bytes, consequence in files:
        if reason := trouble_with(path, max_bytes=max_bytes):
            yield f"{path} {reason}, so {consequence}; move it away"
