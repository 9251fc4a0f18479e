"""A config in which one test provider serves both modes, with models named after the modes."""

from __future__ import annotations


def lanes_config(base_url: str) -> str:
    """Return the config for a Chat Completions provider at `base_url`."""
    lanes = "".join(
        f'[[lanes.{mode}]]\nprovider = "lab"\nmodel = "{mode}"\n' for mode in ("lightning", "deep")
    )
    return f'{lanes}[providers.lab]\napi = "chat"\nbase_url = "{base_url}"\n'
