"""``twospeed key``: store and remove API keys in the system's keyring, and list where keys are.

A key is read from a prompt or from stdin, never from an argument, which other programs of the machine can read.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import os
import sys
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from twospeed.cli.exits import OK, BadInput
from twospeed.cli.visible import visible, write_out
from twospeed.errors import KeyringUnusable

if TYPE_CHECKING:
    from twospeed.models.base import ProviderSettings

MAX_KEY_CHARS = 10_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions of ``key``."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    store = actions.add_parser(
        "set", help="store a key in the keyring; it is read from a prompt, or from stdin"
    )
    store.set_defaults(act=_store)
    remove = actions.add_parser("remove", help="remove a key from the keyring")
    remove.set_defaults(act=_remove)
    for action in (store, remove):
        action.add_argument("provider", metavar="PROVIDER", help="the name of a provider, such as openai")
    listed = actions.add_parser("list", help="list where the key of each provider is; no key is printed")
    listed.set_defaults(act=_list)


def run(options: argparse.Namespace) -> int:
    """Run the action; raises `BadInput`, or `KeyringUnusable` with what to do instead."""
    status: int = options.act(options)
    return status


def _store(options: argparse.Namespace) -> int:
    from twospeed.config.explain import did_you_mean  # noqa: PLC0415  # pydantic, which --help does not need
    from twospeed.models.keys.key_store import KeyStore  # noqa: PLC0415  # as above
    from twospeed.models.keys.keyring_entries import write_entry  # noqa: PLC0415  # as above
    from twospeed.models.keys.secret import secret_from  # noqa: PLC0415  # as above

    name, providers = options.provider, _providers()
    provider = providers.get(name)
    if provider is None:
        raise BadInput(f"{name} is no provider; {did_you_mean(name, providers)}")
    if not KeyStore({}).needs_query(provider):
        raise BadInput(f"{name} needs no key from the keyring; nothing was stored")
    key = _read_key(name).strip()
    if secret_from(key, name="the key", source="stdin", origins=()) is None:
        raise BadInput("the key is empty; nothing was stored")
    variable = provider.api_key_env
    try:
        keyring = write_entry(name, key)
    except KeyringUnusable as error:
        instead = f", or set {variable} instead" if variable else ""
        raise KeyringUnusable(f"{error}; nothing was stored; unlock or start a keyring{instead}") from None
    is_hidden = bool(variable and os.environ.get(variable, "").strip())
    remark = f"; {variable} is set too, and is used first" if is_hidden else ""
    write_out(sys.stdout, f"stored the key for {name} in {visible(keyring)}{remark}\n")
    return OK


def _read_key(name: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.read(MAX_KEY_CHARS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(f"Key for {name} (not shown): ")
        except getpass.GetPassWarning:
            raise BadInput("this terminal would show the key; pipe it into the command instead") from None
        except EOFError:
            return ""


def _remove(options: argparse.Namespace) -> int:
    from twospeed.models.keys.keyring_entries import delete_entry  # noqa: PLC0415  # as above

    # The name of a provider that is no longer in the config is allowed.
    if not delete_entry(options.provider):
        raise BadInput(f"the keyring has no key for {options.provider}")
    write_out(sys.stdout, f"removed the key for {visible(options.provider)}\n")
    return OK


def _list(_options: argparse.Namespace) -> int:
    from twospeed.cli.doctor.provider_findings import key_state  # noqa: PLC0415  # as above
    from twospeed.models.keys.key_store import KeyStore  # noqa: PLC0415  # as above

    keys, providers = KeyStore(os.environ), _providers()
    asyncio.run(keys.look_up(providers.values()))
    width = max(map(len, providers))
    lines = [f"{name:<{width}}  {visible(key_state(each, keys))}\n" for name, each in providers.items()]
    write_out(sys.stdout, "".join(lines))
    return OK


def _providers() -> Mapping[str, ProviderSettings]:
    from twospeed.config.load import load_settings  # noqa: PLC0415  # as above
    from twospeed.models.catalog.providers import PROVIDERS  # noqa: PLC0415  # as above

    known = {name: provider.settings for name, provider in PROVIDERS.items()}
    return load_settings(os.environ, known=known).providers
