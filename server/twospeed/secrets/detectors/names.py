"""Classify the name of a value: a password, a token, possibly a key, or none."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .values import has_mixture, reads_like_chance, reads_like_password, reads_like_token

NAMES = (
    "key", "token", "secret", "pass", "pwd", "auth", "cred", "salt", "hmac", "mnemonic", "jwt", "session", "signature",
    "cookie", "kennwort", "senha", "contrase", "webhook", "dsn", "sas", "pw", "psk", "login", "bind",
)  # fmt: skip
_LONG_CHANCE_ONLY = frozenset({"key", "session", "signature", "cookie", "webhook", "dsn"})
PASSWORDS = frozenset({"pass", "pwd", "pw", "psk", "kennwort", "senha", "contrase"})
BEHIND_ANOTHER = frozenset({"auth", "cred", "hmac", "login", "bind"})
"""Functions that take a user or an algorithm before the secret."""

_SHORT = frozenset({"secret", "key", "token", "auth", "salt", "hmac"})
"""Names with short values, if they are the end of the name: ``client_secret``, not ``secret_name``."""

_ANYWHERE = frozenset(
    {"key", "token", "secret", "pwd", "kennwort", "senha", "contrase", "mnemonic", "hmac", "jwt"}
)
"""Parts that occur in no other word."""

_INSIDE = frozenset({"cred", "cookie", "signature", "session"})
"""Parts that may follow any other word."""

_ENDINGS = {
    "pass": re.compile(r"(?i:word|wd|phrase|code|key|wort|e)?(?i:s)?(?![a-z])"),
    "auth": re.compile(r"(?i:orization|entication|z|n)?(?![a-z])"),
    "cred": re.compile(r"(?i:ential|entials|s)?(?![a-z])"),
    "pw": re.compile(r"(?!.?[A-Za-z])"),
    "psk": re.compile(r"(?!.?[A-Za-z])"),
}
_ALSO_NO_SECRET = frozenset({"key", "token", "session", "signature", "cookie"})
"""Parts with other uses, such as cache keys and page tokens."""

_PLURAL = re.compile(r"(?i:s)?(?![a-z])")
_FIRST_WORDS = (
    "db", "my", "user", "root", "admin", "smtp", "mail", "ftp", "sql", "pg", "redis", "key", "store", "http", "proxy", "app",
    "sudo", "svc", "wifi", "ssh", "ldap", "vpn", "oauth", "o", "basic", "x", "bind",
)  # fmt: skip
"""Words joined directly to ``pass`` or ``auth``, as in ``dbpass``."""

_NOT_FIRST_WORDS = ("bo", "to", "no")
_OTHER = re.compile(
    r"(?i)[\w.\-]{0,40}?(?:field|hash|type|polic|length|len\b|input|label|name|regex|pattern|valid|file|path|dir|url|uri|reset|min|max|manager"
    r"|encod|decod|column|hint|id\b|ids\b|error|form|strength|class|style|icon|placeholder|prompt|text|rule|config|count|size|index|version"
    r"|algorithm|method|scheme|alg|date|time|expir|header|prefix|suffix|format|function|required|changed|kind|provider|realm|map|list|set\b|str\b"
    r"|code\b|press|up\b|down\b|board|word\b|frame|stone|chain|ring|pair|space|note|note|event|bind|usage|agreement|share|import|stor)"
)
_LONGER_WORD = re.compile(
    r"(?i)word|board|code|frame|up|down|press|chain|stone|note|hole|pad|bag|point|map|able|event|bind|error"
)
_ENDING = re.compile(r"(?i)\A(?:word|wd|phrase|code|wort)")
_PUBLIC = re.compile(r"(?i)public|pub[_-]?(?:key)?\Z")
_NO_SECRET_KEY = re.compile(
    r"(?i)(?:site|primary|foreign|partition|cache|sort|hot|short|i18n|locale|next|page|sync|object|row|group|idempotency"
    r"|dedup)[_\-.]?\Z"
)
_KEY_KIND = re.compile(
    r"(?i)(?:api|secret|private|priv|access|auth|enc(?:rypt(?:ion)?)?|sign(?:ing)?|account|master|shared|ssh|client|service|consumer|subscription"
    r"|admin|app(?:lication)?|license|licence|storage|db|server|deploy|session|hmac|aes|jwt|root|write|ingest(?:ion)?|integration|instrumentation|stripe|aws"
    r"|azure|openai|anthropic|google|github|twilio|sendgrid|cosmos|redis|search|maps?|bot|hook|data|deepl|algolia|mailgun|datadog|dd)[_.\-]?\Z"
)

MAX_LEAD_CHARS = 40


@dataclass(frozen=True, slots=True)
class SecretName:
    """A name that contains one of `NAMES`.

    Attributes:
        lead: The name before it.
        rest: The name after it.
    """

    part: str
    lead: str
    written: str
    rest: str

    def is_of(self, value: str, *, is_quoted: bool) -> bool:
        """Whether a value of this name is a secret."""
        if not self._is_word() or _PUBLIC.search(self.lead):
            return False
        if self.part in _ALSO_NO_SECRET and _NO_SECRET_KEY.search(self.lead):
            return False
        if reads_like_chance(value, is_quoted=is_quoted):
            return True
        if self.part in _LONG_CHANCE_ONLY and not (self.part == "key" and _KEY_KIND.search(self.lead)):
            return False
        if _OTHER.match(_ENDING.sub("", self.rest)):
            return False
        return reads_like_token(value) or self._is_password(value, is_quoted=is_quoted)

    def _is_password(self, value: str, *, is_quoted: bool) -> bool:
        is_short = self.part in _SHORT and not self.rest and has_mixture(value)
        is_credential = self.part == "cred" and is_quoted
        return (self.part in PASSWORDS or is_short or is_credential) and reads_like_password(
            value, is_quoted=is_quoted
        )

    def _is_word(self) -> bool:
        """Accept ``pass`` in ``db_pass``, ``userPass`` and ``password``, not in ``bypass`` and ``passenger``."""
        if self.part in _ANYWHERE:
            return self.part != "key" or _LONGER_WORD.match(self.rest) is None
        if self.part in BEHIND_ANOTHER - _ENDINGS.keys():
            return False
        before = self.lead[-1:]
        if before.isalpha() and self.written[0].islower() == before.islower() and self.part not in _INSIDE:
            lead = self.lead.lower()
            if not lead.endswith(_FIRST_WORDS) or lead.endswith(_NOT_FIRST_WORDS):
                return False
        return _ENDINGS.get(self.part, _PLURAL).match(self.rest) is not None
