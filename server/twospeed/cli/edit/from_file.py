"""``twospeed edit --save FILE`` and ``--from FILE``: an edit is saved, and applied later without a model."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from twospeed.cli.exits import OK, BadInput
from twospeed.cli.files import SourceFile
from twospeed.cli.render import ShownFile, diff_text
from twospeed.cli.visible import complain, one_line, write_out
from twospeed.workspace.own_files import create_own_file

from .question import decide
from .saved_edit import read_saved_edit, saved_edit_of
from .writing import write_texts


def require_new(path: Path) -> None:
    """Raise `BadInput` if a file cannot be created; called before an answer costs money."""
    if os.path.lexists(path):
        raise BadInput(f"{path}: this file exists, and --save replaces none; choose another name")
    if not os.access(path.absolute().parent, os.W_OK):
        raise BadInput(f"{path}: its folder does not exist or is read-only")


def save_edit(path: Path, sources: Sequence[SourceFile], texts: Sequence[str], instruction: str) -> None:
    """Save what would be written, if anything; raises `BadInput`."""
    edit = saved_edit_of(instruction, sources, texts)
    if not edit.files:
        complain(f"{path}: not saved, because the edit changes nothing")
        return
    try:
        create_own_file(path, edit.to_json())
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise BadInput(f"{path}: the edit cannot be saved: {reason}") from error
    complain(f"saved; twospeed edit --from {shlex.quote(str(path))} --write applies it")


async def apply_saved_edit(path: Path, *, write: bool, asks: bool) -> int:
    """Show a saved edit, and write it if the user allows; raises `BadInput`, and leaves the saved edit."""
    edit = read_saved_edit(path)
    sources, texts = edit.read(
        if_changed=f"the file has changed since the edit was saved; nothing was written, and {path} is kept"
    )
    files = [
        ShownFile(_short(source.path), source.text, text) for source, text in zip(sources, texts, strict=True)
    ]
    lines = [
        one_line(f"saved edit · {edit.instruction}"),
        *(line for file in files for line in diff_text(file)),
    ]
    write_out(sys.stdout, "\n".join(lines) + "\n")
    if asks:
        texts = list((await decide(files, None)).texts)
    if not (write or asks):
        write_out(sys.stdout, "preview · --write changes the file\n")
        return OK
    is_written = bool(texts) and any(write_texts(sources, texts, edit.instruction))
    write_out(sys.stdout, f"{'written' if is_written else 'nothing was written'}\n")
    return OK


def _short(path: Path) -> Path:
    folder = Path.cwd()
    return path.relative_to(folder) if path.is_relative_to(folder) else path
