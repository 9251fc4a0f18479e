"""Know secrets by their shape: prefixes that issuers give their keys, tokens, passwords in URLs.

For what leaves this machine or is written down: logs, messages, prompts. A shape is a guess: it knows neither
who a key belongs to nor whether it is still good. Secrets that show by what is around them are `secret_values`'.
Every pattern takes linear time on any text: a run of characters is looked at once, from its start, and never
given back (possessive repeats). A pattern is tried only at its marks: most secrets begin with one, and so few words
are long enough to be a secret that only their beginnings are looked at; the other marks are plain searches.
Sources: the issuers' documentation of their token formats; RFC 7519 (JWT), RFC 7468 (PEM), RFC 3986 (user info).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from .secret_values import lower_case, named_values, private_keys

MASK = "***"


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of secret.

    Attributes:
        name: What it is, for people.
        marks: One of these occurs in every text that holds such a secret, in any case.
        source: A regular expression that matches from a mark on; the group ``secret`` is what must not be shown.
        begins_with_mark: Whether the secret begins with a mark, as it is, where a word begins or behind a dot.
    """

    name: str
    marks: tuple[str, ...]
    source: str
    begins_with_mark: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled when it is first needed: most processes never meet most shapes."""
        return _compiled(self.source)


_compiled = cache(re.compile)


@dataclass(frozen=True, slots=True)
class SecretFound:
    """A secret in a text: the offsets of its characters, in code points, and the name of its shape."""

    start: int
    end: int
    name: str


_WORD_BEGINS = r"(?:(?<![A-Za-z0-9_\-])|(?<=\\[nrt]))"
"""Not in the middle of a word; the letter of an escaped line end or tab, as literals have them, belongs to none."""


def _prefixed(name: str, *prefixes: str, body: str = r"[A-Za-z0-9_\-]", least: int = 16) -> Shape:
    """A fixed prefix, then at least so many characters of a kind; not in the middle of a word."""
    alternatives = "|".join(re.escape(prefix) for prefix in prefixes)
    source = rf"{_WORD_BEGINS}(?P<secret>(?:{alternatives}){body}{{{least},}}+)"
    return Shape(name, prefixes, source, begins_with_mark=True)


SHAPES: tuple[Shape, ...] = (
    # "sk-" is what OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek and many gateways share.
    _prefixed("API key", "sk-"),
    _prefixed("Groq key", "gsk_"),
    _prefixed("Cerebras key", "csk-"),
    _prefixed("xAI key", "xai-"),
    _prefixed("Perplexity key", "pplx-"),
    _prefixed("Fireworks key", "fw_"),
    _prefixed("Replicate token", "r8_"),
    _prefixed("NVIDIA key", "nvapi-"),
    _prefixed("Together key", "tgp_v1_"),
    _prefixed("Hugging Face token", "hf_"),
    _prefixed("Google key", "AIza", least=30),
    _prefixed("Google OAuth token", "ya29.", "GOCSPX-"),
    _prefixed("AWS key id", "AKIA", "ASIA", "ABIA", "ACCA", body="[A-Z0-9]"),
    _prefixed("GitHub token", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _prefixed("GitHub token", "github_pat_"),
    _prefixed("GitLab token", "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glsoat-"),
    _prefixed("GitLab token", "glagent-", "glffct-", "gloas-", "glrtr-"),
    _prefixed(
        "Slack token", "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-", least=10
    ),
    _prefixed("Stripe key", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
    _prefixed("npm token", "npm_"),
    _prefixed("package index token", "pypi-"),
    _prefixed("DigitalOcean token", "dop_v1_", "doo_v1_", "dor_v1_"),
    _prefixed("Shopify token", "shpat_", "shpca_", "shppa_", "shpss_"),
    _prefixed("SendGrid key", "SG.", body=r"[A-Za-z0-9_.\-]"),
    _prefixed("Twilio key", "SK", body="[0-9a-f]", least=32),
    _prefixed("age key", "AGE-SECRET-KEY-1", body="[A-Z0-9]"),
    _prefixed("Databricks token", "dapi", body="[0-9a-f]", least=32),
    _prefixed("Docker token", "dckr_pat_", "dckr_oat_"),
    _prefixed("Vault token", "hvs.", "hvb.", least=20),
    _prefixed("Grafana token", "glsa_", "glc_"),
    _prefixed("Linear key", "lin_api_"),
    _prefixed("Notion token", "ntn_"),
    _prefixed("New Relic key", "NRAK-"),
    _prefixed("Postman key", "PMAK-"),
    _prefixed("Pulumi token", "pul-", body="[0-9a-f]", least=32),
    _prefixed("Sentry token", "sntrys_", "sntryu_"),
    _prefixed("Supabase token", "sbp_", "sb_secret_"),
    _prefixed("PlanetScale secret", "pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
    _prefixed("Figma token", "figd_"),
    _prefixed("Atlassian token", "ATATT3x", "ATCTT3x", body=r"[A-Za-z0-9_\-=]"),
    _prefixed("Square token", "sq0atp-", "sq0csp-"),
    _prefixed("Doppler token", "dp.pt.", "dp.st.", "dp.ct."),
    _prefixed("Mailgun key", "key-", body="[0-9a-f]", least=32),
    _prefixed("Tavily key", "tvly-"),
    _prefixed("Langfuse key", "sk-lf-", "pk-lf-"),
    Shape(
        "Slack webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/_\-]{20,}+)",
    ),
    Shape(
        "Discord webhook",
        ("/api/webhooks/",),
        r"/api/webhooks/(?P<secret>[0-9]{16,20}+/[A-Za-z0-9_\-]{40,}+)",
    ),
    Shape("Telegram token", (":aa",), r"(?<=[0-9]{8}):(?P<secret>AA[A-Za-z0-9_\-]{32,}+)"),
    Shape(
        "key of an Azure account",
        ("accountkey=", "accesskey="),
        r"(?i)(?:account|access)key=(?P<secret>[A-Za-z0-9+/]{20,}+={0,2})",
    ),
    Shape("signature of an address", ("sig=",), r"(?i)(?<=[?&])sig=(?P<secret>[A-Za-z0-9%+/]{30,}+=?)"),
    Shape(
        "JSON web token",
        ("eyJ",),
        rf"{_WORD_BEGINS}(?P<secret>eyJ[A-Za-z0-9_\-]{{8,}}+\.[A-Za-z0-9_\-]{{8,}}+(?:\.[A-Za-z0-9_\-]*+)?)",
        begins_with_mark=True,
    ),
    # Not a place in a template, such as {password}, $PASSWORD or <password>.
    Shape("password in a URL", ("://",), r"://[^\s/?#:@\"'`]*+:(?P<secret>(?![{$<%*])[^\s/?#\"'`]+)@"),
    Shape(
        "bearer token",
        ("bearer",),
        r"\b[Bb](?:earer|EARER)[ \t]{1,8}(?P<secret>[A-Za-z0-9._~+/=\-]{8,}+)",
    ),
    Shape(
        "key in a header",
        ("api-key", "authorization"),
        r"""(?i)\b(?:(?:x-)?(?:goog-)?api-key|authorization)["']?[ \t]{0,8}[:=][ \t]{0,8}["']?"""
        r"""(?:basic[ \t]{1,8})?(?!bearer\b)(?P<secret>[A-Za-z0-9._~+/=\-]{8,}+)(?![(\[])""",
    ),
)


