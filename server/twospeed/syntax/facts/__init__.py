"""Tell what a parser knows of a scope as plain values (``text.code.code_facts``). Nothing here changes text."""

from .assemble import are_facts_at_hand, code_facts, gather_facts
from .places import identifier_at

__all__ = ["are_facts_at_hand", "code_facts", "gather_facts", "identifier_at"]
