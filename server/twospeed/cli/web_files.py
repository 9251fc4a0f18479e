"""The line on which a page reads the files that were named on the command line, and writes one that a person saves.

One JSON object a message, one back with the same ``id``:

* ``{"id": 1, "method": "read"}`` → ``{"id": 1, "files": [{"uri", "name", "languageId", "text"}]}``, or an ``error``;
* ``{"id": 2, "method": "save", "uri", "text"}`` → ``{"id": 2}``, or an ``error``, and then the file is as it was.

A name that was not given on the command line means nothing here. A file is read whenever a page is opened, through the
one function for files that somebody else may have put there (`workspace.guarded`). A name that was a link when the program
started is read where it led then; a link put in its place, or in the place of a folder above it, is not followed.
A file that another program has written since it was read is not written over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from twospeed.text.code.file_languages import language_id_of
from twospeed.workspace.guarded import Unreadable, read_real, real_path_of

from .exits import BadInput
from .files import MAX_FILE_BYTES, SourceFile, require_writable, source_from, write_source


def real_paths_of(paths: Sequence[Path]) -> dict[Path, Path]:
    """Follow every link of absolute paths, as they are when the program starts."""
    return {path: path.resolve() for path in paths}


class FileLine:
    """The files of one page.

    Args:
        named: What it may read and write, as `real_paths_of` returns it.
        root: Folder of their project, no link in its path.
    """

    def __init__(self, named: Mapping[Path, Path], root: Path) -> None:
        self._named = named
        self._root = root
        self._sources: dict[str, SourceFile] = {}

    def answer(self, message: str) -> str:
        """Do what a message asks for; reads and writes the disk."""
        request: object = None
        try:
            request = json.loads(message)
            result = self._carry_out(request)
        except (BadInput, ValueError, RecursionError) as error:
            result = {"error": str(error)}
        return json.dumps({"id": request.get("id") if isinstance(request, dict) else None, **result})

    def read_all(self) -> list[dict[str, str]]:
        """Read every file, as they are now.

        Raises:
            BadInput: One cannot be read.
        """
        found = []
        for path, real_path in self._named.items():
            source = self._read(path)
            self._sources[path.as_uri()] = source
            found.append(
                {
                    "uri": path.as_uri(),
                    "name": real_path.relative_to(self._root).as_posix(),
                    "languageId": language_id_of(path.name),
                    "text": source.text,
                }
            )
        return found

    def _read(self, path: Path) -> SourceFile:
        real_path = real_path_of(path, root=self._root)
        raw = read_real(real_path, max_bytes=MAX_FILE_BYTES) if isinstance(real_path, str) else real_path
        if isinstance(real_path, str) and Path(real_path) != self._named[path]:
            raise BadInput(f"{path}: leads to another file than when twospeed web was started")
        if isinstance(raw, Unreadable):
            raise BadInput(f"{path}: {raw.reason}")
        return source_from(path, raw)

    def _carry_out(self, request: object) -> Mapping[str, object]:
        match request:
            case {"method": "read"}:
                return {"files": self.read_all()}
            case {"method": "save", "uri": str(uri), "text": str(text)}:
                self._save(uri, text)
                return {}
            case _:
                raise BadInput("method: read and save are all that is known here, see web_files.py")

    def _save(self, uri: str, text: str) -> None:
        source = self._sources.get(uri)
        if source is None:
            raise BadInput("uri: not a file that was named on the command line")
        try:
            data = source.encoded(text)
        except UnicodeEncodeError as error:
            raise BadInput(f"{source.path}: half a character (a lone surrogate) cannot be written") from error
        try:
            require_writable(source.path)
        except BadInput as error:
            raise BadInput(f"{source.path}: it or its folder is read-only") from error
        except OSError as error:
            raise BadInput(f"{source.path}: cannot be written: it is gone") from error
        if self._read(source.path).data != source.data:
            raise BadInput(f"{source.path}: changed on disk meanwhile; left as it is, open the page again")
        write_source(source, text)
        self._sources[uri] = replace(source, data=data, text=text)
