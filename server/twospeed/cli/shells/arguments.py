"""The commands and arguments of a parser as plain values. `argparse` has no public way to list them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Argument:
    """An option, or an operand if it has no flags."""

    flags: tuple[str, ...]
    value: str  # the name of its value; empty for an option without one
    help: str
    choices: tuple[str, ...] = ()

    @property
    def is_path(self) -> bool:
        """Whether its value is a path."""
        return self.value.startswith(("FILE", "PATH"))


@dataclass(frozen=True, slots=True)
class Command:
    """A command, or an action of one."""

    words: tuple[str, ...]  # after ``twospeed``; empty for ``twospeed`` itself
    help: str
    usage: str
    epilog: str
    options: tuple[Argument, ...]
    operands: tuple[Argument, ...]
    commands: tuple[Command, ...]

    @property
    def name(self) -> str:
        """Its last word."""
        return self.words[-1] if self.words else "twospeed"

    @property
    def takes_path(self) -> bool:
        """Whether an operand is a path."""
        return any(each.is_path for each in self.operands)

    def with_all_below(self) -> Iterator[Command]:
        """Yield the command, then each one below it."""
        yield self
        for command in self.commands:
            yield from command.with_all_below()


def command_of(parser: argparse.ArgumentParser, words: tuple[str, ...] = (), help_text: str = "") -> Command:
    """Return the command of a parser, with all below it."""
    arguments: list[Argument] = []
    commands: list[Command] = []
    for action in parser._actions:  # noqa: SLF001  # see the module docstring
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  # as above
            helps = {each.dest: each.help or "" for each in action._choices_actions}  # noqa: SLF001  # as above
            commands += [
                command_of(below, (*words, name), helps[name]) for name, below in action.choices.items()
            ]
        elif action.help != argparse.SUPPRESS:
            arguments.append(_argument(parser, action))
    return Command(
        words,
        help_text or parser.description or "",
        " ".join(parser.format_usage().removeprefix("usage: ").split()),
        parser.epilog or "",
        options=tuple(each for each in arguments if each.flags),
        operands=tuple(each for each in arguments if not each.flags),
        commands=tuple(commands),
    )


def _argument(parser: argparse.ArgumentParser, action: argparse.Action) -> Argument:
    choices = tuple(map(str, action.choices or ()))
    value = "" if action.nargs == 0 else str(action.metavar or "|".join(choices) or action.dest.upper())
    help_text = (action.help or "") % {**vars(action), "prog": parser.prog}
    return Argument(tuple(action.option_strings), value, help_text, choices)
