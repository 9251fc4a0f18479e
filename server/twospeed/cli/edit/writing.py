"""Writes the texts that an edit has for its files."""

from __future__ import annotations

import contextlib
import secrets
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from twospeed.cli.exits import BadInput
from twospeed.cli.files import SourceFile, require_unchanged, require_writable, write_source
from twospeed.config.paths import state_folder
from twospeed.errors import TwospeedError
from twospeed.workspace.own_files import replace_own_file

from .saved_edit import saved_edit_of
from .undo import keep_for_undo

_MAX_KEPT_ANSWERS = 10
"""Older answers that could not be written are deleted."""


def write_texts(
    sources: Sequence[SourceFile],
    texts: Sequence[str],
    instruction: str,
    *,
    before: Sequence[SourceFile] | None = None,
) -> list[bool]:
    """Write each file whose text differs, and return which; what was written can be taken back.

    Args:
        sources: The files, as they were read.
        texts: The new text of each.
        instruction: What the user wrote.
        before: What a take-back restores, if an earlier part of the edit was written; by default ``sources``.

    Raises:
        BadInput: A file has changed on disk or cannot be written. The answer is saved, and the message names its file.
    """
    is_written = [text != source.text for source, text in zip(sources, texts, strict=True)]
    written: list[tuple[SourceFile, str]] = []
    try:
        for source in sources:
            require_unchanged(source)
        for source, writes in zip(sources, is_written, strict=True):
            if writes:
                require_writable(source.path)
        for source, old, text in zip(sources, before or sources, texts, strict=True):
            if text != source.text:
                write_source(source, text)
                written.append((old, text))
    except BadInput as error:
        raise BadInput(f"{error}; {_keep_answer(sources, texts, instruction, len(written))}") from error
    finally:
        if written:
            keep_for_undo(instruction, written)
    return is_written


def _keep_answer(
    sources: Sequence[SourceFile], texts: Sequence[str], instruction: str, n_written: int
) -> str:
    pairs = [(source, text) for source, text in zip(sources, texts, strict=True) if text != source.text]
    left = pairs[n_written:]
    edit = saved_edit_of(instruction, [source for source, _ in left], [text for _, text in left])
    try:
        folder = state_folder() / "answers"
        path = folder / f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-{secrets.token_hex(3)}.json"
        replace_own_file(path, edit.to_json())
        _delete_older_answers(folder)
    except (OSError, TwospeedError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return f"the answer cannot be saved: {(reason or 'unknown error').lower()}"
    return (
        f"the answer is saved; when the old text is back, twospeed edit --from {shlex.quote(str(path))} --write "
        "applies it"
    )


def _delete_older_answers(folder: Path) -> None:
    for path in sorted(folder.glob("*.json"))[:-_MAX_KEPT_ANSWERS]:
        with contextlib.suppress(OSError):
            path.unlink()
