"""The log: a rotating file in the user's log folder, without text of documents or keys.

All records pass `scrub`. Tracebacks contain only places in the code, because an exception's message may quote a document.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

import platformdirs

from twospeed.errors import NoHomeFolder
from twospeed.secrets.scrub import scrub
from twospeed.workspace.guarded import NO_LINK, open_regular

MAX_BYTES = 2 * 1024 * 1024
N_OLD_FILES = 4

logger = logging.getLogger(__name__)


def open_log() -> None:
    """Send our records and uncaught exceptions to the file, or drop them if it cannot be written."""
    handler: logging.Handler
    try:
        path = log_path()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = _PrivateFileHandler(
            path, maxBytes=MAX_BYTES, backupCount=N_OLD_FILES, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(_OneLineFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.lastResort = None
    logging.raiseExceptions = False  # a full disk must not end an edit
    logging.getLogger().handlers = [logging.NullHandler()]  # pygls logs whole messages
    for name, level in (("twospeed", logging.INFO), ("asyncio", logging.ERROR)):
        ours = logging.getLogger(name)
        ours.handlers, ours.propagate = [handler], False
        ours.setLevel(level)
    logging.getLogger("asyncio").filters = [_keep_first_line]
    sys.excepthook = _report
    threading.excepthook = lambda args: _report(args.exc_type, args.exc_value, args.exc_traceback)
    sys.unraisablehook = lambda args: _report(args.exc_type, args.exc_value, args.exc_traceback)


def log_path() -> Path:
    """Return the path of the log; raises `NoHomeFolder`."""
    try:
        return Path(platformdirs.user_log_dir("twospeed", appauthor=False)) / "server.log"
    except RuntimeError:  # raised by platformdirs without a home folder
        raise NoHomeFolder from None


def places_of(kind: type[BaseException], trace: TracebackType | None) -> str:
    """Return the type of an exception and its places in the code, innermost first."""
    places = []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return f"{kind.__name__} at " + (" < ".join(reversed(places)) or "no place")


class _PrivateFileHandler(RotatingFileHandler):
    def _open(self):  # type: ignore[no-untyped-def]  # noqa: ANN202 - as in the standard library
        descriptor = open_regular(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK)
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)  # also of an existing file
        return os.fdopen(descriptor, self.mode, encoding=self.encoding, errors="backslashreplace")


class _OneLineFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return scrub(super().format(record))

    def formatException(self, ei) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001, N802
        kind, _, trace = ei
        return places_of(kind, trace)


def _keep_first_line(record: logging.LogRecord) -> bool:
    # asyncio appends the representation of tasks, which contains the messages of their exceptions.
    record.msg, record.args = record.getMessage().partition("\n")[0], ()
    return True


def _report(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt | SystemExit):
        return
    logger.error("uncaught exception", exc_info=(kind, error or kind(), trace))
    with contextlib.suppress(OSError, ValueError, AttributeError):  # stderr is closed or missing
        sys.stderr.write(scrub(f"twospeed: uncaught exception {places_of(kind, trace)}\n"))
