"""``twospeed web [FILE…]``: serves a page for editing in a browser, on a loopback port.

``make web`` builds the page from ``editors/web`` into ``web_assets``. Its named files use JSON messages over a WebSocket:

* ``{"id": 1, "method": "read"}`` → ``{"id": 1, "files": [{"uri", "name", "languageId", "text"}]}``, or an ``error``;
* ``{"id": 2, "method": "save", "uri", "text"}`` → ``{"id": 2}``, or an ``error``; then the file is unchanged. If another program
  has changed it, ``onDisk`` is its text; ``"over"`` with this text in the next request replaces exactly this text.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from twospeed.text.code.language_ids import language_id_of
from twospeed.workspace.guarded import Unreadable, read_real, real_path_of

from .exits import BadInput
from .files import MAX_FILE_BYTES, SourceFile, require_writable, source_from, workspace_of, write_source

if TYPE_CHECKING:
    from twospeed.lsp.transport.web_site import Page, Site

_CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
_FRONT = "index.html"
_FILES_PATH = "/files"
_MAX_DIGITS = 9

MAX_EDITS, MAX_TOKENS = 30, 200_000
"""Default limits of one start, also for a stranger with access to the page."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``web``."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="a file to edit (default: a sample project)",
    )
    parser.add_argument("--open", action="store_true", help="open the page in your browser")
    parser.add_argument("--port", default="0", help="the loopback port (default: any free one)")
    parser.add_argument(
        "--max-edits",
        metavar="N",
        type=_count,
        default=MAX_EDITS,
        help="number of edits allowed (default: %(default)s)",
    )
    parser.add_argument(
        "--max-tokens",
        metavar="N",
        type=_count,
        default=MAX_TOKENS,
        help="number of tokens allowed, of models that may cost money (default: %(default)s)",
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return the exit status."""
    from twospeed.lsp.serve import serve_site  # noqa: PLC0415  # as above
    from twospeed.lsp.transport.socket_server import parse_port  # noqa: PLC0415  # which --help does not need

    port = parse_port(options.port, source="--port")
    site = site_of(options.files, max_edits=options.max_edits, max_tokens=options.max_tokens)
    if not options.open:
        return serve_site(port, site)
    from .browser import browser_opener  # noqa: PLC0415  # as above

    with browser_opener() as open_address:
        return serve_site(port, site, open_address)


def site_of(files: list[Path], *, max_edits: int, max_tokens: int) -> Site:
    """Return what the port serves; the limits are for all pages together.

    Raises:
        BadInput: A file cannot be read, or the files belong to different projects.
    """
    from twospeed.budget.allowance import Allowance  # noqa: PLC0415  # as above
    from twospeed.lsp.transport.web_site import Site  # noqa: PLC0415  # as above

    paths = list(dict.fromkeys(path.absolute() for path in files))
    root = _project_of(paths)
    create_endpoint = partial(FileEndpoint, real_paths_of(paths), root or Path())
    create_endpoint().read_all()  # report a wrong file before the port is opened
    return Site(
        pages=pages(),
        endpoints={_FILES_PATH: lambda: create_endpoint().respond},
        authenticate=_workspace_override(root),
        allowance=Allowance(
            n_edits=max_edits,
            n_tokens=max_tokens,
            remedy="start twospeed web again, with a larger --max-edits or --max-tokens",
        ),
    )


def pages() -> dict[str, Page]:
    """Read the files for the browser, by URL path."""
    from twospeed.lsp.transport.web_site import Page  # noqa: PLC0415  # as above

    found = {}
    for file in resources.files(__package__).joinpath("web_assets").iterdir():
        content_type = _CONTENT_TYPES.get(Path(file.name).suffix)
        if content_type:
            found["/" if file.name == _FRONT else f"/{file.name}"] = Page(content_type, file.read_bytes())
    return found


def _workspace_override(root: Path | None) -> Callable[[object], object]:
    def authenticate(params: object) -> object:
        claimed = params if isinstance(params, dict) else {}
        return claimed | {
            "rootUri": root.as_uri() if root else None,
            "rootPath": None,
            "workspaceFolders": None,
        }

    return authenticate


def _project_of(paths: list[Path]) -> Path | None:
    roots = sorted({workspace_of(path) for path in paths})
    if len(roots) > 1:
        raise BadInput(
            f"the files belong to different projects, {roots[0]} and {roots[1]}; start twospeed web once for each project"
        )
    return roots[0] if roots else None


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > _MAX_DIGITS or int(text) == 0:
        raise argparse.ArgumentTypeError("must be a number from 1 to 999999999")
    return int(text)


def real_paths_of(paths: Sequence[Path]) -> dict[Path, Path]:
    """Map absolute paths to their real paths."""
    return {path: path.resolve() for path in paths}


class Conflict(BadInput):
    """Another program has changed the file."""

    def __init__(self, path: Path, on_disk: str) -> None:
        super().__init__(f"{path}: another program changed the file; nothing was written")
        self.on_disk = on_disk


class FileEndpoint:
    """The files of one page: it may read and save only ``named``, below the real path ``root``."""

    def __init__(self, named: Mapping[Path, Path], root: Path) -> None:
        self._named = named
        self._root = root
        self._sources: dict[str, SourceFile] = {}

    def respond(self, message: str) -> str:
        """Handle a message and return the response."""
        request: object = None
        try:
            request = json.loads(message)
            result = self._run(request)
        except Conflict as error:
            result = {"error": str(error), "onDisk": error.on_disk}
        except (BadInput, ValueError, RecursionError) as error:
            result = {"error": str(error)}
        return json.dumps({"id": request.get("id") if isinstance(request, dict) else None, **result})

    def read_all(self) -> list[dict[str, str]]:
        """Read all files; raises `BadInput`."""
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
        # Links were resolved at the start of the program; one that appeared later must not be followed.
        real_path = real_path_of(path, root=self._root)
        raw = read_real(real_path, max_bytes=MAX_FILE_BYTES) if isinstance(real_path, str) else real_path
        if isinstance(real_path, str) and Path(real_path) != self._named[path]:
            raise BadInput(f"{path}: points to another file than when twospeed web was started")
        if isinstance(raw, Unreadable):
            raise BadInput(f"{path}: {raw.reason}")
        return source_from(path, raw)

    def _run(self, request: object) -> Mapping[str, object]:
        match request:
            case {"method": "read"}:
                return {"files": self.read_all()}
            case {"method": "save", "uri": str(uri), "text": str(text), **rest}:
                self._save(uri, text, over=rest.get("over"))
                return {}
            case _:
                raise BadInput("method: must be read or save, see web.py")

    def _save(self, uri: str, text: str, *, over: object) -> None:
        source = self._sources.get(uri)
        if source is None:
            raise BadInput("uri: this file was not named on the command line")
        try:
            require_writable(source.path)
        except BadInput as error:
            raise BadInput(f"{source.path}: the file or its folder is read-only") from error
        except OSError as error:
            raise BadInput(f"{source.path}: cannot be written: the file does not exist any more") from error
        on_disk = self._read(source.path)
        if on_disk.data != source.data and on_disk.text != over:
            raise Conflict(source.path, on_disk.text)
        try:
            data = on_disk.encoded(text)
        except UnicodeEncodeError as error:
            raise BadInput(
                f"{source.path}: the text has half a character (a lone surrogate), which UTF-8 cannot encode"
            ) from error
        write_source(on_disk, text)
        self._sources[uri] = replace(on_disk, data=data, text=text)
