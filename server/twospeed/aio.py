"""What several rooms need of asyncio."""

from __future__ import annotations

import asyncio


def loop_time() -> float:
    """Return the time of the running event loop, in monotonic seconds."""
    return asyncio.get_running_loop().time()
