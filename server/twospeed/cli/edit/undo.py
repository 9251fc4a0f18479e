"""``twospeed undo``: takes back the last edit that was written. The state folder keeps what its hunks replaced."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from twospeed.cli.exits import OK, BadInput
from twospeed.cli.files import SourceFile, require_unchanged, require_writable, write_source
from twospeed.cli.visible import complain, one_line, visible, write_out
from twospeed.config.paths import state_folder
from twospeed.errors import TwospeedError
from twospeed.workspace.own_files import replace_own_file

from .saved_edit import read_saved_edit, saved_edit_of

_IF_CHANGED = "the file has changed since the edit; nothing was taken back"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``undo``."""
    parser.epilog = (
        "It takes back all files of the edit, or none if one has changed since. Only one edit is kept."
    )


def run(_options: argparse.Namespace) -> int:
    """Run the command; raises `BadInput` if there is no edit, or a file has changed."""
    path = undo_path()
    if not os.path.lexists(path):
        raise BadInput("there is no edit to take back")
    edit = read_saved_edit(path)
    sources, texts = edit.read(if_changed=_IF_CHANGED)
    for source in sources:
        require_writable(source.path)
        require_unchanged(source)
    for source, text in zip(sources, texts, strict=True):
        write_source(source, text)
    path.unlink(missing_ok=True)
    lines = [one_line(f"taken back: {edit.instruction}"), *(visible(str(source.path)) for source in sources)]
    write_out(sys.stdout, "\n".join(lines) + "\n")
    return OK


def undo_path() -> Path:
    """Return the path of the kept edit, which only the user can read."""
    return state_folder() / "undo.json"


def keep_for_undo(instruction: str, written: Sequence[tuple[SourceFile, str]]) -> None:
    """Keep an edit in place of the last one: each file before the edit, and its new text. A failure is only reported."""
    after = [replace(source, data=source.encoded(text), text=text) for source, text in written]
    path = None
    try:
        path = undo_path()
        replace_own_file(
            path, saved_edit_of(instruction, after, [source.text for source, _ in written]).to_json()
        )
    except (OSError, TwospeedError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        complain(f"twospeed undo cannot take this edit back: {(reason or 'unknown error').lower()}")
        if path:
            with contextlib.suppress(OSError):
                path.unlink()  # an earlier edit is not the last one
