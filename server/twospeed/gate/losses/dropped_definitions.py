"""Report the functions and classes of a scope that an answer omits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from twospeed.gate.facts import GateFacts, Remark
from twospeed.text.code.scope import Definition

Path = tuple[str, ...]
"""Names of the enclosing definitions, outermost first, and the name itself."""


def dropped_definitions(facts: GateFacts) -> Iterator[Remark]:
    """Report each missing definition at its old place."""
    for each in missing_definitions(facts):
        line = facts.place_of_old(each.first_line - facts.first_line)
        yield Remark(f'the {each.kind} "{each.name}" was removed here', (line, line))


def missing_definitions(facts: GateFacts) -> Iterator[Definition]:
    """Yield the outermost missing definitions, except the scope itself.

    Empty if the answer cannot be parsed.
    """
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
            elsewhere[each.name] -= 1  # moved to another class
        elif each.within in dropped:
            dropped.add(path)
        elif not (each.is_local or path == (facts.name,)):
            # A definition inside a function is an implementation detail. `name-gone` reports the scope
            # itself.
            dropped.add(path)
            yield each


def path_of(definition: Definition) -> Path:
    """Return the path of a definition in its scope."""
    return (*definition.within, definition.name)
