"""What is known of each language: node types that matter, and how comments are written. Data only.

A ``LanguageProfile`` says which tree-sitter grammar reads an LSP language id and which of its node types are
functions, classes, and the declarations around them. ``tags.scm`` of the grammars is not used: it knows
signatures without bodies, misses constructors and class field arrows, and never includes decorators.
"""

from __future__ import annotations

from collections.abc import Mapping

from .comment_marks import comment_markers, comment_marks
from .core import CORE_PROFILES
from .extra import EXTRA_PROFILES
from .profile import LanguageProfile

PROFILES: Mapping[str, LanguageProfile] = {
    profile.language_id: profile for profile in (*CORE_PROFILES, *EXTRA_PROFILES)
}
"""By LSP language id."""


def profile_for(language_id: str) -> LanguageProfile | None:
    """Return what is known of a language's trees, ``None`` where there is no grammar for it."""
    return PROFILES.get(language_id)


def has_grammar(language_id: str) -> bool:
    """Whether documents of this language are parsed at all."""
    return language_id in PROFILES


__all__ = [
    "PROFILES",
    "LanguageProfile",
    "comment_markers",
    "comment_marks",
    "has_grammar",
    "profile_for",
]
