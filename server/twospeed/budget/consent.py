"""Store which cloud providers and which project notes the user agreed to.

The file is in the user's state folder, never in a workspace; an invalid file means no consent.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from twospeed.errors import SettingsError
from twospeed.models.base import ProviderSettings
from twospeed.workspace.guarded import read_guarded
from twospeed.workspace.own_files import replace_own_file

logger = logging.getLogger(__name__)

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Consent:
    """The user's consent."""

    # origin by provider, as `models.http.endpoints.Origin` formats it
    origins: Mapping[str, str] = field(default_factory=dict)
    notes: frozenset[str] = frozenset()  # SHA-256 of each text of project notes, in hexadecimal

    def allows(self, provider: ProviderSettings) -> bool:
        """Whether the user agreed to this provider at this address."""
        return self.origins.get(provider.name) == _origin_of(provider)

    def with_provider(self, provider: ProviderSettings) -> Consent:
        """Return the consent with this provider added."""
        return replace(self, origins={**self.origins, provider.name: _origin_of(provider)})

    def without_provider(self, name: str) -> Consent:
        """Return the consent with this provider removed."""
        return replace(self, origins={each: origin for each, origin in self.origins.items() if each != name})

    def with_notes(self, digest: str) -> Consent:
        """Return the consent with a text of project notes added."""
        return replace(self, notes=self.notes | {digest})


def _origin_of(provider: ProviderSettings) -> str:
    return str(provider.endpoint.origin)


def consent_path(folder: Path) -> Path:
    """Return the path of the consent file in the user's state folder."""
    return folder / "consent.json"


def read_consent(path: Path) -> Consent:
    """Read the consent; empty if the file is missing or invalid."""
    text = read_guarded(path, root=None)
    if not isinstance(text, str):
        if not text.is_absent:
            logger.warning(
                "the consent file cannot be read, so consent is requested again: %s %s", path, text.reason
            )
        return Consent()
    try:
        kept = json.loads(text)
    except (ValueError, RecursionError):
        return Consent()
    match kept:
        case {"format": 1, "origins": dict(origins), **more} if all(
            isinstance(each, str) for each in origins.values()
        ):
            notes = more.get("notes")
            return Consent(origins, _hashes(notes) if isinstance(notes, list) else frozenset())
        case _:
            return Consent()


def _hashes(values: list[object]) -> frozenset[str]:
    return frozenset(value for value in values if isinstance(value, str))


def write_consent(path: Path, consent: Consent) -> None:
    """Write the file atomically, with mode 0600; raises SettingsError if that fails."""
    kept = {"format": _FORMAT, "origins": dict(consent.origins), "notes": sorted(consent.notes)}
    text = json.dumps(kept, indent=2) + "\n"
    try:
        replace_own_file(path, text)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise SettingsError(f"cannot be written: {reason}", source=str(path)) from error
