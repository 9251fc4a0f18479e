"""An edit in a file: its instruction, and for each changed file the path, a hash of the old text and the hunks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from twospeed.cli.exits import BadInput
from twospeed.cli.files import SourceFile, read_source
from twospeed.cli.preview import TextHunk, changes_of, text_with
from twospeed.workspace.guarded import read_guarded

MAX_BYTES = 32 * 1024 * 1024
"""Limit of such a file: the old and the new text of one long file."""

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class SavedFile:
    """The changes of one file."""

    path: str  # absolute
    sha256: str  # of the bytes that the hunks change, in hexadecimal
    changes: Sequence[TextHunk]

    def read(self, *, if_changed: str) -> tuple[SourceFile, str]:
        """Return the file and its text with the changes; raises `BadInput`, with a phrase for a file that has changed."""
        source = read_source(Path(self.path))
        if hash_of(source.data) != self.sha256:
            raise BadInput(f"{self.path}: {if_changed}")
        try:
            return source, text_with(source.text, self.changes)
        except ValueError as error:
            raise BadInput(f"{self.path}: the saved changes do not fit the file") from error


@dataclass(frozen=True, slots=True)
class SavedEdit:
    """The changes of one edit."""

    instruction: str
    files: Sequence[SavedFile]

    def read(self, *, if_changed: str) -> tuple[list[SourceFile], list[str]]:
        """Return the files and their texts with the changes; raises `BadInput` if any cannot be changed."""
        pairs = [file.read(if_changed=if_changed) for file in self.files]
        return [source for source, _ in pairs], [text for _, text in pairs]

    def to_json(self) -> str:
        """Format the edit as a JSON document; raises `BadInput` if it is longer than the limit."""
        document = {"format": _FORMAT, **asdict(self)}
        text = json.dumps(document, indent=1) + "\n"
        if len(text) > MAX_BYTES:
            raise BadInput(f"the edit is larger than {MAX_BYTES // 1024 // 1024} MiB")
        return text


def hash_of(data: bytes) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def saved_edit_of(instruction: str, sources: Sequence[SourceFile], texts: Sequence[str]) -> SavedEdit:
    """Return the edit that gives each file its new text; files with the same text are left out."""
    files = [
        SavedFile(str(source.path.absolute()), hash_of(source.data), changes_of(source.text, text))
        for source, text in zip(sources, texts, strict=True)
        if text != source.text
    ]
    return SavedEdit(instruction, files)


def read_saved_edit(path: Path) -> SavedEdit:
    """Read an edit that was saved; raises `BadInput`."""
    text = read_guarded(path, root=None, max_bytes=MAX_BYTES)
    if not isinstance(text, str):
        raise BadInput(f"{path}: {text.reason}")
    try:
        return _parsed(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: this is not an edit that twospeed saved") from error


def _parsed(document: object) -> SavedEdit:
    match document:
        case {"format": int(version), "instruction": str(instruction), "files": [_, *_] as files} if (
            version == _FORMAT
        ):
            return SavedEdit(instruction, [_file_of(each) for each in files])
        case _:
            raise ValueError


def _file_of(document: Mapping[str, Any]) -> SavedFile:
    match document:
        case {"path": str(path), "sha256": str(sha256), "changes": list(changes)} if Path(path).is_absolute():
            return SavedFile(path, sha256, [_change_of(each) for each in changes])
        case _:
            raise ValueError


def _change_of(document: Mapping[str, Any]) -> TextHunk:
    match document:
        case {"first": int(first), "removed": list(removed), "added": list(added)} if all(
            isinstance(line, str) for line in (*removed, *added)
        ):
            return TextHunk(first, removed, added)
        case _:
            raise ValueError
