"""Consent given in one window applies in another, and no window loses it."""

from __future__ import annotations

from twospeed.budget.consent import consent_path, read_consent
from twospeed.config.paths import state_folder
from twospeed.lsp.client.consent_dialog import ConsentDialog
from twospeed.lsp.client.editor_client import EditorClient
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.models.keys.key_store import KeyStore

GROQ, CEREBRAS = (PROVIDERS[name].settings for name in ("groq", "cerebras"))


class Person(EditorClient):
    """Answers every question alike, and counts them."""

    def __init__(self, answer: str = "Yes") -> None:
        super().__init__(lambda _: None)
        self.answer = answer
        self.n_questions = 0

    async def ask(self, text: str, choices: tuple[str, ...]) -> str | None:
        self.n_questions += 1
        return self.answer


async def test_consents_of_two_servers_are_merged() -> None:
    one, other = (ConsentDialog(Person(), KeyStore({})) for _ in range(2))
    assert await one.ask(GROQ)
    assert await other.ask(CEREBRAS)
    assert await one.ask_about_notes("1a2b")
    kept = read_consent(consent_path(state_folder()))
    assert kept.allows(GROQ)
    assert kept.allows(CEREBRAS)
    assert kept.notes == {"1a2b"}


async def test_consent_given_to_another_server_is_used() -> None:
    person = Person("No")
    one, other = ConsentDialog(Person(), KeyStore({})), ConsentDialog(person, KeyStore({}))
    assert await one.ask(GROQ)
    assert await one.ask_about_notes("1a2b")
    assert await other.ask(GROQ)
    assert await other.ask_about_notes("1a2b")
    assert other.has(GROQ)
    assert person.n_questions == 0
    assert not await other.ask(CEREBRAS)


async def test_consent_that_cannot_be_stored_lasts_for_the_session() -> None:
    consent_path(state_folder()).parent.parent.mkdir(parents=True, exist_ok=True)
    consent_path(state_folder()).parent.write_text("a file where the folder would be")
    consent_dialog = ConsentDialog(Person(), KeyStore({}))
    assert await consent_dialog.ask(GROQ)
    assert await consent_dialog.ask_about_notes("1a2b")
    assert consent_dialog.has(GROQ)
    assert consent_dialog.allows_notes("1a2b")
