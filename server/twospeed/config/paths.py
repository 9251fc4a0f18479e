"""Paths of the user's own files: the config file, the state folder and the history in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import platformdirs

from twospeed.errors import NoHomeFolder

CONFIG_VARIABLE = "TWOSPEED_CONFIG"


def config_path(environ: Mapping[str, str]) -> Path:
    """Return the path of the config file, which may not exist; raises NoHomeFolder if its folder is unknown."""
    if named := environ.get(CONFIG_VARIABLE):
        return Path(named)
    try:
        return Path(platformdirs.user_config_dir("twospeed", appauthor=False)) / "config.toml"
    except RuntimeError:  # raised by platformdirs without a home folder
        raise NoHomeFolder from None


def state_folder() -> Path:
    """Return the folder of twospeed's own files, which may not exist; raises NoHomeFolder if it is unknown."""
    try:
        return Path(platformdirs.user_state_dir("twospeed", appauthor=False))
    except RuntimeError:  # as above
        raise NoHomeFolder from None


def history_path() -> Path:
    """Return the path of the history database (`history`)."""
    return state_folder() / "history.db"
