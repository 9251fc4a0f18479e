"""The user's state folder, where twospeed stores its own files."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from twospeed.errors import NoHomeFolder


def state_folder() -> Path:
    """Return the folder, which may not exist.

    Raises:
        NoHomeFolder: Its location is unknown.
    """
    try:
        return Path(platformdirs.user_state_dir("twospeed", appauthor=False))
    except RuntimeError:  # raised by platformdirs without a home folder
        raise NoHomeFolder from None


def history_path() -> Path:
    """Return the path of the history database (`history`)."""
    return state_folder() / "history.db"
