"""The editors of the scenarios, as fixtures."""

from tests.scenarios.conftest import editor, streaming

__all__ = ["editor", "streaming"]
