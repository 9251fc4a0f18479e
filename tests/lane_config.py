"""Parts of a config file: the models of a mode, and the provider they belong to."""

from __future__ import annotations


def lane(mode: str, provider: str, model: str = "m") -> str:
    """Return the table of one model of a mode."""
    return f'[[lanes.{mode}]]\nprovider = "{provider}"\nmodel = "{model}"\n'


def provider(name: str, base_url: str, **settings: str) -> str:
    """Return the table of a provider; its API is Chat Completions if no other is given."""
    values = {"api": "chat", "base_url": base_url, **settings}
    return f"[providers.{name}]\n" + "".join(f'{key} = "{value}"\n' for key, value in values.items())


def lab(base_url: str, **settings: str) -> str:
    """Return a config whose lightning mode has the model ``lab/m``."""
    return lane("lightning", "lab") + provider("lab", base_url, **settings)


def two_speeds(base_url: str) -> str:
    """Return a config with the model ``scripted/fast`` for lightning mode and ``scripted/slow`` for deep mode."""
    lanes = lane("lightning", "scripted", "fast") + lane("deep", "scripted", "slow")
    return lanes + provider("scripted", base_url)


BUILTIN = lane("lightning", "builtin", "rules")
"""A config whose lightning mode has the built-in engine alone."""

NOWHERE = "http://127.0.0.1:9/v1"
"""An address where no server listens: port 9 is of the discard protocol."""
