"""Tell what a parser knows of a scope as plain values (``text.code_facts``). Nothing here changes text."""

from .assemble import code_facts
from .places import identifier_at

__all__ = ["code_facts", "identifier_at"]
