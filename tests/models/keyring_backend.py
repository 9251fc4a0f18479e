"""A keyring for tests: in this process, or in another one by ``PYTHON_KEYRING_BACKEND=keyring_backend.Backend``."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping

from keyring.backend import KeyringBackend

Answer = Callable[[str], str | None]


class Backend(KeyringBackend):
    """Answers what it was told to; in another process, what ``TEST_KEYRING`` holds as JSON by user.

    Attributes:
        asked: Every ``(service, user)`` it was asked for.
    """

    priority = 1

    def __init__(self, answer: Answer | None = None) -> None:
        super().__init__()
        self._answer = answer or _told
        self.asked: list[tuple[str, str]] = []

    def get_password(self, service: str, username: str) -> str | None:
        self.asked.append((service, username))
        return self._answer(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError

    def delete_password(self, service: str, username: str) -> None:
        raise NotImplementedError


def _told(user: str) -> str | None:
    kept: Mapping[str, str] = json.loads(os.environ.get("TEST_KEYRING", "{}"))
    if kept.get(user) == "hang":
        threading.Event().wait()
    return kept.get(user)


class Kept(KeyringBackend):
    """A keyring in memory, which keeps what it is given."""

    priority = 1
    name = "Test Keyring"

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]
