"""Put the secrets of a scope back into the answer of a model that was shown placeholders.

Whole lines come in, straight behind the splitter, so that nothing behind it knows of placeholders: old lines are
compared with old lines. A secret of several lines comes back as several.
A secret that was altered, or that stands nowhere in the new scope, refuses the answer, also where the user may have
wanted to be rid of it: nobody can tell a model that forgot a line from one that was asked to leave it out, and what
is lost is a secret that nobody may have elsewhere. One of several places of the same secret may go.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from twospeed.text.placeholders import Placeholders

from .answers import Refusal

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

    Attributes:
        refusal: Why the answer cannot be used.
    """

    def __init__(self, placeholders: Placeholders | None) -> None:
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
        if not all(_LINE_END.sub("\n", secret) in text for secret in self._placeholders.needed):
            self.refusal = self.refusal or LOST
