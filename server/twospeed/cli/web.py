"""``twospeed web [FILE…]``: a page in a browser that edits, on a port of loopback.

The page is made of the files in ``web_assets``, which ``make web`` builds from ``editors/web``. It speaks to the language
server like any editor. Without a FILE it holds a small project in its memory; files that are named it reads and, when a
person saves, writes through a line of its own (`web_files`), which knows of no other file.
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
    from twospeed.lsp.transport.site import Page, Site

_CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/code/javascript; charset=utf-8",
}
_FRONT = "index.html"
FILES_LINE = "/files"
_MAX_DIGITS = 9

MAX_EDITS, MAX_TOKENS = 30, 200_000
"""What one start may spend where nothing else is said: whoever gets at the page gets no further."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``web`` takes."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="a file to edit; a sample project where none is named",
    )
    parser.add_argument("--port", default="0", help="a port on loopback (default: any that is free)")
    parser.add_argument(
        "--max-edits",
        metavar="N",
        type=_count,
        default=MAX_EDITS,
        help="edits until the end (default: %(default)s)",
    )
    parser.add_argument(
        "--max-tokens",
        metavar="N",
        type=_count,
        default=MAX_TOKENS,
        help="tokens until the end, of models that may cost something (default: %(default)s)",
    )


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        The exit status.

    Raises:
        BadInput: A file cannot be read, or two are of different projects.
        SettingsError: The port cannot be used.
    """
    from twospeed.lsp.serve import serve_site  # noqa: PLC0415  # as above
    from twospeed.lsp.transport.listeners import parse_port  # noqa: PLC0415  # which --help does not need

    port = parse_port(options.port, source="--port")
    return serve_site(
        port, site_of(options.files, max_edits=options.max_edits, max_tokens=options.max_tokens)
    )


def site_of(files: list[Path], *, max_edits: int, max_tokens: int) -> Site:
    """Put together what the port serves.

    Args:
        files: What was named.
        max_edits: How many edits all pages together may begin.
        max_tokens: How many tokens they may cost.

    Raises:
        BadInput: A file cannot be read, or two are of different projects.
    """
    from twospeed.budget.allowance import Allowance  # noqa: PLC0415  # as above
    from twospeed.lsp.transport.site import Site  # noqa: PLC0415  # as above

    from .web_files import FileLine, real_paths_of  # noqa: PLC0415  # as above

    paths = list(dict.fromkeys(path.absolute() for path in files))
    root = _project_of(paths)
    line = partial(FileLine, real_paths_of(paths), root or Path())
    line().read_all()  # so that a mistake is said before anything listens
    return Site(
        pages=pages(),
        lines={FILES_LINE: lambda: line().answer},
        admit=_seeing_only(root),
        allowance=Allowance(
            n_edits=max_edits,
            n_tokens=max_tokens,
            remedy="start twospeed web again, with a larger --max-edits or --max-tokens",
        ),
    )


def pages() -> dict[str, Page]:
    """Read what a browser loads, by path; a test and ``make test-web`` see that it is there and is what was built."""
    from twospeed.lsp.transport.site import Page  # noqa: PLC0415  # as above

    found = {}
    for file in resources.files(__package__).joinpath("web_assets").iterdir():
        content_type = _CONTENT_TYPES.get(Path(file.name).suffix)
        if content_type:
            found["/" if file.name == _FRONT else f"/{file.name}"] = Page(content_type, file.read_bytes())
    return found


def _seeing_only(root: Path | None) -> Callable[[object], object]:
    """Say ourselves which workspace a session has, whatever a page says."""

    def admit(params: object) -> object:
        given = params if isinstance(params, dict) else {}
        return given | {
            "rootUri": root.as_uri() if root else None,
            "rootPath": None,
            "workspaceFolders": None,
        }

    return admit


def _project_of(paths: list[Path]) -> Path | None:
    """Find the one project of all files, whose ``.twospeed.toml`` says what is not to be sent."""
    roots = sorted({workspace_of(path) for path in paths})
    if len(roots) > 1:
        raise BadInput(
            f"the files belong to different projects, {roots[0]} and {roots[1]}; start twospeed web for each"
        )
    return roots[0] if roots else None


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > _MAX_DIGITS or int(text) == 0:
        raise argparse.ArgumentTypeError("a number from 1 to 999999999 is wanted")
    return int(text)
