"""A pytest plugin that runs only the tests named in a file, in that order; `rooms` loads it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FILE = "TWOSPEED_CHOSEN_TESTS"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the named tests; the file has one node id in each line."""
    order = {
        test: number for number, test in enumerate(Path(os.environ[FILE]).read_text("utf-8").splitlines())
    }
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in order])
    items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])
