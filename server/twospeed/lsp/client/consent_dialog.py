"""The user's consent: requested once, stored on disk, and cached for the session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from twospeed.budget.consent import Consent, consent_path, read_consent, write_consent
from twospeed.config.paths import state_folder
from twospeed.errors import SettingsError
from twospeed.models.base import ProviderSettings
from twospeed.models.keys.key_store import KeyStore

from .editor_client import NO, WARNING, YES, EditorClient, within_limit


class ConsentDialog:
    """The user's consent to send code to providers, and notes to models."""

    def __init__(
        self,
        client: EditorClient,
        keys: KeyStore,
        run: Callable[[Coroutine[None, None, str | None]], asyncio.Task[str | None]] = asyncio.create_task,
    ) -> None:
        self.refused: set[str] = set()  # names of the providers that the user refused in this session
        self._client = client
        self._keys = keys
        self._run = run
        self._consent = read_consent(consent_path(state_folder()))

    def has(self, provider: ProviderSettings) -> bool:
        """Return whether code may be sent to a provider."""
        return self._consent.allows(provider)

    async def ask(self, provider: ProviderSettings) -> bool | None:
        """Ask whether code may be sent to a provider, and store a yes, also a late one; None without an answer yet."""
        host = provider.endpoint.origin.host
        question = (
            f"{self._keys.key_location(provider)}. May twospeed send the code you edit, lines around it and definitions "
            f"of what it uses to {provider.name} ({host})?"
        )
        return await self._ask(
            question,
            lambda consent: consent.allows(provider),
            lambda consent: consent.with_provider(provider),
            deny=lambda: self.refused.add(provider.name),
        )

    def allows_notes(self, digest: str) -> bool:
        """Return whether the user agreed to project notes with this hash."""
        return digest in self._consent.notes

    async def ask_about_notes(self, digest: str) -> bool | None:
        """Ask whether models may receive the project's notes; see `ask`."""
        question = (
            "This project has notes for models, AGENTS.md or .twospeed/rules.md, that you have not agreed to as they "
            "are now. Read them first: may models receive them?"
        )
        return await self._ask(
            question, lambda consent: digest in consent.notes, lambda consent: consent.with_notes(digest)
        )

    async def _ask(
        self,
        question: str,
        is_stored: Callable[[Consent], bool],
        add: Callable[[Consent], Consent],
        deny: Callable[[], object] = lambda: None,
    ) -> bool | None:
        def handle_answer(title: str | None) -> bool | None:
            if title == YES:
                self._write(add)
                self._consent = add(self._consent)
            elif title == NO:
                deny()
            return {YES: True, NO: False}.get(title or "")

        if is_stored(read_consent(consent_path(state_folder()))):
            self._consent = add(self._consent)
            return True
        try:
            question_task = self._run(self._client.ask(question, (YES, NO)))
            return handle_answer(await within_limit(question_task, late=handle_answer))
        except TimeoutError:
            return None

    def _write(self, add: Callable[[Consent], Consent]) -> None:
        try:
            write_consent(consent_path(state_folder()), add(read_consent(consent_path(state_folder()))))
        except SettingsError as error:
            self._client.show_message(WARNING, f"your answer holds for this session: {error}")
