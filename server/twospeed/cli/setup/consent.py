"""``twospeed consent``: list what the user agreed to send, and take it back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from twospeed.budget.consent import Consent, consent_path, read_consent, write_consent
from twospeed.cli.exits import OK, BadInput
from twospeed.cli.visible import visible, write_out
from twospeed.config.paths import state_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions of ``consent``."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listed = actions.add_parser("list", help="list the providers and project notes that you agreed to")
    listed.set_defaults(act=_list)
    revoke = actions.add_parser(
        "revoke", help="take your consent back: to a provider, to all notes, or to all"
    )
    revoke.add_argument("provider", metavar="PROVIDER", nargs="?", help="only for this provider")
    revoke.add_argument("--notes", action="store_true", help="only for the notes of all projects")
    revoke.set_defaults(act=_revoke)


def run(options: argparse.Namespace) -> int:
    """Run the action; raises `BadInput` if there is nothing to take back."""
    status: int = options.act(options)
    return status


def _list(_options: argparse.Namespace) -> int:
    path = consent_path(state_folder())
    lines = list(_lines(read_consent(path))) or ["you agreed to nothing yet"]
    write_out(sys.stdout, "".join(f"{line}\n" for line in (*lines, f"kept in {visible(str(path))}")))
    return OK


def _lines(consent: Consent) -> Iterator[str]:
    width = max(map(len, consent.origins), default=0)
    for name, origin in sorted(consent.origins.items()):
        yield f"{visible(name):<{width}}  {visible(origin)}"
    if consent.notes:
        yield f"project notes: {len(consent.notes)} {'text' if len(consent.notes) == 1 else 'texts'}"


def _revoke(options: argparse.Namespace) -> int:
    path, provider = consent_path(state_folder()), options.provider
    before = read_consent(path)
    if provider and options.notes:
        raise BadInput("name a provider or --notes, not both")
    if provider:
        after, what = before.without_provider(provider), f"to {provider}"
    elif options.notes:
        after, what = Consent(before.origins), "to project notes"
    else:
        after, what = Consent(), "to anything"
    if after == before:
        raise BadInput(f"you have not agreed {what}; twospeed consent list shows what you agreed to")
    write_consent(path, after)
    write_out(sys.stdout, f"you no longer agree {visible(what)}; a running server asks after its restart\n")
    return OK