_LEAST_WORD = 15
"""No secret that begins with a mark is shorter, the dots in it counted."""

_WORDS = bytes(
    ord("x") if chr(byte).isascii() and (chr(byte).isalnum() or byte in b"_-.") else ord(" ")
    for byte in range(256)
)

_LONG_WORD = b"x" * _LEAST_WORD

_BACKSLASH, _ESCAPED = ord("\\"), b"nrt"


@cache
def _marks_by_start() -> dict[bytes, tuple[bytes, ...]]:
    """Sort the marks that secrets begin with by their first two characters, which tell most words from them."""
    marks = [mark.encode() for shape in SHAPES if shape.begins_with_mark for mark in shape.marks]
    return {mark[:2]: tuple(each for each in marks if each[:2] == mark[:2]) for mark in marks}


def _beginnings(raw: bytes) -> set[str]:
    """Find the marks with which long words begin, or parts of them behind a dot or an escape's letter."""
    found: set[str] = set()
    by_start = _marks_by_start()
    words = raw.translate(_WORDS)
    start = words.find(_LONG_WORD)
    while start >= 0:
        end = words.find(b" ", start)
        end = len(words) if end < 0 else end
        is_escape = raw[start - 1] == _BACKSLASH and start > 0 and raw[start] in _ESCAPED
        at = start + is_escape
        while at >= 0:
            for mark in by_start.get(raw[at : at + 2], ()):
                if raw.startswith(mark, at):
                    found.add(mark.decode())
            at = raw.find(b".", at, end) + 1 or -1
        start = words.find(_LONG_WORD, end)
    return found


def find_secrets(text: str, *, begins_in_key: bool = False) -> Iterator[SecretFound]:
    """Find what looks like a secret.

    Args:
        text: Where to look.
        begins_in_key: Whether the text begins between the first and the last line of a private key.

    Yields:
        Each find, one kind after the other; finds of different kinds may overlap.
    """
    raw = text.encode("utf-8", "surrogatepass")  # in bytes a search takes half of the time
    beginnings, raw_lower = _beginnings(raw), raw.lower()
    lower = ""
    for shape in SHAPES:
        for mark in shape.marks:
            if mark not in beginnings if shape.begins_with_mark else mark.encode() not in raw_lower:
                continue
            lower = lower or lower_case(text)
            where = text if shape.begins_with_mark else lower
            at = where.find(mark)
            while at >= 0:
                if match := shape.pattern.match(text, at):
                    yield SecretFound(match.start("secret"), match.end("secret"), shape.name)
                at = where.find(mark, match.end() if match else at + len(mark))
    for start, end in private_keys(text, begins_inside=begins_in_key):
        yield SecretFound(start, end, "private key")
    for start, end in named_values(text):
        yield SecretFound(start, end, "secret value")


def mask_secrets(text: str, *, begins_in_key: bool = False) -> str:
    """Put ``***`` in the place of everything that looks like a secret; the same text where nothing does."""
    pieces: list[str] = []
    done = 0
    for found in sorted(find_secrets(text, begins_in_key=begins_in_key), key=lambda found: found.start):
        if found.start >= done:
            pieces += (text[done : found.start], MASK)
        done = max(done, found.end)
    return "".join((*pieces, text[done:])) if pieces else text
