"""Make functions of any length, and the answers a model might give for them. No chance but a seeded one."""

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


def function(n_lines: int) -> list[str]:
    """Write a Python function, with blank and repeated lines as real ones have."""
    body = [_BODY[index % len(_BODY)].format(i=index) for index in range(n_lines - 2)]
    return ["def total_of(items, rate, limit):", *body, "    return total"]


def changed(lines: Sequence[str], share: float) -> list[str]:
    """Change a share of a function's body in place; each third change brings a new line of its own."""
    body = [index for index, line in enumerate(lines[1:-1], 1) if line]
    picked = set(random.Random(len(lines)).sample(body, max(1, round(share * len(lines)))))
    result = []
    for index, line in enumerate(lines):
        if index in picked and index % 3 == 0:
            result.append(f"    steps.append({index})")
        result.append(_changed_line(line) if index in picked else line)
    return result


def all_new(lines: Sequence[str]) -> list[str]:
    """Keep the head and the return of a function, nothing else."""
    body = [_OTHER_BODY[index % len(_OTHER_BODY)].format(i=index) for index in range(len(lines) - 2)]
    return [lines[0], *body, lines[-1]]


def turned_round(lines: Sequence[str]) -> list[str]:
    """Reverse a function's body: every line is known, and almost none in its place."""
    return [lines[0], *lines[-2:0:-1], lines[-1]]


def answer(lines: Sequence[str]) -> str:
    """Put the lines in a fence, as models do."""
    return "```python\n" + "".join(f"{line}\n" for line in lines) + "```\n"


def _changed_line(line: str) -> str:
    return line.replace(" = ", " = 2 * ").replace(" += ", " += 2 * ").replace("debug", "info")
