"""Writes the texts that an edit has for its files."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.cli.files import SourceFile, require_unchanged, write_source

from .undo import keep_for_undo


def write_texts(
    sources: Sequence[SourceFile],
    texts: Sequence[str],
    instruction: str,
    *,
    before: Sequence[SourceFile] | None = None,
) -> list[bool]:
    """Write each file whose text differs, and return which; raises `BadInput` if any file has changed on disk.

    What was written can be taken back, to the files ``before`` if an earlier part of the edit was written.
    """
    for source in sources:
        require_unchanged(source)
    is_written = [text != source.text for source, text in zip(sources, texts, strict=True)]
    written: list[tuple[SourceFile, str]] = []
    try:
        for source, old, text in zip(sources, before or sources, texts, strict=True):
            if text != source.text:
                write_source(source, text)
                written.append((old, text))
    finally:
        if written:
            keep_for_undo(instruction, written)
    return is_written
