"""What every test may use: a home of its own, so that no test reads or writes the person's files."""

from __future__ import annotations

from pathlib import Path

import pytest

KEY_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "CEREBRAS_API_KEY",
    "GROQ_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "XAI_API_KEY",
    "TWOSPEED_CONFIG",
)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test an empty home folder, and no keys."""
    folder = tmp_path_factory.mktemp("home")
    for name in KEY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(folder))
    return folder
