"""The man page ``twospeed.1``, printed by ``python -m twospeed.cli.shells.man_page``."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from twospeed import __version__
from twospeed.cli.main import parser_of
from twospeed.cli.visible import write_out

from .arguments import Argument, Command, command_of

_STATUSES = (
    ("0", "success; of edit: applied, or nothing to change"),
    ("1", "of edit and doctor: the answer cannot be used"),
    ("2", "wrong usage, input or config"),
    ("3", "the model, the network, the server or a time limit failed"),
    ("130", "cancelled"),
)


def man_page(program: Command) -> str:
    """Return the page in the man macros of roff."""
    return "".join(f"{line}\n" for line in _lines(program))


def _lines(program: Command) -> Iterator[str]:
    yield f'.TH TWOSPEED 1 "" "twospeed {_escaped(__version__)}" "User Commands"'
    yield from (".SH NAME", rf"twospeed \- {_escaped(program.help)}")
    yield from (".SH SYNOPSIS", rf".B {_escaped(program.usage)}")
    yield from (".SH OPTIONS", *_arguments(program))
    yield ".SH COMMANDS"
    for command in program.with_all_below():
        if command.words:
            yield from (f".SS {_escaped(' '.join(command.words))}", _escaped(command.help), ".PP")
            yield rf"\fB{_escaped(command.usage)}\fP"
            yield from _arguments(command)
            if command.epilog:
                yield from (".PP", _escaped(command.epilog))
    yield ".SH EXIT STATUS"
    for status, meaning in _STATUSES:
        yield from (".TP", f".B {status}", meaning)
    yield from (".SH NOTES", _escaped(program.epilog))


def _arguments(command: Command) -> Iterator[str]:
    for argument in (*command.operands, *command.options):
        yield from (".TP", f".B {_escaped(_head(argument))}", _escaped(argument.help))


def _head(argument: Argument) -> str:
    return " ".join(part for part in (", ".join(argument.flags), argument.value) if part)


def _escaped(text: str) -> str:
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


def main() -> int:
    """Print the page."""
    write_out(sys.stdout, man_page(command_of(parser_of(None))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
