"""Completion for zsh: a function for each command, with the specifications of ``_arguments``."""

from __future__ import annotations

from collections.abc import Iterator

from .arguments import Argument, Command

_HEAD = "#compdef twospeed\n# zsh completion of twospeed, printed by: twospeed completion zsh\n"
_TAIL = """
if [[ "${funcstack[1]}" == _twospeed ]]; then
    _twospeed "$@"
else
    compdef _twospeed twospeed
fi
"""
_GROUP = """
{name}() {{
    local curcontext="$curcontext" state line
    local -a commands
    _arguments -C {options} '1: :->command' '*:: :->rest'
    case $state in
        command)
            commands=({commands})
            _describe command commands
            ;;
        rest) (( $+functions[{name}_$line[1]] )) && {name}_$line[1] ;;
    esac
}}
"""
_LEAF = """
{name}() {{
    _arguments {specs}
}}
"""


def zsh_script(program: Command) -> str:
    """Return the script, for a file ``_twospeed`` in ``$fpath`` or for ``source``."""
    return _HEAD + "".join(_function(each) for each in program.with_all_below()) + _TAIL


def _function(command: Command) -> str:
    name = "_".join(("_twospeed", *command.words))
    options = " ".join(spec for option in command.options for spec in _option(option))
    if command.commands:
        commands = " ".join(
            _quoted(f"{each.name}:{each.help.replace(':', chr(92) + ':')}") for each in command.commands
        )
        return _GROUP.format(name=name, options=options, commands=commands)
    # `_arguments` accepts one specification for the rest of the words.
    rest = "".join(f" {_quoted(f'*{_value(each)}')}" for each in command.operands[:1])
    return _LEAF.format(name=name, specs=options + rest)


def _option(option: Argument) -> Iterator[str]:
    excluded = f"({' '.join(option.flags)})" if len(option.flags) > 1 else ""
    for flag in option.flags:
        yield _quoted(f"{excluded}{flag}[{_escaped(option.help)}]{_value(option) if option.value else ''}")


def _value(argument: Argument) -> str:
    choices = f"({' '.join(argument.choices)})" if argument.choices else ""
    return f":{_escaped(argument.value)}:{choices or ('_files' if argument.is_path else ' ')}"


def _escaped(text: str) -> str:
    for character in "\\[]:":
        text = text.replace(character, f"\\{character}")
    return text


def _quoted(text: str) -> str:
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"
