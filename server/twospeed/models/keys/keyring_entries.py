"""Ask the system's keyring for keys: service ``twospeed``, user the provider's name.

A keyring is foreign code that may be missing, locked, slow, or waiting for a person to type a password. So it is
loaded when the first key is wanted, in threads that nobody has to wait for, and each entry is asked for once a
session, whatever comes of it: no second edit waits for a keyring that let the first one wait.
Back-ends are those of this Python environment and of the user's own keyring config, never of a workspace.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterable
from dataclasses import dataclass

SERVICE = "twospeed"

LIMIT_S = 2.0
"""How long all entries asked for at once may take together."""

_choosing = threading.Lock()
"""keyring picks its back-end at the first call, and was not made for two first calls at once."""


@dataclass(frozen=True, slots=True)
class KeyringEntry:
    """What the keyring said.

    Attributes:
        password: The key; ``None`` where there is none.
        trouble: Why it could not say, as a phrase; empty where it could.
    """

    password: str | None = None
    trouble: str = ""

    def __repr__(self) -> str:
        return f"Entry(trouble={self.trouble!r})"


@dataclass(frozen=True, slots=True)
class _Asked:
    answer: asyncio.Future[KeyringEntry]
    until: float


class KeyringEntries:
    """The entries of one session.

    Args:
        limit_s: How long to wait for those asked for at once.
    """

    def __init__(self, *, limit_s: float = LIMIT_S) -> None:
        self._limit_s = limit_s
        self._asked: dict[str, _Asked] = {}

    async def look_up(self, names: Iterable[str]) -> None:
        """Ask for entries, all at the same time; returns when all have answered, or when the time is up."""
        loop = asyncio.get_running_loop()
        names = set(names)
        for name in sorted(names - set(self._asked)):
            self._asked[name] = _Asked(_ask(name, loop), loop.time() + self._limit_s)
        asked = [self._asked[name] for name in names]
        open_answers = [each.answer for each in asked if not each.answer.done()]
        left_s = max((each.until for each in asked), default=0.0) - loop.time()
        if open_answers and left_s > 0:
            await asyncio.wait(open_answers, timeout=left_s)

    def was_asked_for(self, name: str) -> bool:
        """Tell whether the entry has been asked for in this session."""
        return name in self._asked

    def get(self, name: str) -> KeyringEntry:
        """Give what is known of an entry now; an answer that came too late counts from then on."""
        asked = self._asked.get(name)
        if asked is None:
            return KeyringEntry()
        if not asked.answer.done():
            return KeyringEntry(trouble=f"the keyring did not answer within {self._limit_s:g} s")
        return asked.answer.result()


def _ask(name: str, loop: asyncio.AbstractEventLoop) -> asyncio.Future[KeyringEntry]:
    """Start asking, in a daemon thread: one that hangs must keep neither the loop nor the process alive."""
    answer: asyncio.Future[KeyringEntry] = loop.create_future()

    def settle(entry: KeyringEntry) -> None:
        if not answer.done():
            answer.set_result(entry)

    def ask() -> None:
        entry = _entry(name)
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, entry)

    threading.Thread(target=ask, name=f"keyring {name}", daemon=True).start()
    return answer


def _entry(name: str) -> KeyringEntry:
    # What a back-end raises is never quoted: its text may hold anything.
    try:
        import keyring  # noqa: PLC0415  # a third of a second, and most sessions need none
        from keyring.errors import KeyringLocked, NoKeyringError  # noqa: PLC0415

        try:
            with _choosing:
                keyring.get_keyring()
            password: object = keyring.get_password(SERVICE, name)
            return KeyringEntry(password if isinstance(password, str) else None)
        except NoKeyringError:
            return KeyringEntry(trouble="there is no keyring here")
        except KeyringLocked:
            return KeyringEntry(trouble="the keyring is locked")
    except Exception as error:  # noqa: BLE001  # foreign code
        return KeyringEntry(trouble=f"the keyring failed with {type(error).__name__}")
