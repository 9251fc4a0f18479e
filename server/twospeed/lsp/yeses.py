"""What the user has said yes to: asked of the person, kept on disk, known for the session in any case."""

from __future__ import annotations

from collections.abc import Callable

from twospeed.config.consent import Consent, consent_path, read_consent, write_consent
from twospeed.errors import SettingsError
from twospeed.models.base import ProviderSettings
from twospeed.models.endpoints import parse_endpoint
from twospeed.models.key_store import KeyStore

from .client import NO, WARNING, YES, EditorClient


class Yeses:
    """The user's yeses.

    Args:
        client: Asks the person.
        keys: Says where a provider's key was found.
    """

    def __init__(self, client: EditorClient, keys: KeyStore) -> None:
        self._client = client
        self._keys = keys
        self._consent = read_consent(consent_path())

    def has(self, provider: ProviderSettings) -> bool:
        """Tell whether code may go to a provider that was found."""
        return self._consent.allows(provider)

    async def ask(self, provider: ProviderSettings) -> bool:
        """Ask whether code may go to a provider, unless another server was told; remember a yes."""
        host = parse_endpoint(provider.base_url).origin.host
        question = (
            f"{self._keys.whereabouts(provider)}. May twospeed send the code you edit, lines around it and definitions "
            f"of what it uses to {provider.name} ({host})?"
        )
        return await self._ask(
            question, lambda consent: consent.allows(provider), lambda consent: consent.with_yes(provider)
        )

    def has_notes(self, digest: str) -> bool:
        """Tell whether models may be told project notes of this hash."""
        return digest in self._consent.notes

    async def ask_about_notes(self, digest: str) -> bool:
        """Ask whether models may be told them, unless another server was told; remember a yes."""
        question = (
            "This project has notes for models, AGENTS.md or .twospeed/rules.md, that you have not agreed to as they "
            "are now. Read them first: may models be told what they say?"
        )
        return await self._ask(
            question, lambda consent: digest in consent.notes, lambda consent: consent.with_notes(digest)
        )

    async def _ask(
        self, question: str, is_said: Callable[[Consent], bool], add: Callable[[Consent], Consent]
    ) -> bool:
        if not is_said(read_consent(consent_path())):
            if await self._client.ask(question, (YES, NO)) != YES:
                return False
            self._write(add)
        self._consent = add(self._consent)
        return True

    def _write(self, add: Callable[[Consent], Consent]) -> None:
        """Add a yes to those on disk, where other servers have written theirs since."""
        try:
            write_consent(consent_path(), add(read_consent(consent_path())))
        except SettingsError as error:
            self._client.show_message(WARNING, f"your answer holds for this session: {error}")
