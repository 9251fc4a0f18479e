"""Read and save the files named on the command line, for the page of ``twospeed web``.

Messages are JSON objects over a WebSocket; the answer has the same ``id``:

* ``{"id": 1, "method": "read"}`` → ``{"id": 1, "files": [{"uri", "name", "languageId", "text"}]}``, or an
  ``error``;
* ``{"id": 2, "method": "save", "uri", "text"}`` → ``{"id": 2}``, or an ``error``; then the file is unchanged.

Other files are refused. Files are read when a page is opened, through `workspace.guarded`. Symbolic links are
resolved once, at the start of the program; a link that appears later, in a file or a folder above it, is not
followed. A file that another program changed since it was read is not overwritten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from twospeed.text.code.language_ids import language_id_of
from twospeed.workspace.guarded import Unreadable, read_real, real_path_of

from .exits import BadInput
from .files import MAX_FILE_BYTES, SourceFile, require_writable, source_from, write_source


def real_paths_of(paths: Sequence[Path]) -> dict[Path, Path]:
    """Map absolute paths to their real paths, at the start of the program."""
    return {path: path.resolve() for path in paths}


class FileEndpoint:
    """The files of one page.

    Args:
        named: The files it may read and write, as returned by `real_paths_of`.
        root: Real path of the project's folder.
    """

    def __init__(self, named: Mapping[Path, Path], root: Path) -> None:
        self._named = named
        self._root = root
        self._sources: dict[str, SourceFile] = {}

    def answer(self, message: str) -> str:
        """Handle a message and return the answer; reads and writes files."""
        request: object = None
        try:
            request = json.loads(message)
            result = self._carry_out(request)
        except (BadInput, ValueError, RecursionError) as error:
            result = {"error": str(error)}
        return json.dumps({"id": request.get("id") if isinstance(request, dict) else None, **result})

    def read_all(self) -> list[dict[str, str]]:
        """Read all files.

        Raises:
            BadInput: A file cannot be read.
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
            raise BadInput(f"{path}: points to another file than when twospeed web was started")
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
                raise BadInput("method: must be read or save, see web_files.py")

    def _save(self, uri: str, text: str) -> None:
        source = self._sources.get(uri)
        if source is None:
            raise BadInput("uri: this file was not named on the command line")
        try:
            data = source.encoded(text)
        except UnicodeEncodeError as error:
            raise BadInput(
                f"{source.path}: the text has half a character (a lone surrogate), which UTF-8 cannot encode"
            ) from error
        try:
            require_writable(source.path)
        except BadInput as error:
            raise BadInput(f"{source.path}: the file or its folder is read-only") from error
        except OSError as error:
            raise BadInput(f"{source.path}: cannot be written: the file does not exist any more") from error
        if self._read(source.path).data != source.data:
            raise BadInput(
                f"{source.path}: another program changed the file; nothing was written, open the page again"
            )
        write_source(source, text)
        self._sources[uri] = replace(source, data=data, text=text)
