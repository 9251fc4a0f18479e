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
