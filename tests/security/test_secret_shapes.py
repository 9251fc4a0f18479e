"""Key-like text is masked, ordinary code is not, and no text makes the search slow."""

from __future__ import annotations

from functools import partial

import pytest
from tests.security.key_formats import KEY_FORMATS, WITHOUT_SHAPE
from tests.timing import within

from twospeed.secrets.search import FORMATS, find_secrets, mask_secrets

BODY = "Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5Gf0JaEuOiTxKz"
PEM = "-----BEGIN {} PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nZq7Xw2Rt9Yk4Lm8N\n-----END {} PRIVATE KEY-----"

SECRETS = [
    *(key for name, key in KEY_FORMATS.items() if name not in WITHOUT_SHAPE),
    *(
        prefix + BODY
        for prefix in (
            "sk-",
            "pplx-",
            "fw_",
            "r8_",
            "nvapi-",
            "tgp_v1_",
            "hf_",
            "ya29.",
            "GOCSPX-",
            "ghp_",
            "gho_",
            "ghs_",
            "glpat-",
            "glrt-",
            "gloas-",
            "xoxb-",
            "xoxp-",
            "sk_live_",
            "rk_test_",
            "whsec_",
            "npm_",
            "pypi-AgEI",
            "dop_v1_",
            "shpat_",
        )
    ),
    "ASIA" + "Q7XW2RT9YK4LM8NP",
    "SK" + "0a1b2c3d" * 4,
    f"SG.{BODY[:22]}.{BODY}",
    "AGE-SECRET-KEY-1" + BODY.upper(),
]


@pytest.mark.security("R7")
@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "around",
    ["{}", "key={}", '"{}"', "see {}, please", "a\n{}\nb", "https://h/?key={}&x=1", r'"a\n{}\r\t{}\n"'],
)
def test_a_key_is_masked_in_any_position(secret: str, around: str) -> None:
    assert mask_secrets(around.format(secret, secret)) == around.format("***", "***")


@pytest.mark.security("R7")
@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"Authorization: Bearer {BODY}", "Authorization: Bearer ***"),
        (f"authorization: bearer {BODY}\r\n", "authorization: bearer ***\r\n"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic ***"),
        ("x-api-key: 0123456789abcdef", "x-api-key: ***"),
        ("{'x-goog-api-key': '0123456789abcdef'}", "{'x-goog-api-key': '***'}"),
        ("postgres://me:pa$$w0rd@db.example/x", "postgres://me:***@db.example/x"),
        ("https://me:p@ss@host/path", "https://me:***@host/path"),
        (
            f"a {PEM.format('RSA', 'RSA')} b",
            "a -----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY----- b",
        ),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn", "-----BEGIN OPENSSH PRIVATE KEY-----***"),
    ],
)
def test_of_a_secret_in_its_place_only_the_secret_is_masked(text: str, masked: str) -> None:
    assert mask_secrets(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "",
        "task-id and desk-top, mask-secrets-in-every-text-there-is",
        "for key, value in table.items(): ...",
        "https://example.com:8080/path?x=1",
        "http://[::1]:8080/v1",
        "the bearer of this letter",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "0123456789abcdef0123456789abcdef",
        "eyJ is how base64 of a JSON object begins",
        "def api_key(self): return self.keys['api-key']",
    ],
)
def test_ordinary_text_is_not_masked(text: str) -> None:
    assert mask_secrets(text) == text
    assert list(find_secrets(text)) == []


def test_a_found_secret_has_its_kind_and_offsets() -> None:
    text = f"é see {KEY_FORMATS['groq']};"
    (found,) = find_secrets(text)
    assert found.name == "Groq key"
    assert text[found.start : found.end] == KEY_FORMATS["groq"]


def test_overlapping_secrets_are_masked_as_one() -> None:
    assert mask_secrets(f"Bearer {KEY_FORMATS['openai']} x") == "Bearer *** x"
    assert mask_secrets(f"https://u:{KEY_FORMATS['openai']}@h") == "https://u:***@h"


MB = 1_000_000
HOSTILE = [
    *(
        (mark + sep) * (MB // 50 // len(mark + sep))
        for shape in FORMATS
        for mark in shape.marks
        for sep in ("", "a ")
    ),
    "eyJ" + "a" * MB,
    "eyJaaaaaaaaaaaa." * (MB // 16),
    "://" + "a:" * (MB // 2),
    "://a:b" * (MB // 6),
    "://a:" + "@" * MB + "/",
    "-----BEGIN RSA PRIVATE KEY-----" * (MB // 31),
    "-----BEGIN RSA PRIVATE KEY-----" + "-" * MB,
    "-----BEGIN " + "A " * (MB // 2) + "PRIVATE KEY",
    "authorization: basic " * (MB // 21),
    "bearer" + " " * MB,
]


@pytest.mark.security("R7")
def test_a_megabyte_of_any_text_is_searched_in_bounded_time() -> None:
    for text in HOSTILE:
        within(1, partial(mask_secrets, text))
