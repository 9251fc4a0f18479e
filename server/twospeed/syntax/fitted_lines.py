"""Move lines of a definition to another place: its indentation and its indentation unit."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.text.lines import indent_of


def are_indented_alike(texts: Sequence[str], old: Sequence[str]) -> bool:
    """Return whether lines of a multi-line string keep their indentation, which is part of the string."""
    indents: dict[str, set[str]] = {}
    for line in old:
        indents.setdefault(line.strip(), set()).add(indent_of(line))
    return all(indent_of(line) in indents.get(line.strip(), {indent_of(line)}) for line in texts)


def moved(part: Sequence[str], indent: str) -> list[str]:
    """Return a part with the indentation of its new place."""
    own = indent_of(part[0])
    if own == indent:
        return list(part)
    return [indent + line.removeprefix(own) if line.strip() else "" for line in part]


def fitted(lines: Sequence[str], n_above: int, old: Sequence[str]) -> Sequence[str]:
    """Return a definition with the indentation of its old version.

    Args:
        lines: The definition, with its comments.
        n_above: Number of lines above its first one.
        old: The old version, without the lines above it.

    Returns:
        Empty if the units differ and some line is not a multiple of its unit.
    """
    own, unit, old_unit = indent_of(lines[0]), _unit(lines[n_above:]), _unit(old)
    if not unit or not old_unit or unit == old_unit:
        return moved(lines, indent_of(old[0]))
    lines_now: list[str] = []
    for number, line in enumerate(lines):
        inner = indent_of(line).removeprefix(own) if line.strip() else ""
        n_levels, n_more = divmod(len(inner), len(unit))
        if number < n_above:
            lines_now.append(indent_of(old[0]) + line.removeprefix(own))
            continue
        if n_more or inner != unit * n_levels or "`" in line:
            return ()
        lines_now.append(indent_of(old[0]) + old_unit * n_levels + line.strip() if line.strip() else "")
    return lines_now


def _unit(lines: Sequence[str]) -> str:
    """Return the additional indentation of the first deeper line, or an empty string."""
    own = indent_of(lines[0])
    inner = (indent_of(line) for line in lines if line.strip())
    return next((each.removeprefix(own) for each in inner if len(each) > len(own)), "")


def trimmed(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without blank ones at both ends."""
    rows = [at for at, line in enumerate(lines) if line.strip()]
    return lines[rows[0] : rows[-1] + 1] if rows else ()
