"""Turn names into words: ``fetchUserData`` into "Fetch user data". What a name does not say is not said."""

from __future__ import annotations

import re

_PART = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^\W_A-Z]+|\d+")

_SPECIAL = {
    "__init__": "Initialize the instance",
    "constructor": "Initialize the instance",
    "__repr__": "Return the representation for developers",
    "__str__": "Return the text for users",
    "__len__": "Return the number of items",
    "__iter__": "Iterate over the items",
    "__next__": "Return the next item",
    "__contains__": "Tell whether an item is contained",
    "__eq__": "Tell whether the other is equal",
    "__ne__": "Tell whether the other is not equal",
    "__lt__": "Tell whether this is less than the other",
    "__hash__": "Return the hash",
    "__bool__": "Tell whether this counts as true",
    "__getitem__": "Return an item",
    "__setitem__": "Set an item",
    "__delitem__": "Delete an item",
    "__enter__": "Enter the context",
    "__exit__": "Leave the context",
    "__aenter__": "Enter the context",
    "__aexit__": "Leave the context",
    "__call__": "Call the instance",
    "default": "Default export",
}
_CLAIMS = {"is", "has", "can", "should", "was", "are", "needs"}


def sentence(name: str) -> str:
    """Say what a function or class of this name does or is, with a full stop."""
    name = name.rpartition(".")[2]
    if name in _SPECIAL:
        return _SPECIAL[name] + "."
    parts = words_of(name)
    if not parts or (name.startswith("__") and name.endswith("__")):
        return f"Implement ``{name}``."
    if parts[0] in _CLAIMS and len(parts) > 1:
        return f"Tell whether it {' '.join(parts)}."
    return _started(" ".join(parts))


def meaning(name: str) -> str:
    """Say what a parameter of this name holds, with a full stop."""
    parts = words_of(name)
    if len(parts) > 1 and parts[0] in _CLAIMS:
        return f"Whether it {' '.join(parts)}."
    return _started(" ".join(parts) or name)


def words_of(name: str) -> list[str]:
    """Split a name at underscores and capitals; abbreviations keep theirs."""
    parts = _PART.findall(name)
    return [part if len(part) > 1 and part.isupper() and name != part else part.lower() for part in parts]


def _started(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
