"""Signatures that an edit changed, and the calls of their functions."""

from .call_sites import call_sites, is_same_family
from .go_calls import go_package
from .places import Callee, CallSite, CallSites
from .signatures import ChangedSignature, changed_signatures

__all__ = [
    "CallSite",
    "CallSites",
    "Callee",
    "ChangedSignature",
    "call_sites",
    "changed_signatures",
    "go_package",
    "is_same_family",
]
