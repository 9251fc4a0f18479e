"""Name the functions and classes of a scope that an answer leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from twospeed.gate.facts import GateFacts, Remark
from twospeed.text.code.scope_code import Definition

Path = tuple[str, ...]
"""Names of the definitions around one, outermost first, and its own."""


def dropped_definitions(facts: GateFacts) -> Iterator[Remark]:
    """Say which definitions are gone, each where it stood."""
    for each in gone_from(facts):
        line = facts.place_of_old(each.first_line - facts.first_line)
        yield Remark(f'the {each.kind} "{each.name}" stood here, and is gone', (line, line))


def gone_from(facts: GateFacts) -> Iterator[Definition]:
    """Yield the outermost definitions that are gone, but for the scope itself; none where the answer cannot be parsed."""
    after = facts.definitions_after
    if after is None:
        return
    before = facts.definitions_before
    here = Counter(map(path_of, after))
    new = here - Counter(map(path_of, before))
    elsewhere = Counter(path[-1] for path in new.elements())
    dropped: set[Path] = set()
    for each in before:
        path = path_of(each)
        if here[path]:
            here[path] -= 1
        elif elsewhere[each.name]:
            elsewhere[each.name] -= 1  # it has moved
        elif each.within in dropped:
            dropped.add(path)
        elif not (each.is_local or path == (facts.name,)):
            # A definition inside of a function is that function's matter; `name-gone` reports the scope itself.
            dropped.add(path)
            yield each


def path_of(definition: Definition) -> Path:
    """Return what names a definition in its scope."""
    return (*definition.within, definition.name)
