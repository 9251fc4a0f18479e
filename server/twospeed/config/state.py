"""Say where twospeed keeps what it remembers of its own: in the user's state folder."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def state_folder() -> Path:
    """Return the folder, whether it is there or not."""
    return Path(platformdirs.user_state_dir("twospeed", appauthor=False))


def history_path() -> Path:
    """Say where the rows of edits are kept (`history`)."""
    return state_folder() / "history.db"
