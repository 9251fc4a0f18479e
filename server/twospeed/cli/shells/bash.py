"""Completion for bash, 3.2 or later."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from .arguments import Command

_SCRIPT = """\
# bash completion of twospeed, printed by: twospeed completion bash
_twospeed() {{
    local place="" words="" index
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
    for ((index = 1; index < COMP_CWORD; index++)); do
        case "$place/${{COMP_WORDS[index]}}" in
            {places}) place="$place/${{COMP_WORDS[index]}}" ;;
        esac
    done
    case "$place $previous" in
{values}
        *)
            case "$place" in
{words}
            esac
            ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _twospeed twospeed
"""
_VALUE_INDENT, _WORDS_INDENT = 8 * " ", 16 * " "


def bash_script(program: Command) -> str:
    """Return the script; where it has no words, bash completes files."""
    commands = list(program.with_all_below())
    return _SCRIPT.format(
        places="|".join(shlex.quote(_place(each)) for each in commands[1:]),
        values="\n".join(_VALUE_INDENT + line for each in commands for line in _values(each)),
        words="\n".join(_WORDS_INDENT + _words(each) for each in commands),
    )


def _place(command: Command) -> str:
    return "".join(f"/{word}" for word in command.words)


def _values(command: Command) -> Iterator[str]:
    for option in command.options:
        if option.value:
            flags = "|".join(shlex.quote(f"{_place(command)} {flag}") for flag in option.flags)
            yield f"{flags}) words={shlex.quote(' '.join(option.choices))} ;;"


def _words(command: Command) -> str:
    words = [
        *(each.name for each in command.commands),
        *(choice for operand in command.operands for choice in operand.choices),
        *(flag for option in command.options for flag in option.flags),
    ]
    return f"{shlex.quote(_place(command))}) words={shlex.quote(' '.join(words))} ;;"
