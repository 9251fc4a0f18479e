"""``twospeed completion``: a script with which a shell completes the commands of twospeed."""

from __future__ import annotations

import argparse
import sys

from twospeed.cli.exits import OK
from twospeed.cli.visible import write_out

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``completion``."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")
    parser.epilog = 'for example, in ~/.bashrc: eval "$(twospeed completion bash)"'


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    from twospeed.cli.main import parser_of  # noqa: PLC0415  # it imports this module

    from .arguments import command_of  # noqa: PLC0415  # only one of the scripts is needed
    from .bash import bash_script  # noqa: PLC0415  # as above
    from .fish import fish_script  # noqa: PLC0415  # as above
    from .zsh import zsh_script  # noqa: PLC0415  # as above

    script = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[options.shell]
    write_out(sys.stdout, script(command_of(parser_of(None))))
    return OK
