"""A list for the requests that a provider's server received."""

from __future__ import annotations

import pytest
from aiohttp import web


@pytest.fixture
def seen() -> list[web.BaseRequest]:
    return []
