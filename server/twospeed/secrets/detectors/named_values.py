"""Find secrets by the name before them, in code, configuration and prose, in linear time.

After ``key`` only a long random value counts, after ``api_key`` also a shorter token, after ``password`` also
what a person may choose. Concatenated literals count as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .values import LEAST_RANDOM_CHARS, has_mixture, looks_like_password, looks_like_token, looks_random

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
    """A name that contains one of `NAMES`, with the name before it (``lead``) and after it (``rest``)."""

    part: str
    lead: str
    written: str
    rest: str

    def is_of(self, value: str, *, is_quoted: bool) -> bool:
        """Return whether a value of this name is a secret."""
        if not self._is_word() or _PUBLIC.search(self.lead):
            return False
        if self.part in _ALSO_NO_SECRET and _NO_SECRET_KEY.search(self.lead):
            return False
        if looks_random(value, is_quoted=is_quoted):
            return True
        if self.part in _LONG_CHANCE_ONLY and not (self.part == "key" and _KEY_KIND.search(self.lead)):
            return False
        if _OTHER.match(_ENDING.sub("", self.rest)):
            return False
        return looks_like_token(value) or self._is_password(value, is_quoted=is_quoted)

    def _is_password(self, value: str, *, is_quoted: bool) -> bool:
        is_short = self.part in _SHORT and not self.rest and has_mixture(value)
        is_credential = self.part == "cred" and is_quoted
        return (self.part in PASSWORDS or is_short or is_credential) and looks_like_password(
            value, is_quoted=is_quoted
        )

    def _is_word(self) -> bool:
        """Accept ``pass`` in ``db_pass``, ``userPass``, ``password``, not in ``bypass`` and ``passenger``."""
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


_REST = r"""(?P<rest>[\w.\-]{0,40}+)(?:\\?["'`\])}]){0,3}+"""
_LITERAL = (
    r"""[bfruBFRU@$]{0,2}(?:"{3}\s{0,80}+(?P<t>[^\s"\\]{4,1024}+)\s{0,80}+"{3}"""
    r"""|"(?P<d>(?:[^\s"\\]|\\(?:\r\n|.)[ \t]{0,80}){1,1024}+)\"|'(?P<s>(?:[^\s'\\]|\\(?:\r\n|.)[ \t]{0,80}){2,1024}+)'"""
    r"""|`(?P<g>(?:[^\s`\\]|\\(?:\r\n|.)[ \t]{0,80}){2,1024}+)`|\\"(?P<e>[^\s"\\]{2,1024}+)\\"|\\'(?P<f>[^\s'\\]{2,1024}+)\\')"""
)
_BARE = r"""(?P<b>(?![{$<%\[(])[^\s"'`,;<>(){}\[\]|]{6,512}+)(?![\w(\[.])"""
_AFTER_BARE = re.compile(r"&(?:amp;)?[\w.\-]{1,64}=|\\[nrt]|\\\Z")
_BREAK = r"(?:[ \t]{0,8}\\?\r?\n[ \t]{0,80}+)?"

_QUOTED = re.compile(
    _REST
    # "=", ":", "(" and the like, with at most one word (a type, a function) between; possibly on the next line
    + r"""[^\n"'`\w\\$@]{0,12}+(?:(?![bfruBFRU]{1,2}["'`])\w[\w.]{0,30}+[^\n"'`\w\\$@]{1,8}+){0,2}"""
    + _BREAK
    + r"""(?:["']{2}\.join\(|String\.join\(["']{2},[ ]?|implode\(["']{2},[ ]?)?[\[(]{0,2}\s{0,40}"""
    + _LITERAL,
    re.DOTALL,
)
_ASSIGNED = re.compile(
    _REST
    + r"[ \t]{0,16}+(?:=>|:=|\?=|\|\|=|<-|[=:>|])[ \t]{0,16}+(?:<!\[CDATA\[|[|>][+-]?[ \t]{0,4}(?=\r?\n)|[&!][\w!/:.\-]{0,40}+[ \t]{1,4}|\\)?"
    + r"(?:\r?\n[ \t]{1,80}+)?"
    + _BARE
)
_VALUE_OF = re.compile(
    _REST
    + r"(?:</key>\s{0,80}<string>|[\s,;]{0,80}+[{\s]{0,80}+(?:-[ ])?[\"']?(?:[Vv]alue|VALUE|default|stringValue)[\"']?[ ]{0,4}[:=][ ]{0,8})"
    + f"(?:{_LITERAL}|{_BARE})",
    re.DOTALL,
)
_SPACED = re.compile(
    _REST + r"[ \t]{1,8}+(?:(?:is|was|to|of)[ ](?:now[ ])?)?" + f"(?:{_LITERAL}|{_BARE})", re.DOTALL
)
_PAIR = re.compile(
    r"""[\w.]{0,40}+["']?[^\n"'`\w]{0,8}+(?:\w[\w.]{0,40}+\()?["'][^"'\n]{1,80}+["'][ ]?,\s{0,40}"""
    + _LITERAL,
    re.DOTALL,
)
_NEXT_PIECE = re.compile(
    r"(?:\s|\\\r?\n){0,80}(?:\+\+?|\.{1,2}|&(?:[ ]_)?|<>|~|\|\||,|\\)?(?:\s|\\\r?\n){0,80}" + _LITERAL,
    re.DOTALL,
)
_TEMPLATE_PIECE = re.compile(r"""\$?\{\s{0,4}["']([^\s"'`]{1,1024}+)["']\s{0,4}\}""")
_JOINING = re.compile(r"""[\s,]{0,80}[\])]{1,2}(?:\s{0,40}\.\s{0,4}join\b|[ ]?-join|\.concat\b)""")
_JOINED_BEFORE = ("join(", "implode(", "concat(", "''.join((", "join([")
_LETTERS_BEFORE = re.compile(r"[A-Za-z0-9_.\-]{0,40}\Z")
_CONTINUED = re.compile(r"\\\r?\n[ \t]*")
_MAX_PIECES = 32
_MAX_BEFORE = 160
_MAX_SEPARATORS = 8
"""Equals signs and colons in an unquoted value; with more it is a table."""

_COMMAND_BEFORE = re.compile(
    r"(?i)(?:--[\w-]{0,40}|^[ \t]{0,40}(?:ENV|ARG|export|setx?(?:[ ]-\w{1,3})?)[ ]\w{0,40}|^[ \t]{0,40}[\w.-]{0,40}|login[ ]\S{1,64}[ ]|config(?:ure)?[ ]set[ ]\S{0,64})\Z",
    re.MULTILINE,
)
_COMMENT_BEFORE = re.compile(
    r"^[ \t]{0,40}(?:#[ \t!]|//|/?\*|--|;[ ;]|%[ %]|<!--)[^\n\"']{0,100}\Z", re.MULTILINE
)
_COMPARED_BEFORE = re.compile(
    r"""["'](?P<s>[^\s"'\\]{6,128}+)["'][ ]?(?:[!=]={1,2}|\.equals\()[ ]?[\w.$]{0,40}\Z"""
)
_OR_ELSE = re.compile(r"[^\"'`\n]{0,24}?(?:\bor\b|\|\||\?\?|\belse\b|\?:|:)[ ]{0,4}" + _LITERAL, re.DOTALL)


def named_values(text: str, lower: str, words: bytes) -> Iterator[tuple[int, int]]:
    """Yield the offsets of each value next to a secret's name, in code points; possibly twice.

    ``lower`` is the text, ``words`` its distinct words, in lower case.
    """
    for part in NAMES:
        if part.encode() not in words:
            continue
        at = lower.find(part)
        while at >= 0:
            place = _NameOccurrence(text, part, at)
            if span := next(place.assigned_values(), None) or next(place.other_values(), None):
                yield span
            at = lower.find(part, at + len(part))


class _NameOccurrence:
    def __init__(self, text: str, part: str, start: int) -> None:
        self._text = text
        self._part = part
        self._start = start
        self._end = start + len(part)

    def assigned_values(self) -> Iterator[tuple[int, int]]:
        text, end = self._text, self._end
        if self._part in BEHIND_ANOTHER and (match := _PAIR.match(text, end)):
            yield from self._span_if_secret(*_piece(match), part="hmac" if self._part == "hmac" else "pass")
        if match := _QUOTED.match(text, end):
            yield from self._literal(match)
            if follows := _OR_ELSE.match(text, match.end()):
                yield from self._span_if_secret(*_piece(follows), rest=match["rest"])
        for form in (_ASSIGNED, _VALUE_OF):
            if match := form.match(text, end):
                yield from self._literal(match)

    def other_values(self) -> Iterator[tuple[int, int]]:
        text, start = self._text, self._start
        first = max(start - _MAX_BEFORE, 0)
        if self._part in PASSWORDS and "=" in text[first:start]:
            compared = _COMPARED_BEFORE.search(text, first, start)
            if compared and looks_like_password(compared["s"], is_quoted=True):
                yield compared.span("s")
        if match := _SPACED.match(text, self._end):
            is_in_comment = has_mixture(text[slice(*_piece(match))]) and _COMMENT_BEFORE.search(
                text, first, start
            )
            if is_in_comment or _COMMAND_BEFORE.search(text, first, start):
                yield from self._literal(match)

    def _literal(self, match: re.Match[str]) -> Iterator[tuple[int, int]]:
        text, (first, last), rest = self._text, _piece(match), match["rest"]
        if match["b"] is None if "b" in match.re.groupindex else True:
            pieces, last, end, is_list = _pieces(text, match)
            if is_list:
                before = text[match.start() : first].lower()
                if not (_JOINING.match(text, end) or any(each in before for each in _JOINED_BEFORE)):
                    pieces, last = pieces[:1], _piece(match)[1]
            value = _CONTINUED.sub("", "".join(pieces))
            value = _TEMPLATE_PIECE.sub(r"\1", value) if "{" in value else value
            yield from self._span_if_secret(first, last, rest=rest, value=value)
            return
        if cut := _AFTER_BARE.search(text, first, last):
            last = cut.start()
        if sum(map(text[first:last].count, ":=")) <= _MAX_SEPARATORS:
            yield from self._span_if_secret(first, last, rest=rest, is_quoted=False)

    def _span_if_secret(
        self,
        first: int,
        last: int,
        *,
        part: str = "",
        rest: str = "",
        value: str | None = None,
        is_quoted: bool = True,
    ) -> Iterator[tuple[int, int]]:
        text, start = self._text, self._start
        lead = _LETTERS_BEFORE.search(text, max(start - MAX_LEAD_CHARS, 0), start)
        name = SecretName(part or self._part, lead[0] if lead else "", text[start : self._end], rest)
        if name.is_of(text[first:last] if value is None else value, is_quoted=is_quoted):
            yield first, last


def _piece(match: re.Match[str]) -> tuple[int, int]:
    groups = match.groupdict()
    return next(match.span(each) for each in "tdsgefb" if groups.get(each) is not None)


def _pieces(text: str, match: re.Match[str]) -> tuple[list[str], int, int, bool]:
    first, last = _piece(match)
    pieces, end, is_list = [text[first:last]], match.end(), False
    while len(pieces) < _MAX_PIECES and (follows := _NEXT_PIECE.match(text, end)):
        start, stop = _piece(follows)
        is_listed = "," in text[end:start]
        if is_listed != is_list and len(pieces) > 1:
            break
        is_list = is_listed
        pieces.append(text[start:stop])
        last, end = stop, follows.end()
    return pieces, last, end, is_list


_PROSE_WORD = re.compile(r"""[^\s"'`,;<>()\[\]{}|]{6,1024}+""")
_PROSE_NAME = re.compile(
    r"passw|passphrase|pass\b|pwd|secret|token|credential|api.?key|access.?key|\bsalt\b|\bauth\b|login|\bpin\b|pw\b|\bpsk\b"
)
_MAX_FROM_NAME = 80
_END_OF_SENTENCE = ".:!?"


def prose_secrets(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of each secret in text written for people.

    A random word always counts, a password-like word near a name. A false positive is harmless: it is
    restored.
    """
    for match in _PROSE_WORD.finditer(text):
        word = match[0].rstrip(_END_OF_SENTENCE)
        start, value = match.start(), word
        if "=" in word and not word.endswith("="):
            value = word.rpartition("=")[2]
            start += len(word) - len(value)
        if looks_like_token(value) or (
            len(value) >= LEAST_RANDOM_CHARS and looks_random(value, is_quoted=False)
        ):
            yield start, start + len(value)
    done = 0
    for name in _PROSE_NAME.finditer(lower):
        start = max(name.end(), done)
        end = name.end() + _MAX_FROM_NAME
        for match in _PROSE_WORD.finditer(text, start, end):
            word = match[0].rstrip(".:?,")
            if looks_like_password(word, is_quoted=True):
                yield match.start(), match.start() + len(word)
        done = max(done, end)
