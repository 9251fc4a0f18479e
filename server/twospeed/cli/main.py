"""The ``twospeed`` command: arguments in, an exit status out.

An editor starts this to get its server, so it imports nothing but the parser before it knows the command.
"""

from __future__ import annotations

import argparse
import gc
import linecache
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from twospeed import __version__
from twospeed.errors import TwospeedError

from .exits import BAD_INPUT, CANCELLED, exit_status
from .visible import complain

GC_THRESHOLDS = (5_000, 10, 10)
"""Of a server. Collecting every 700 objects costs time, never collecting 9 MB of what importing leaves behind."""

_STDERR = 2
_GENERAL = ("-h", "--help", "--version")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; without a command it serves, as editors append only a transport.

    Args:
        arguments: Without the program's name; the process' own where ``None``.

    Returns:
        The exit status (contract, "Command line").
    """
    # Else pydantic reads the metadata of every package that is installed, for plugins we do not use.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    _open_standard_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in _GENERAL):
        given.insert(0, "serve")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # an icon must not end an edit in an ASCII terminal
    try:
        options = _parser(given[0]).parse_args(given)
        run: Callable[[argparse.Namespace], int] = options.run
        return run(options)
    except TwospeedError as error:
        complain(str(error))
        return exit_status(error)
    except KeyboardInterrupt:
        return CANCELLED


def _open_standard_streams() -> None:
    """Put nothing where a standard stream was closed: what is opened next would get its number, and our words."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        pass
    os.close(descriptor)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


class _Parser(argparse.ArgumentParser):
    """A parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        complain(f"{message}; see {self.prog} --help")
        sys.exit(BAD_INPUT)


def _parser(command: str) -> argparse.ArgumentParser:
    """Build the parser; only the arguments of the command that runs are declared, with what they import."""
    parser = _Parser(
        prog="twospeed",
        description="Inline AI edits at two speeds, in any LSP editor.",
        epilog="twospeed COMMAND --help says what a command takes, twospeed doctor where your config is.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"twospeed {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    serve = commands.add_parser("serve", help="run the language server (the default)", allow_abbrev=False)
    edit = commands.add_parser(
        "edit",
        help="edit a file from the terminal",
        epilog='for example: twospeed edit shop.py:41 "rename total to worth"',
        allow_abbrev=False,
    )
    doctor = commands.add_parser("doctor", help="say what is configured and ready", allow_abbrev=False)
    stats = commands.add_parser("stats", help="say what edits were like, by mode", allow_abbrev=False)
    web = commands.add_parser("web", help="edit in a browser, on a port of this machine", allow_abbrev=False)
    match command:
        case "serve":
            _declare_serve(serve)
        case "edit":
            from .edit import command as edit_command  # noqa: PLC0415  # asyncio, which --help does not need

            edit_command.add_arguments(edit)
            edit.set_defaults(run=edit_command.run)
        case "doctor":
            from .doctor import command as doctor_command  # noqa: PLC0415  # as above

            doctor_command.add_arguments(doctor)
            doctor.set_defaults(run=doctor_command.run)
        case "stats":
            from .stats import command as stats_command  # noqa: PLC0415  # as above

            stats_command.add_arguments(stats)
            stats.set_defaults(run=stats_command.run)
        case "web":
            from . import web as web_command  # noqa: PLC0415  # as above

            web_command.add_arguments(web)
            web.set_defaults(run=web_command.run)
        case _:
            pass
    return parser


def _declare_serve(parser: argparse.ArgumentParser) -> None:
    transport = parser.add_mutually_exclusive_group()
    transport.add_argument("--stdio", action="store_true", help="speak over stdin and stdout (the default)")
    transport.add_argument(
        "--pipe", metavar="PATH", help="a Unix socket: listen there, or connect to who listens there already"
    )
    transport.add_argument("--tcp", metavar="PORT", help="a port on loopback, 0 for any; prints a token")
    transport.add_argument(
        "--ws", metavar="PORT", help="a WebSocket on a port on loopback, 0 for any; prints a token"
    )
    parser.add_argument("--clientProcessId", dest="_client", help=argparse.SUPPRESS)  # some clients append it
    parser.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    gc.set_threshold(*GC_THRESHOLDS)
    from twospeed.lsp.serve import TRANSPORTS, serve  # noqa: PLC0415  # the server, which no other command needs

    linecache.clearcache()  # attrs keeps the source of every method it has written, 2 MB, for debuggers
    gc.freeze()  # what is loaded now stays
    given = [name for name in TRANSPORTS if name != "stdio" and getattr(options, name) is not None]
    if not given and sys.stdin.isatty():
        complain(
            "this is the server, which an editor starts; Ctrl+C ends it, twospeed --help lists the commands"
        )
    status: int = serve(given[0], getattr(options, given[0])) if given else serve("stdio")
    return status
