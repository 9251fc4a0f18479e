"""Say where twospeed keeps what it remembers of its own: in the user's state folder."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from twospeed.errors import NoHomeFolder


def state_folder() -> Path:
    """Return the folder, whether it is there or not.

    Raises:
        NoHomeFolder: Nobody knows where it would be.
    """
    try:
        return Path(platformdirs.user_state_dir("twospeed", appauthor=False))
    except RuntimeError:  # which is how platformdirs says so
        raise NoHomeFolder from None


def history_path() -> Path:
    """Say where the rows of edits are kept (`history`)."""
    return state_folder() / "history.db"
