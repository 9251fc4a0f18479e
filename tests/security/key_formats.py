"""Keys as issuers write them, one a format; none is real."""

from __future__ import annotations

_BODY = "Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5Gf0JaEuOiTxKz"

KEY_FORMATS: dict[str, str] = {
    "openai": f"sk-proj-{_BODY}",
    "anthropic": f"sk-ant-api03-{_BODY}-AA",
    "openrouter": "sk-or-v1-" + "3f9c0a17" * 8,
    "groq": f"gsk_{_BODY}",
    "cerebras": "csk-" + "w9k4m2x8" * 6,
    "xai": f"xai-{_BODY}",
    "google": "AIzaSy" + _BODY[:33],
    "aws": "AKIA" + "Q7XW2RT9YK4LM8NP",
    "github": f"github_pat_{_BODY}",
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJsYWIifQ.{_BODY}",
    "azure": "5d41402abc4b2a76b9719d911017c592",  # without a prefix: only known keys of this form are found
    "uuid": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
}

WITHOUT_SHAPE = ("azure", "uuid")

_HEX = "3f9c0a17b5d2e846" * 4
PEM_LINES = (
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "MzEfYyjiWA4R4pG5Zq7Xw2Rt9Yk4Lm8",
)
PEM = "\n".join(("-----BEGIN {0}PRIVATE KEY-----", *PEM_LINES, "-----END {0}PRIVATE KEY-----"))

CANARIES: dict[str, str] = {
    **{name: key for name, key in KEY_FORMATS.items() if name not in WITHOUT_SHAPE},
    "openai project": f"sk-svcacct-{_BODY}",
    "huggingface": f"hf_{_BODY[:34]}",
    "github classic": f"ghp_{_BODY[:36]}",
    "github app": f"ghs_{_BODY[:36]}",
    "gitlab": f"glpat-{_BODY[:20]}",
    "slack bot": f"xoxb-123456789012-{_BODY[:24]}",
    "slack webhook": f"https://hooks.slack.com/services/T0AAAAAA1/B0BBBBBB2/{_BODY[:24]}",
    "discord webhook": f"https://discord.com/api/webhooks/123456789012345678/{_BODY}{_BODY[:20]}",
    "telegram": f"123456789:AA{_BODY[:33]}",
    "stripe": f"sk_live_{_BODY[:24]}",
    "stripe webhook": f"whsec_{_BODY[:32]}",
    "npm": f"npm_{_BODY[:36]}",
    "package index": f"pypi-AgEIcHlwaS5vcmc{_BODY}",
    "docker": f"dckr_pat_{_BODY[:27]}",
    "digitalocean": f"dop_v1_{_HEX}",
    "shopify": f"shpat_{_HEX[:32]}",
    "sendgrid": f"SG.{_BODY[:22]}.{_BODY}",
    "twilio": f"SK{_HEX[:32]}",
    "google oauth": f"GOCSPX-{_BODY[:28]}",
    "replicate": f"r8_{_BODY[:37]}",
    "databricks": f"dapi{_HEX[:32]}",
    "vault": f"hvs.{_BODY}",
    "grafana": f"glsa_{_BODY[:32]}_3f9c0a17",
    "sentry": f"sntryu_{_HEX}",
    "linear": f"lin_api_{_BODY}",
    "age": f"AGE-SECRET-KEY-1{_BODY.upper()}",
    "azure storage": f"DefaultEndpointsProtocol=https;AccountKey={_BODY}{_BODY}==;EndpointSuffix=core",
    "url password": "postgres://shop:Tr0ub4dor-and-3@db.example/shop",
    "bearer": f"Authorization: Bearer {_BODY}",
    "named base64": f"aws_secret_access_key = '{_BODY[:20]}/{_BODY[20:]}'",
    "named hex": f"AZURE_OPENAI_KEY='{_HEX[:32]}'",
    "pem": PEM.format("RSA "),
    "pem plain": PEM.format(""),
    "pem openssh": PEM.format("OPENSSH "),
}
"""Secrets as in files, with the context that identifies those without a format of their own."""


def heart_of(canary: str) -> tuple[str, ...]:
    """Return the part of a canary that must be hidden."""
    if "PRIVATE KEY" in canary:
        return PEM_LINES
    for start, end in (
        ("AccountKey=", "="),
        ("://shop:", "@"),
        ("Bearer ", ""),
        ("= '", "'"),
        ("KEY='", "'"),
    ):
        if start in canary:
            rest = canary.partition(start)[2]
            return (rest.split(end)[0] if end else rest,)
    return (canary.rpartition("/")[2],)
