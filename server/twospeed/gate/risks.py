"""Report risky additions that the user should check (R1.4 of the threat model in SECURITY.md).

The defence is the scope, which an edit cannot leave. Moved lines of the scope are not reported.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from itertools import groupby

from twospeed.text.code.scope import TextLiteral
from twospeed.text.code.words import names_in, words_of
from twospeed.text.hidden import make_visible, make_visible_in_prose

from .code_execution import executing_names, is_executing_module
from .facts import GateFacts, Remark

MAX_SHOWN = 60

MIN_ENCODED = 120
"""Encoded characters that are reported: an image of some dots, a key, or a program."""

MIN_ENCODED_LINE = 32
"""Shortest line of an encoded string. A shorter one is a word."""


# Addresses

_URL = re.compile(
    r"(?i)\b[a-z][a-z0-9+.-]{1,15}://(?:[^\s/@\"'<>]*@)?(\[[0-9a-f:.]+\]|[^\s/:?#\"'<>\\`)(,;{}$]+)"
)
_HOST = re.compile(r"(?i)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+([a-z]{2,18})\.?(?::\d{1,5})?(?:/[^\s]*)?")
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])")

_TOP_LEVEL_DOMAINS = (
    "com net org io dev co ai info biz edu gov mil int xyz top online site cloud tech store shop live link click icu cn ru uk "
    "de fr nl eu in br jp kr us ca au ch se no fi pl it es onion"
)
"""They make a bare name a host: ``os.path`` and ``README.md`` have the same form."""

_RESERVED_HOST = re.compile(
    r"(?i)(?:.*\.)?(?:localhost|invalid|test|example|local|internal)|(?:.*\.)?example\.(?:com|net|org)"
    r"|www\.w3\.org|json-schema\.org|schemas\..*"
)
"""Reserved names (RFC 2606, RFC 6761) and names of formats."""


def new_addresses(facts: GateFacts) -> Iterator[Remark]:
    """Report new strings with a host that is not in the document."""
    seen: set[str] = set()
    document = ""
    for literal in _new_literals(facts):
        for host in _hosts_in(literal.text):
            if host in seen:
                continue
            seen.add(host)
            # Searched as one text: line by line, a list of 4,000 links took most of a second.
            document = document or "\n".join(facts.document).lower()
            if host not in document:
                yield Remark(f'"{host[:MAX_SHOWN]}" is a new network address', (literal.line, literal.line))


def _hosts_in(text: str) -> Iterator[str]:
    for match in _URL.finditer(text):
        host = match[1].lower().strip("[].")
        if host and not _is_local_or_reserved(host):
            yield host
    rest = _URL.sub(" ", text).strip()
    for match in _IPV4.finditer(rest):
        if not _is_local_or_reserved(match[0]):
            yield match[0]
    whole = _HOST.fullmatch(rest)
    if (
        whole
        and whole[1].lower() in _TOP_LEVEL_DOMAINS.split()
        and not _is_local_or_reserved(host := rest.split("/")[0].split(":")[0])
    ):
        yield host.lower()
    elif ":" in rest and _address(bare := rest.strip("[]")) and not _is_local_or_reserved(bare):
        yield bare


def _is_local_or_reserved(host: str) -> bool:
    if address := _address(host):
        return address.is_loopback or address.is_unspecified or address.is_link_local
    return (
        ("." not in host) or _RESERVED_HOST.fullmatch(host) is not None or _IPV4.fullmatch(host) is not None
    )


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


# Code that runs something


def new_execution(facts: GateFacts) -> Iterator[Remark]:
    """Report new code that runs programs, or strings as code."""
    language_id = facts.language_id
    added, removed = facts.changed_code
    all_code = "\n".join(code for _, code in added)
    found: list[tuple[int, str]] = []
    if any(executing_names(all_code, language_id)):  # most code has no match, so one search is enough
        found = [(line, name) for line, code in added for name in executing_names(code, language_id)]
    # A changed or removed line that ran something may have become a new line.
    known = (
        Counter(name for _, code in removed for name in executing_names(code, language_id))
        if found
        else Counter[str]()
    )
    for line, name in found:
        if known[name]:
            known[name] -= 1
        else:
            yield _execution_remark(name, line)
    named = {literal.text for literal in facts.before.literals} if facts.before else set()
    for literal in _new_literals(facts):
        if literal.text not in named and is_executing_module(literal.text, language_id):
            yield _execution_remark(f'"{literal.text}"', literal.line)


def _execution_remark(name: str, line: int) -> Remark:
    return Remark(f"{name[:MAX_SHOWN]} is new here and can run other programs or code", (line, line))


# Unreadable strings

_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]+")
_HEX = re.compile(r"(?:0x)?[0-9A-Fa-f]+")
_ESCAPES = re.compile(r"(?:\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[0-7]{3})+")
_LONG_ENCODED = re.compile(rf"[A-Za-z0-9+/=_-]{{{MIN_ENCODED},}}")


def encoded_literals(facts: GateFacts) -> Iterator[Remark]:
    """Report new strings in Base64, hexadecimal digits or escapes."""
    pieces = [(each.line, _n_encoded(each.text)) for each in _new_literals(facts)]
    pieces = [(line, n) for line, n in pieces if n]
    for _, run in groupby(enumerate(pieces), lambda each: each[1][0] - each[0]):
        lines = [piece for _, piece in run]
        if (total := sum(n for _, n in lines)) > MIN_ENCODED:
            yield Remark(
                f"{total} characters of a new string are encoded and not readable",
                (lines[0][0], lines[-1][0]),
            )


def _n_encoded(text: str) -> int:
    whole = text.strip()
    if len(whole) >= MIN_ENCODED_LINE and _looks_encoded(whole):
        return len(whole)
    escapes = sum(len(match[0]) for match in _ESCAPES.finditer(text) if len(match[0]) >= MIN_ENCODED_LINE)
    return escapes or sum(len(match[0]) for match in _LONG_ENCODED.finditer(text) if _looks_encoded(match[0]))


def _looks_encoded(text: str) -> bool:
    if _HEX.fullmatch(text):
        return any(c.isdigit() for c in text) and len(set(text)) > 4  # noqa: PLR2004 - "0000" is no code
    kinds = (str.isupper, str.islower, str.isdigit)
    return _ENCODED.fullmatch(text) is not None and all(any(map(kind, text)) for kind in kinds)


# Invisible characters


def hidden_in_new_lines(facts: GateFacts) -> Iterator[Remark]:
    """Report new lines with an invisible character. An answer may contain it if the scope does."""
    old, new = "\n".join(facts.old_lines), "\n".join(facts.new_lines)
    more = {each for each in set(new) if make_visible(each) != each and new.count(each) > old.count(each)}
    for line, text in facts.added:
        found = more.intersection(text)
        if found and make_visible_in_prose(text) != text:  # otherwise they are legitimate joiners
            yield Remark(f"an invisible character is new here: {character_name(min(found))}", (line, line))


def character_name(character: str) -> str:
    """Return the code point and the Unicode name of a character."""
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


# Removed safeguards

_SAFEGUARDS = {
    word: family
    for family in (
        "verify verifies verified verification verifier",
        "authenticate authenticates authenticated authentication authenticator",
        "authorize authorizes authorized authorization authorise authorises authorised authorisation",
        "auth",
        "permission permissions permitted permit permits",
        "privilege privileges",
        "assert asserts asserted assertion assertions",
        "csrf xsrf",
        "sanitize sanitizes sanitized sanitizer sanitise sanitises sanitised sanitiser",
        "validate validates validated validation validator",
    )
    for word in family.split()
}
"""Words of names, and their family: ``check_permission`` may become ``check_permissions``."""


def removed_safeguards(facts: GateFacts) -> Iterator[Remark]:
    """Report removed permission checks, signature checks and assertions."""
    if facts.before is None or facts.after is None:
        return
    _, code_removed = facts.changed_code
    removed = [(index, list(_safeguards_in(code))) for index, code in code_removed]
    if not any(names for _, names in removed):
        return
    before, after = (
        Counter(family for code in each.code for _, family in _safeguards_in(code))
        for each in (facts.before, facts.after)
    )
    missing = before - after
    for index, names in removed:
        for name, family in names:
            if missing.pop(family, 0):
                line = facts.line_of_removed(index)
                yield Remark(f"{name[:MAX_SHOWN]} was removed here", (line, line))


def _safeguards_in(code: str) -> Iterator[tuple[str, str]]:
    for name in names_in(code):
        if family := _family_of(name):
            yield name, family


@lru_cache(maxsize=4096)
def _family_of(name: str) -> str | None:
    return next(filter(None, map(_SAFEGUARDS.get, words_of(name))), None)


# Lines


def _new_literals(facts: GateFacts) -> Sequence[TextLiteral]:
    added = {line for line, _ in facts.added}
    return [literal for literal in (facts.after.literals if facts.after else ()) if literal.line in added]
