"""A shell that runs commands of twospeed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.e2e.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)
