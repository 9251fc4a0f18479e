"""Put the secrets of a scope back into an answer that contains placeholders.

This happens to whole lines, right after the line splitter, so later stages compare old lines with old lines.
A secret of several lines is restored as several lines. An answer is refused if it alters a placeholder. It is
also refused if a secret is missing and nothing replaces it (`replaced_secrets`), even if the user asked to
delete it: omission by mistake cannot be told from intent, and the secret may exist nowhere else. One of
several uses of a secret may be deleted. The gate reports replacements.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from twospeed.secrets.placeholders import Placeholders

from .answers import Refusal
from .replaced_secrets import SecretPlaces

ALTERED = Refusal(
    "secret", "the answer changed the placeholder of a secret, so the secret cannot be put back"
)
LOST = Refusal(
    "secret",
    "the answer left out a secret, which was hidden from the model; delete it yourself if it is not needed",
)

_LINE_END = re.compile(r"\r\n|\r|\n")


class SecretRestorer:
    """Restores one answer.

    Args:
        placeholders: The placeholders in the prompt; ``None`` if it had no secrets.
        old: The scope's lines, with their secrets.

    Attributes:
        refusal: Why the answer cannot be used.
    """

    def __init__(self, placeholders: Placeholders | None, old: Sequence[str] = ()) -> None:
        self._old = old
        self._placeholders = placeholders if placeholders and placeholders.values else None
        self._new: list[str] = []
        self.refusal: Refusal | None = None

    def restore_line(self, line: str) -> Sequence[str]:
        """Return a line of the answer with its secrets, as several lines if a secret has several."""
        if self._placeholders is None:
            return (line,)
        return _LINE_END.split(self._placeholders.restore(line))

    def receive_line(self, line: str) -> None:
        """Check a line of the new scope."""
        if self._placeholders is None:
            return
        self._new.append(line)
        if self._placeholders.damaged(line):
            self.refusal = self.refusal or ALTERED

    def finish(self) -> None:
        """Check the whole new scope."""
        if self._placeholders is None:
            return
        text = "\n".join(self._new)
        needed = (_LINE_END.sub("\n", secret) for secret in self._placeholders.needed)
        lost = [secret for secret in needed if secret not in text]
        places = SecretPlaces(self._old, self._new) if lost else None
        if places and not all(map(places.are_replaced, lost)):
            self.refusal = self.refusal or LOST
