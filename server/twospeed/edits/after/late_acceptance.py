"""An answer that the user applies while its edit is being cancelled.

If edits are offered as code actions without a version, the menu may be open when the edit is cancelled, and the client
reports the change later. The cancelled edit keeps its outcome. The answer becomes an edit of its own, in review, so that
the user can reject it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from twospeed.edits.inline_edit import InlineEdit
from twospeed.errors import DeliveryError

LOOKED_FOR_S = 60.0
"""Seconds to watch for a cancelled offer: some clients report a change only after a pause in typing (`delivery.channel`)."""

TAKEN = "You took the answer of an edit that was cancelled. It is in the text, and you can reject it."
IN_DOUBT = "The editor may have applied the answer of an edit that was cancelled. Please check the text."


async def look_for(
    edit: InlineEdit, *, new_id: Callable[[], str], tell: Callable[[str], None]
) -> InlineEdit | None:
    """Wait until the user applies the answer of a cancelled edit.

    Args:
        edit: The ended edit; its ``withdrawn`` is set.
        new_id: Makes the id of the new edit.
        tell: Shows the user a warning.

    Returns:
        A new edit, in review; ``None`` if the answer was not applied.
    """
    taken, review = edit.withdrawn, None
    assert taken
    try:
        async with asyncio.timeout(LOOKED_FOR_S):
            await taken
        if edit.live.has_hunks:
            review = _review_of(edit, new_id())
            tell(TAKEN)
    except TimeoutError:
        pass
    except DeliveryError:
        if not edit.channel.is_closed:
            tell(IN_DOUBT)
    finally:
        taken.cancel()
        if review is None:
            edit.channel.remove(edit.live)
    return review


def _review_of(edit: InlineEdit, edit_id: str) -> InlineEdit:
    review = InlineEdit(
        edit_id, edit.request, edit.channel, edit.scope, partials=None, on_change=edit.on_change
    )
    review.continue_in_review(edit)
    return review
