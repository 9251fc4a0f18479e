"""Choose the mode for an edit of sensitive code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .lanes import LABELS, Mode

Sending = Literal["deep", "offer", "off"]
"""What happens to a lightning edit of sensitive code: deep mode is used, deep mode is offered, nothing."""


def mode_for(mode: Mode, topics: Sequence[str], sending: Sending, *, is_deep_ready: bool) -> tuple[Mode, str]:
    """Return the mode of an edit and the reason, as in the wire field ``route``.

    Without a model for deep mode the mode is kept.
    """
    if mode == "deep" or not topics or sending == "off":
        return mode, "mode"
    about = f"sensitive: {', '.join(topics)}"
    if sending == "deep" and is_deep_ready:
        return "deep", about
    return mode, f"mode; {about}, {LABELS['deep']} is {'offered' if is_deep_ready else 'not ready'}"
