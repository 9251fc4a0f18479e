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


def reindent(part: Sequence[str], indent: str) -> list[str]:
    """Return a part with the indentation of its new place."""
    own = indent_of(part[0])
    if own == indent:
        return list(part)
    return [indent + line.removeprefix(own) if line.strip() else "" for line in part]


def reindent_as(lines: Sequence[str], n_above: int, old: Sequence[str]) -> Sequence[str]:
    """Return a definition with the indentation and the indentation unit of its old version.

    The first ``n_above`` lines are comments. Empty if some line is not a multiple of its unit.
    """
    own, unit, old_unit = indent_of(lines[0]), _indent_unit(lines[n_above:]), _indent_unit(old)
    if not unit or not old_unit or unit == old_unit:
        return reindent(lines, indent_of(old[0]))
    reindented: list[str] = []
    for number, line in enumerate(lines):
        inner = indent_of(line).removeprefix(own) if line.strip() else ""
        n_levels, n_more = divmod(len(inner), len(unit))
        if number < n_above:
            reindented.append(indent_of(old[0]) + line.removeprefix(own))
            continue
        if n_more or inner != unit * n_levels or "`" in line:
            return ()
        reindented.append(indent_of(old[0]) + old_unit * n_levels + line.strip() if line.strip() else "")
    return reindented


def _indent_unit(lines: Sequence[str]) -> str:
    own = indent_of(lines[0])
    inner = (indent_of(line) for line in lines if line.strip())
    return next((each.removeprefix(own) for each in inner if len(each) > len(own)), "")


def trimmed(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without blank ones at both ends."""
    rows = [at for at, line in enumerate(lines) if line.strip()]
    return lines[rows[0] : rows[-1] + 1] if rows else ()
