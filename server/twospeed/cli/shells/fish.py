"""Completion for fish."""

from __future__ import annotations

from collections.abc import Iterator

from .arguments import Argument, Command


def fish_script(program: Command) -> str:
    """Return the script."""
    lines = [
        "# fish completion of twospeed, printed by: twospeed completion fish",
        *(line for each in program.with_all_below() for line in _lines(each)),
    ]
    return "".join(f"{line}\n" for line in lines)


def _lines(command: Command) -> Iterator[str]:
    begin = f"complete -c twospeed -n {_quoted(_condition(command))}"
    if not command.takes_path:
        yield f"{begin} -f"
    for below in command.commands:
        yield f"{begin} -a {below.name} -d {_quoted(below.help)}"
    for operand in command.operands:
        if operand.choices:
            yield f"{begin} -a {_quoted(' '.join(operand.choices))} -d {_quoted(operand.help)}"
    for option in command.options:
        yield f"{begin} {_option(option)} -d {_quoted(option.help)}"


def _condition(command: Command) -> str:
    parts = [f"__fish_seen_subcommand_from {word}" for word in command.words]
    if command.commands and command.words:
        parts.append(f"not __fish_seen_subcommand_from {' '.join(each.name for each in command.commands)}")
    return "; and ".join(parts) or "__fish_use_subcommand"


def _option(option: Argument) -> str:
    flags = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
    if option.choices:
        return f"{flags} -x -a {_quoted(' '.join(option.choices))}"
    return f"{flags} {'-r -F' if option.is_path else '-x'}" if option.value else flags


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
