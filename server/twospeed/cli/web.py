"""``twospeed web [FILE…]``: serves a page for editing in a browser, on a loopback port.

The page is in ``web_assets``, which ``make web`` builds from ``editors/web``. It is a client of the language
server like any editor. Without FILE it holds a sample project in memory; named files are read and saved
through `web_files`, which accepts no other file.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from .exits import BadInput
from .files import workspace_of

if TYPE_CHECKING:
    from twospeed.lsp.transport.web_site import Page, Site

_CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
_FRONT = "index.html"
FILES_LINE = "/files"
_MAX_DIGITS = 9

MAX_EDITS, MAX_TOKENS = 30, 200_000
"""Default limits of one start; they also limit what a stranger with access to the page can spend."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``web``."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="a file to edit (default: a sample project)",
    )
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
    """Run the command.

    Returns:
        The exit status.

    Raises:
        BadInput: A file cannot be read, or the files belong to different projects.
        SettingsError: The port cannot be used.
    """
    from twospeed.lsp.serve import serve_site  # noqa: PLC0415  # as above
    from twospeed.lsp.transport.socket_server import parse_port  # noqa: PLC0415  # which --help does not need

    port = parse_port(options.port, source="--port")
    return serve_site(
        port, site_of(options.files, max_edits=options.max_edits, max_tokens=options.max_tokens)
    )


def site_of(files: list[Path], *, max_edits: int, max_tokens: int) -> Site:
    """Return what the port serves.

    Args:
        files: The files named on the command line.
        max_edits: Number of edits that all pages together may start.
        max_tokens: Number of tokens that they may use.

    Raises:
        BadInput: A file cannot be read, or the files belong to different projects.
    """
    from twospeed.budget.allowance import Allowance  # noqa: PLC0415  # as above
    from twospeed.lsp.transport.web_site import Site  # noqa: PLC0415  # as above

    from .web_files import FileEndpoint, real_paths_of  # noqa: PLC0415  # as above

    paths = list(dict.fromkeys(path.absolute() for path in files))
    root = _project_of(paths)
    line = partial(FileEndpoint, real_paths_of(paths), root or Path())
    line().read_all()  # report a wrong file before the port is opened
    return Site(
        pages=pages(),
        endpoints={FILES_LINE: lambda: line().answer},
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
    """Replace the workspace that a page claims by the one of the command line."""

    def authenticate(params: object) -> object:
        claimed = params if isinstance(params, dict) else {}
        return claimed | {
            "rootUri": root.as_uri() if root else None,
            "rootPath": None,
            "workspaceFolders": None,
        }

    return authenticate


def _project_of(paths: list[Path]) -> Path | None:
    """Return the project of all files; its ``.twospeed.toml`` says what is not sent."""
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
