"""Put the secrets of a scope back into the answer of a model that was shown placeholders.

Whole lines come in, straight behind the splitter, so that nothing behind it knows of placeholders: old lines are
compared with old lines. A secret of several lines comes back as several.
A secret that was altered refuses the answer, and so does one that is nowhere in the new scope, unless something took
its place (`replaced_secrets`): a model that forgot a line cannot be told from one that was asked to leave it out, and what is
lost may be nowhere else. What took its place is reported, and asked about, by others. One of several places of the
same secret may go.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from twospeed.secrets.placeholders import Placeholders

from .answers import Refusal
from .replaced_secrets import SecretPlaces

ALTERED = Refusal(
    "secret", "the answer changed a placeholder, so that the secret it stood for cannot be put back"
)
LOST = Refusal(
    "secret",
    "the answer left out a secret, which the model was not shown; take it out yourself if it shall go",
)

_LINE_END = re.compile(r"\r\n|\r|\n")


class SecretRestorer:
    """Restore one answer.

    Args:
        placeholders: What stands for which secret; ``None`` where nothing was hidden.
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
        """Take a line of the answer; return it with its secrets, as several lines if one of them has several."""
        if self._placeholders is None:
            return (line,)
        return _LINE_END.split(self._placeholders.restore(line))

    def receive_line(self, line: str) -> None:
        """Take a line of the new scope."""
        if self._placeholders is None:
            return
        self._new.append(line)
        if self._placeholders.damaged(line):
            self.refusal = self.refusal or ALTERED

    def finish(self) -> None:
        """Take note that the new scope is whole."""
        if self._placeholders is None:
            return
        text = "\n".join(self._new)
        needed = (_LINE_END.sub("\n", secret) for secret in self._placeholders.needed)
        lost = [secret for secret in needed if secret not in text]
        places = SecretPlaces(self._old, self._new) if lost else None
        if places and not all(map(places.are_taken, lost)):
            self.refusal = self.refusal or LOST
