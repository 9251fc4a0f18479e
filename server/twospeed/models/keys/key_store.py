"""Find the keys of providers: printed by a command of the config, in the environment, or in the system's keyring.

A keyring may be missing, locked, slow, or waiting for a password. So it is called in daemon threads, and
queried for each entry once a session: a slow keyring delays at most one edit.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from twospeed.errors import SettingsError, UnsafeEndpoint
from twospeed.models.base import ProviderSettings
from twospeed.models.catalog.providers import BUILT_APIS, entry_origins, key_origins
from twospeed.models.http.endpoints import Origin
from twospeed.secrets.scrub import LEAST_KEY_CHARS

from .key_commands import KeyCommands
from .keyring_entries import KeyringEntry, read_entry
from .secret import Secret, secret_from

# Limit for all entries requested together.
LIMIT_S = 2.0


class KeyStore:
    """The keys of one session; only `look_up` queries the keyring."""

    def __init__(self, environ: Mapping[str, str], *, keyring: KeyringEntries | None = None) -> None:
        self.environ = environ
        self._keyring = keyring or KeyringEntries()
        self._commands = KeyCommands(environ)

    async def look_up(self, providers: Iterable[ProviderSettings]) -> None:
        """Query the keyring for the keys that are not in the environment, and run the commands that print one."""
        providers = tuple(providers)
        await self._commands.run([each for each in providers if each.key_command])
        await self._keyring.look_up({each.name for each in providers if self._may_be_in_keyring(each)})

    def needs_query(self, provider: ProviderSettings) -> bool:
        """Whether the key may be in the keyring, which was not queried yet, or a command must print it."""
        is_queried = self._keyring.was_queried(provider.name)
        return self._commands.is_due(provider) or (self._may_be_in_keyring(provider) and not is_queried)

    def is_in_environment(self, provider: ProviderSettings) -> bool:
        """Whether the provider's variable is set."""
        return bool(self._in_environment(provider))

    def has_key(self, provider: ProviderSettings) -> bool:
        """Whether a key is known now; entries that were not queried do not count."""
        return bool(
            self._commands.get(provider).key or self._in_environment(provider) or self._in_keyring(provider)
        )

    def obstacle(self, provider: ProviderSettings) -> str | None:
        """Return why a required key is missing, as a phrase without a dot."""
        if provider.key_command:
            return self._commands.get(provider).trouble or None
        if provider.api_key_env is None or self.has_key(provider):
            return None
        return f"no key in {provider.api_key_env}{self._keyring_part(provider)}"

    def key_location(self, provider: ProviderSettings) -> str:
        """Return where the key was found, as a sentence without a dot."""
        if provider.key_command:
            return f"{provider.key_command[0]} printed a key for {provider.name}"
        if provider.api_key_env is None:
            return f"{provider.name} needs no key"
        if self._in_environment(provider):
            return f"{provider.api_key_env} is set"
        return f"The keyring has a key for {provider.name}"

    def name_of_key_in(self, text: str, providers: Iterable[ProviderSettings]) -> str | None:
        """Return the variable or keyring entry of a key that ``text`` contains."""
        for provider in providers:
            for value, name in (
                (self._commands.get(provider).key, f"key_command of {provider.name}"),
                (self._in_environment(provider), provider.api_key_env),
                (self._in_keyring(provider), f"twospeed {provider.name}"),
            ):
                if len(value) >= LEAST_KEY_CHARS and value in text:
                    return name
        return None

    def key_of(self, provider: ProviderSettings) -> Secret | None:
        """Return a provider's key, bound to the origins that may receive it; None if it needs none.

        Raises SettingsError if the key is missing or invalid.
        """
        origin = provider.endpoint.origin
        name = provider.api_key_env
        if provider.key_command:
            printed = self._commands.get(provider)
            if printed.trouble:
                raise SettingsError(printed.trouble, source=f"provider {provider.name}")
            source = f"provider {provider.name}"
            return secret_from(printed.key, name="key_command", source=source, origins={origin})
        if name and (value := self._in_environment(provider)):
            return secret_from(value, name=name, source="environment", origins=key_origins(name, origin))
        if value := self._in_keyring(provider):
            origins = entry_origins(provider, origin)
            return secret_from(value, name=f"twospeed {provider.name}", source="keyring", origins=origins)
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
        has_other_source = provider.key_command or self._in_environment(provider)
        if provider.api not in BUILT_APIS - {"llama", "builtin"} or has_other_source:
            return False
        origin = _origin_of(provider)
        # A server over http without a named key needs none, and a known provider's key stays at its own address.
        if origin is None or (origin.scheme == "http" and provider.api_key_env is None):
            return False
        return origin in entry_origins(provider, origin)

    def _keyring_part(self, provider: ProviderSettings) -> str:
        if not self._may_be_in_keyring(provider) or not self._keyring.was_queried(provider.name):
            return ""
        trouble = self._keyring.get(provider.name).trouble
        return f" or the keyring ({trouble})" if trouble else " or the keyring"


def _origin_of(provider: ProviderSettings) -> Origin | None:
    try:
        return provider.endpoint.origin
    except UnsafeEndpoint:
        return None


@dataclass(frozen=True, slots=True)
class _Query:
    answer: asyncio.Future[KeyringEntry]
    until: float


class KeyringEntries:
    """The keyring entries of one session."""

    def __init__(self, *, limit_s: float = LIMIT_S) -> None:
        self._limit_s = limit_s  # for all entries requested together
        self._queries: dict[str, _Query] = {}

    async def look_up(self, names: Iterable[str]) -> None:
        """Query entries concurrently; returns when all have responded or the limit has passed."""
        loop = asyncio.get_running_loop()
        names = set(names)
        for name in sorted(names - set(self._queries)):
            self._queries[name] = _Query(_query(name, loop), loop.time() + self._limit_s)
        queries = [self._queries[name] for name in names]
        open_answers = [each.answer for each in queries if not each.answer.done()]
        left_s = max((each.until for each in queries), default=0.0) - loop.time()
        if open_answers and left_s > 0:
            await asyncio.wait(open_answers, timeout=left_s)

    def was_queried(self, name: str) -> bool:
        """Whether the entry was queried in this session."""
        return name in self._queries

    def get(self, name: str) -> KeyringEntry:
        """Return the result known now; a late response counts from its arrival."""
        query = self._queries.get(name)
        if query is None:
            return KeyringEntry()
        if not query.answer.done():
            return KeyringEntry(trouble=f"the keyring did not answer within {self._limit_s:g} s")
        return query.answer.result()


def _query(name: str, loop: asyncio.AbstractEventLoop) -> asyncio.Future[KeyringEntry]:
    # A daemon thread: a keyring that hangs blocks neither the loop nor the exit.
    answer: asyncio.Future[KeyringEntry] = loop.create_future()

    def settle(entry: KeyringEntry) -> None:
        if not answer.done():
            answer.set_result(entry)

    def read() -> None:
        entry = read_entry(name)
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, entry)

    threading.Thread(target=read, name=f"keyring {name}", daemon=True).start()
    return answer
