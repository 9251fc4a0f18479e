"""Decide who edits code that much depends on: a model that answers at once, or one that thinks first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .lanes import LABELS, Mode

Sending = Literal["deep", "offer", "off"]
"""What happens to a lightning edit of such code: deep takes it, deep is offered, nothing."""


def mode_for(mode: Mode, topics: Sequence[str], sending: Sending, *, is_deep_ready: bool) -> tuple[Mode, str]:
    """Choose the mode for an edit.

    Args:
        mode: The mode asked for.
        topics: What the code is about that much depends on; mostly nothing.
        sending: What the user wants.
        is_deep_ready: Whether a model serves deep. Where none does nobody is sent there, and nobody is kept waiting.

    Returns:
        The mode, and why, in the words of the wire field ``route``.
    """
    if mode == "deep" or not topics or sending == "off":
        return mode, "mode"
    about = f"sensitive: {', '.join(topics)}"
    if sending == "deep" and is_deep_ready:
        return "deep", about
    return mode, f"mode; {about}, {LABELS['deep']} is {'offered' if is_deep_ready else 'not ready'}"
