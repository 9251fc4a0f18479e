"""Convert names to words: ``fetchUserData`` to "Fetch user data"."""

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
    """Return a sentence for a function or class of this name."""
    name = name.rpartition(".")[2]
    if name in _SPECIAL:
        return _SPECIAL[name] + "."
    parts = words_of(name)
    if not parts or (name.startswith("__") and name.endswith("__")):
        return f"Implement ``{name}``."
    if parts[0] in _CLAIMS and len(parts) > 1:
        return f"Tell whether it {' '.join(parts)}."
    return _capitalized(" ".join(parts))


def meaning(name: str) -> str:
    """Return a sentence for a parameter of this name."""
    parts = words_of(name)
    if len(parts) > 1 and parts[0] in _CLAIMS:
        return f"Whether it {' '.join(parts)}."
    return _capitalized(" ".join(parts) or name)


def words_of(name: str) -> list[str]:
    """Split a name at underscores and capitals. Abbreviations keep their capitals."""
    parts = _PART.findall(name)
    return [part if len(part) > 1 and part.isupper() and name != part else part.lower() for part in parts]


def _capitalized(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
