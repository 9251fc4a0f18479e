"""Find the keys of providers, in the environment first, then in the system's keyring.

The keyring is not asked for a local server whose settings name no key, if the variable is set, or for the key
of a known provider at another address. `KeyStore.look_up` is the only slow call; the caller decides when to
await it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from twospeed.errors import SettingsError, UnsafeEndpoint
from twospeed.models.base import ProviderSettings
from twospeed.models.catalog.providers import BUILT_APIS, entry_origins, key_origins
from twospeed.models.http.endpoints import Origin, parse_endpoint
from twospeed.secrets.scrub import LEAST_KEY_CHARS

from .keyring_entries import KeyringEntries
from .secret import Secret, wrapped


class KeyStore:
    """The keys of one session.

    Args:
        keyring: Keyring entries; not queried before `look_up`.
    """

    def __init__(self, environ: Mapping[str, str], *, keyring: KeyringEntries | None = None) -> None:
        self.environ = environ
        self._keyring = keyring or KeyringEntries()

    async def look_up(self, providers: Iterable[ProviderSettings]) -> None:
        """Query the keyring for the keys that are not in the environment; see `KeyringEntries`."""
        await self._keyring.look_up({each.name for each in providers if self._may_be_in_keyring(each)})

    def needs_query(self, provider: ProviderSettings) -> bool:
        """Whether the keyring may have the key and was not queried yet."""
        return self._may_be_in_keyring(provider) and not self._keyring.was_queried(provider.name)

    def is_in_environment(self, provider: ProviderSettings) -> bool:
        """Whether the provider's variable is set."""
        return bool(self._in_environment(provider))

    def has_key(self, provider: ProviderSettings) -> bool:
        """Whether a key is known now; entries that were not queried do not count."""
        return bool(self._in_environment(provider) or self._in_keyring(provider))

    def obstacle(self, provider: ProviderSettings) -> str | None:
        """Return why a required key is missing, as a phrase without a dot; ``None`` if no key is missing."""
        if provider.api_key_env is None or self.has_key(provider):
            return None
        return f"no key in {provider.api_key_env}{self._keyrings_part(provider)}"

    def key_location(self, provider: ProviderSettings) -> str:
        """Return where the key was found, as a sentence without a dot."""
        if self._in_environment(provider):
            return f"{provider.api_key_env} is set"
        return f"The keyring has a key for {provider.name}"

    def name_of_key_in(self, text: str, providers: Iterable[ProviderSettings]) -> str | None:
        """Return the variable or keyring entry of a key that ``text`` contains; does not query the keyring."""
        for provider in providers:
            for value, name in (
                (self._in_environment(provider), provider.api_key_env),
                (self._in_keyring(provider), f"twospeed {provider.name}"),
            ):
                if len(value) >= LEAST_KEY_CHARS and value in text:
                    return name
        return None

    def key_of(self, provider: ProviderSettings) -> Secret | None:
        """Return a provider's key, bound to the origins that may receive it.

        Returns:
            ``None`` if the provider needs no key, or is on this machine and has none.

        Raises:
            SettingsError: The key is missing, or has a character that no key has.
            UnsafeEndpoint: A request may not go to the base URL.
        """
        origin = parse_endpoint(provider.base_url).origin
        name = provider.api_key_env
        if name and (value := self._in_environment(provider)):
            return wrapped(value, name=name, source="environment", origins=key_origins(name, origin))
        if value := self._in_keyring(provider):
            origins = entry_origins(provider, origin)
            return wrapped(value, name=f"twospeed {provider.name}", source="keyring", origins=origins)
        if name is None or origin.is_loopback:
            return None
        keyring = self._keyring.get(provider.name).trouble
        message = f"is not set; {provider.name} needs its key there, or in the keyring"
        raise SettingsError(f"{message} ({keyring})" if keyring else message, source="environment", key=name)

    def _in_environment(self, provider: ProviderSettings) -> str:
        return self.environ.get(provider.api_key_env, "").strip() if provider.api_key_env else ""

    def _in_keyring(self, provider: ProviderSettings) -> str:
        if not self._may_be_in_keyring(provider):
            return ""
        return (self._keyring.get(provider.name).password or "").strip()

    def _may_be_in_keyring(self, provider: ProviderSettings) -> bool:
        if provider.api not in BUILT_APIS - {"llama", "builtin"} or self._in_environment(provider):
            return False
        origin = _origin_of(provider)
        if origin is None or (origin.is_loopback and provider.api_key_env is None):
            return False
        return origin in entry_origins(provider, origin)

    def _keyrings_part(self, provider: ProviderSettings) -> str:
        if not self._may_be_in_keyring(provider) or not self._keyring.was_queried(provider.name):
            return ""
        trouble = self._keyring.get(provider.name).trouble
        return f" or the keyring ({trouble})" if trouble else " or the keyring"


def _origin_of(provider: ProviderSettings) -> Origin | None:
    try:
        return parse_endpoint(provider.base_url).origin
    except UnsafeEndpoint:
        return None
