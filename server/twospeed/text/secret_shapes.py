"""Know secrets by their shape: prefixes that issuers give their keys, tokens, private keys, passwords in URLs.

For what leaves this machine or is written down: logs, messages, prompts. A shape is a guess: it knows neither
who a key belongs to nor whether it is still good, and a key without a prefix is found by nobody.
Every pattern takes linear time on any text: a run of characters is looked at once, from its start, and never
given back (possessive repeats). A pattern is tried only where one of its marks occurs, which is a plain search.
Sources: the issuers' documentation of their token formats; RFC 7519 (JWT), RFC 7468 (PEM), RFC 3986 (user info).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

MASK = "***"


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of secret.

    Attributes:
        name: What it is, for people.
        marks: One of these occurs in every text that holds such a secret.
        source: A regular expression that finds it; the group ``secret`` is what must not be shown.
    """

    name: str
    marks: tuple[str, ...]
    source: str

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


def _prefixed(name: str, *prefixes: str, body: str = r"[A-Za-z0-9_\-]", least: int = 16) -> Shape:
    """A fixed prefix, then at least so many characters of a kind; not in the middle of a word."""
    alternatives = "|".join(re.escape(prefix) for prefix in prefixes)
    return Shape(name, prefixes, rf"(?<![A-Za-z0-9_\-])(?P<secret>(?:{alternatives}){body}{{{least},}}+)")


SHAPES: tuple[Shape, ...] = (
    # "sk-" is what OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek and many gateways share.
    _prefixed("API key", "sk-"),
    _prefixed("Groq key", "gsk_"),
    _prefixed("Cerebras key", "csk-"),
    _prefixed("xAI key", "xai-"),
    _prefixed("Perplexity key", "pplx-"),
    _prefixed("Fireworks key", "fw_"),
    _prefixed("Replicate token", "r8_"),
    _prefixed("Hugging Face token", "hf_"),
    _prefixed("Google key", "AIza", least=30),
    _prefixed("Google OAuth token", "ya29.", "GOCSPX-"),
    _prefixed("AWS key id", "AKIA", "ASIA", "ABIA", "ACCA", body="[A-Z0-9]"),
    _prefixed("GitHub token", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _prefixed("GitHub token", "github_pat_"),
    _prefixed("GitLab token", "glpat-"),
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
    Shape(
        "JSON web token",
        ("eyJ",),
        r"(?<![A-Za-z0-9_\-])(?P<secret>eyJ[A-Za-z0-9_\-]{8,}+\.[A-Za-z0-9_\-]{8,}+(?:\.[A-Za-z0-9_\-]*+)?)",
    ),
    Shape(
        "private key",
        ("PRIVATE KEY",),
        # To its last line, or to the end of a text that was cut off. (A possessive group with a look ahead would say
        # the same; Python 3.11.2 takes it too far.)
        r"(?s)-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?P<secret>.*?)(?=-----END|\Z)",
    ),
    Shape("password in a URL", ("://",), r"://[^\s/?#:@]*+:(?P<secret>[^\s/?#]+)@"),
    Shape(
        "bearer token",
        ("earer", "EARER"),
        r"\b[Bb](?:earer|EARER)[ \t]{1,8}(?P<secret>[A-Za-z0-9._~+/=\-]{8,}+)",
    ),
    Shape(
        "key in a header",
        ("-key", "-Key", "-KEY", "uthorization", "UTHORIZATION"),
        r"""(?i)\b(?:(?:x-)?(?:goog-)?api-key|authorization)["']?[ \t]{0,8}[:=][ \t]{0,8}["']?"""
        r"""(?:basic[ \t]{1,8})?(?!bearer\b)(?P<secret>[A-Za-z0-9._~+/=\-]{8,}+)""",
    ),
)


def find_secrets(text: str) -> Iterator[SecretFound]:
    """Find what looks like a secret.

    Yields:
        Each find, one shape after the other; finds of different shapes may overlap.
    """
    for shape in SHAPES:
        if any(mark in text for mark in shape.marks):
            for match in shape.pattern.finditer(text):
                yield SecretFound(match.start("secret"), match.end("secret"), shape.name)


def mask_secrets(text: str) -> str:
    """Put ``***`` in the place of everything that looks like a secret; the same text where nothing does."""
    pieces: list[str] = []
    done = 0
    for found in sorted(find_secrets(text), key=lambda found: found.start):
        if found.start >= done:
            pieces += (text[done : found.start], MASK)
        done = max(done, found.end)
    return "".join((*pieces, text[done:])) if pieces else text
