"""Code actions and code lenses that decide what a deep answer would change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lsprotocol import types

from twospeed.edits.deepen.offer import offer_of
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.values import PlacedOffer
from twospeed.lsp.wire.convert import lsp_range
from twospeed.routing.lanes import ICONS, LABELS
from twospeed_protocol import methods

_ICON, _LABEL = ICONS["deep"], LABELS["deep"]


class DeepAction(NamedTuple):
    """One choice about an offer: its title, and the command with its argument."""

    title: str
    command: str
    argument: dict[str, str]


def deep_actions(edit: InlineEdit, first: int, last: int) -> Iterator[DeepAction]:
    """Yield the choices about the offer of an edit, those of its places only on their lines."""
    offer = offer_of(edit)
    if offer is None or not offer.hunks:
        return
    whole = {"editId": edit.id}
    n_places = len(offer.hunks)
    if n_places > 1:
        yield DeepAction(f"{_ICON} Take all {n_places} places of {_LABEL}", methods.COMMAND_TAKE, whole)
    for place in offer.hunks:
        start, end = place.range.start.line, place.range.end.line
        if start <= last and first <= max(start, end - 1):
            yield DeepAction(_title_of(place), methods.COMMAND_TAKE, {**whole, "hunk": place.id})
    yield DeepAction(f"{_ICON} Dismiss what {_LABEL} would change", methods.COMMAND_DISMISS_OFFER, whole)


def deep_lenses(edit: InlineEdit) -> Iterator[types.CodeLens]:
    """Yield a lens above each place of an offer."""
    offer = offer_of(edit)
    places = offer.hunks if offer else ()
    for number, place in enumerate(places, 1):
        start = lsp_range(place.range).start
        count = f" {number}/{len(places)}" if len(places) > 1 else ""
        argument = {"editId": edit.id, "hunk": place.id}
        take = types.Command(f"{_ICON} Take{count}", methods.COMMAND_TAKE, arguments=[argument])
        yield types.CodeLens(types.Range(start, start), take)


def _title_of(place: PlacedOffer) -> str:
    line = next((line.strip() for line in place.new_text.splitlines() if line.strip()), "")
    return f"{_ICON} Take: {line}" if line else f"{_ICON} Take this deletion of {_LABEL}"
