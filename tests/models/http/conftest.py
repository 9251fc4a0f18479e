"""A port in front of the scripted provider."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.models.relay import Relay

from twospeed.testing.scripted_server import ScriptedServer


@pytest.fixture
async def relay(server: ScriptedServer) -> AsyncIterator[Relay]:
    async with Relay(server.port) as relay:
        yield relay
