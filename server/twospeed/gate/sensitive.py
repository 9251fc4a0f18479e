"""Detect sensitive code by names, calls and imports: permissions, secrets, and code that others run or read."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache

from twospeed.text.code.scope import ScopeCode
from twospeed.text.code.words import names_in, words_of

from .code_execution import patterns_for
from .facts import SensitiveUse, Topic

_TOPICS: tuple[tuple[Topic, str], ...] = (
    (
        "authentication",
        (
            "auth authenticate authenticated authentication authenticator login logout signin signup password passwd passwords "
            "passphrase credential credentials oauth oauth2 openid saml jwt totp mfa otp ldap kerberos"
        ),
    ),
    (
        "cryptography",
        (
            "crypto cryptography encrypt encrypted encrypts encryption decrypt decrypted decrypts decryption cipher ciphers "
            "ciphertext hmac md5 sha1 sha224 sha256 sha384 sha512 bcrypt scrypt argon2 pbkdf2 hashlib aes rsa ecdsa ed25519 "
            "x509 ssl tls keystore truststore pkcs1 pkcs7 pkcs8 pkcs12"
        ),
    ),
    (
        "permissions",
        (
            "permission permissions authorize authorized authorization authorise authorised authorisation privilege "
            "privileges acl rbac chmod chown fchmod fchown setuid setgid seteuid umask sudo csrf cors"
        ),
    ),
)

_WORDS: dict[str, Topic] = {word: topic for topic, words in _TOPICS for word in words.split()}
"""Words of names, and their topic."""

_MODULES: tuple[tuple[Topic, re.Pattern[str]], ...] = (
    (
        "cryptography",
        re.compile(
            r"\b(?:hashlib|hmac|secrets|ssl|cryptography|nacl|Crypto|jose|webcrypto|crypto|ring|rustls|openssl)\b"
        ),
    ),
    (
        "authentication",
        re.compile(r"\b(?:jwt|passlib|oauthlib|authlib|passport|jsonwebtoken|getpass|ldap3?)\b"),
    ),
    ("deserialization", re.compile(r"\b(?:c?[pP]ickle|dill|marshal|shelve|jsonpickle|node-serialize)\b")),
)

_SQL = re.compile(
    r"(?is)\s*(?:select\b.+\bfrom\b|insert\s+(?:or\s+\w+\s+)?into\b|update\s+\S+\s+set\b|delete\s+from\b|"
    r"(?:create|drop|alter|truncate)\s+(?:temp\w*\s+|unique\s+)?(?:table|index|view|user|role|database|schema)\b|"
    r"(?:grant|revoke)\s.+\b(?:on|to|from)\b|merge\s+into\b|exec(?:ute)?\s+immediate\b)"
)
_SQL_LANGUAGES = frozenset({"sql", "plsql"})
"""Languages in which a statement is the code itself, not a string."""


PIECE_LINES = 64
"""Lines that are searched in one call, which holds the GIL: 1 ms for each 1,000 characters."""

_KnownUses = tuple[ScopeCode, Sequence[str], str, tuple[SensitiveUse, ...]]
_known: deque[_KnownUses] = deque(maxlen=4)
"""Results of the last calls, compared by identity: hashing a scope of 500,000 lines takes seconds."""


def sensitive_uses(code: ScopeCode, imports: Sequence[str], language_id: str) -> tuple[SensitiveUse, ...]:
    """Return the first line of each topic in a scope; ``imports`` are those of the document.

    Cost: 1 s for each 1,000,000 characters of Python, without blocking other threads.
    """
    for known_code, known_imports, known_language, result in list(_known):
        if known_code is code and known_imports == imports and known_language == language_id:
            return result
    result = _first_uses(code, imports, language_id)
    _known.append((code, imports, language_id, result))
    return result


def _first_uses(code: ScopeCode, imports: Sequence[str], language_id: str) -> tuple[SensitiveUse, ...]:
    imported = _imported_names(imports, language_id)
    first: dict[Topic, SensitiveUse] = {}
    for use in _all_uses(code, imported, language_id):
        known = first.get(use.topic)
        if known is None or use.line < known.line:
            first[use.topic] = use
    return tuple(sorted(first.values(), key=lambda use: (use.line, use.topic)))


def _all_uses(code: ScopeCode, imported: dict[str, Topic], language_id: str) -> Iterator[SensitiveUse]:
    for start in range(0, len(code.code), PIECE_LINES):
        piece = code.code[start : start + PIECE_LINES]
        yield from _uses_in_code(piece, code.first_line + start, imported, language_id)
    if language_id not in _SQL_LANGUAGES:
        for literal in code.literals:
            if _SQL.match(literal.text):
                yield SensitiveUse("SQL", literal.line, literal.text.split()[0])


def _uses_in_code(
    lines: Sequence[str], first_line: int, imported: dict[str, Topic], language_id: str
) -> Iterator[SensitiveUse]:
    patterns, whole = patterns_for(language_id), "\n".join(lines)
    topics = {name: topic for name in {*names_in(whole)} if (topic := imported.get(name) or _topic_of(name))}
    # Search all lines at once first: most code has no match.
    if topics or patterns.code.search(whole) or patterns.deserializing.search(whole):
        for line, text in enumerate(lines, first_line):
            if match := patterns.code.search(text):
                yield SensitiveUse("commands", line, _as_written(match))
            if match := patterns.deserializing.search(text):
                yield SensitiveUse("deserialization", line, _as_written(match))
            if topics:
                yield from (
                    SensitiveUse(topics[name], line, name) for name in names_in(text) if name in topics
                )


@lru_cache(maxsize=4096)
def _topic_of(name: str) -> Topic | None:
    return next(filter(None, map(_WORDS.get, words_of(name))), None)


def _imported_names(imports: Sequence[str], language_id: str) -> dict[str, Topic]:
    runs_something = re.compile(rf"(?<![\w.-])(?:{patterns_for(language_id).modules.pattern})")
    imported: dict[str, Topic] = {}
    for statement, names in _imports_of_one_module(imports, language_id):
        topics: list[Topic] = [topic for topic, modules in _MODULES if modules.search(statement)]
        if runs_something.search(statement):
            topics.append("commands")
        if topics:
            imported.update(
                (name, topics[0]) for name in names if len(name) > 1 and name not in _IMPORT_WORDS
            )
    return imported


def _imports_of_one_module(imports: Sequence[str], language_id: str) -> Iterator[tuple[str, Sequence[str]]]:
    for statement in imports:
        if language_id == "go":  # one statement for all imports; the name is the last part of a path
            yield from ((line, names_in(_GO_PATH.sub("", line))) for line in statement.splitlines())
        elif not statement.startswith("#"):
            yield statement, names_in(statement)


_GO_PATH = re.compile(r"(?<![^\s\"])[^\s\"]*/")

_IMPORT_WORDS = frozenset(
    {
        "from",
        "import",
        "as",
        "require",
        "const",
        "let",
        "var",
        "use",
        "using",
        "static",
        "type",
        "include",
        "default",
    }
    | {"node", "std", "os", "java", "javax", "org"}
)


def _as_written(match: re.Match[str]) -> str:
    return " ".join(match[0].strip("([{;&| \t\"'").split())
