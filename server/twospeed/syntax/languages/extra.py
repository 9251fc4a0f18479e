"""The languages whose grammars come with the extra ``all-languages``."""

from __future__ import annotations

from .profile import LanguageProfile

EXTRA_PROFILES: tuple[LanguageProfile, ...] = ()
