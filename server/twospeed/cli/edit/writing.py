"""Writes the texts that an edit has for its files."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.cli.files import SourceFile, require_unchanged, write_source


def write_texts(sources: Sequence[SourceFile], texts: Sequence[str]) -> list[bool]:
    """Write each file whose text differs, and return which; raises `BadInput` if any file has changed on disk."""
    for source in sources:
        require_unchanged(source)
    is_written = [text != source.text for source, text in zip(sources, texts, strict=True)]
    for source, text, writes in zip(sources, texts, is_written, strict=True):
        if writes:
            write_source(source, text)
    return is_written
