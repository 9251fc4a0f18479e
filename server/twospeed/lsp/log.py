"""The log: a rotating file in the user's log folder, never stdout; no text of documents, no keys."""

from __future__ import annotations

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

MAX_BYTES = 2 * 1024 * 1024
N_OLD_FILES = 4


def open_log() -> None:
    """Send our records to the file; where it cannot be written, nowhere."""
    handler: logging.Handler
    try:
        path = log_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _PrivateFileHandler(
            path, maxBytes=MAX_BYTES, backupCount=N_OLD_FILES, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(_OneLineFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.lastResort = None
    logging.raiseExceptions = False  # a full disk must not end an edit
    ours = logging.getLogger("twospeed")
    ours.handlers, ours.propagate = [handler], False
    ours.setLevel(logging.INFO)
    logging.getLogger().handlers = [logging.NullHandler()]  # pygls logs whole messages


def log_path() -> Path:
    """Say where the log is."""
    return Path(platformdirs.user_log_dir("twospeed", appauthor=False)) / "server.log"


class _PrivateFileHandler(RotatingFileHandler):
    """A log for its owner's eyes only."""

    def _open(self):  # type: ignore[no-untyped-def]  # noqa: ANN202 - as in the standard library
        descriptor = os.open(
            self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600
        )
        return os.fdopen(descriptor, self.mode, encoding=self.encoding)


class _OneLineFormatter(logging.Formatter):
    """Write a traceback as its places alone: an exception's text may hold what must not be logged."""

    def formatException(self, ei) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001, N802
        kind, _, trace = ei
        places = []
        while trace is not None:
            code = trace.tb_frame.f_code
            places.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
            trace = trace.tb_next
        return f"{kind.__name__} at " + " < ".join(reversed(places))
