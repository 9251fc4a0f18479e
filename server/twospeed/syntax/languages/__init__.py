"""Properties of each language: relevant node types, and comment syntax. Data only.

``tags.scm`` of the grammars lists signatures without bodies, and misses constructors and decorators.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec

from .comment_marks import comment_markers, comment_marks
from .core import CORE_PROFILES
from .extra import EXTRA_PROFILES
from .formats import FORMAT_PROFILES, FormatProfile
from .profile import LanguageProfile

PROFILES: Mapping[str, LanguageProfile] = {
    profile.language_id: profile for profile in (*CORE_PROFILES, *EXTRA_PROFILES)
}
"""Languages with functions or classes, by LSP language id."""

FORMATS: Mapping[str, FormatProfile] = {profile.language_id: profile for profile in FORMAT_PROFILES}
"""Formats with elements, by LSP language id."""


def profile_for(language_id: str) -> LanguageProfile | None:
    """Return the profile of a language, or ``None`` if its grammar is not installed."""
    profile = PROFILES.get(language_id) or FORMATS.get(language_id)
    return profile if profile and _is_installed(profile.module) else None


def has_grammar(language_id: str) -> bool:
    """Return whether documents of this language are parsed."""
    return profile_for(language_id) is not None


@cache
def _is_installed(module: str) -> bool:
    return find_spec(module) is not None  # without loading it; some come with the extra ``all-languages``


__all__ = [
    "FORMATS",
    "PROFILES",
    "FormatProfile",
    "LanguageProfile",
    "comment_markers",
    "comment_marks",
    "has_grammar",
    "profile_for",
]
