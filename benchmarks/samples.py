"""Generate functions of any length, and possible answers of a model, with seeded randomness only."""

from __future__ import annotations

import random
from collections.abc import Sequence

_BODY = (
    "    price_{i} = items[{i}].price * rate",
    "    total += price_{i} if price_{i} > limit else {i}",
    "    log.debug('item %d costs %s', {i}, price_{i})",
    "    count += 1",
    "",
)
_OTHER_BODY = (
    "    answer_{i} = ask(request, timeout={i})",
    "    values['{i}'] = answer_{i}.json()['value']",
)


def function(n_lines: int, name: str = "total_of") -> list[str]:
    """Return a Python function, with blank and repeated lines as in real ones."""
    body = [_BODY[index % len(_BODY)].format(i=index) for index in range(n_lines - 2)]
    return [f"def {name}(items, rate, limit):", *body, "    return total"]


def surroundings(n_lines: int) -> list[str]:
    """Return lines of other functions, none of which is in a ``function``."""
    lines: list[str] = []
    while len(lines) < n_lines:
        lines += [*all_new(function(60, f"ask_{len(lines)}"))[:-1], "    return values", "", ""]
    return [*lines[: n_lines - 1], ""]


def changed(lines: Sequence[str], share: float) -> list[str]:
    """Change a share of a function's body in place; each third change adds a line."""
    body = [index for index, line in enumerate(lines[1:-1], 1) if line]
    picked = set(random.Random(len(lines)).sample(body, max(1, round(share * len(lines)))))
    result = []
    for index, line in enumerate(lines):
        if index in picked and index % 3 == 0:
            result.append(f"    steps.append({index})")
        result.append(_changed_line(line) if index in picked else line)
    return result


def reworked(lines: Sequence[str]) -> list[str]:
    """Change about a fifth of the lines, including the first and last; delete a 17th and add a 12th."""
    result = [lines[0].replace("limit)", "limit=100)")]
    for index, line in enumerate(lines[1:-1], 1):
        if index % 12 == 0:
            result.append(f"    steps.append({index})")
        if index % 17:
            result.append(_changed_line(line) if index % 4 == 0 else line)
    return [*result, "    return total / max(count, 1)"]


def all_new(lines: Sequence[str]) -> list[str]:
    """Keep only the head and the return of a function."""
    body = [_OTHER_BODY[index % len(_OTHER_BODY)].format(i=index) for index in range(len(lines) - 2)]
    return [lines[0], *body, lines[-1]]


def turned_round(lines: Sequence[str]) -> list[str]:
    """Reverse a function's body: every line is known, and almost none is in its place."""
    return [lines[0], *lines[-2:0:-1], lines[-1]]


def answer(lines: Sequence[str]) -> str:
    """Return the lines in a fence, as models do."""
    return "```python\n" + "".join(f"{line}\n" for line in lines) + "```\n"


def _changed_line(line: str) -> str:
    return line.replace(" = ", " = 2 * ").replace(" += ", " += 2 * ").replace("debug", "info")
