"""A config in which one provider of a test serves both modes, each with a model of its name."""

from __future__ import annotations


def lanes_config(base_url: str) -> str:
    """Write it.

    Args:
        base_url: Where the provider is; it speaks Chat Completions.
    """
    lanes = "".join(
        f'[[lanes.{mode}]]\nprovider = "lab"\nmodel = "{mode}"\n' for mode in ("lightning", "deep")
    )
    return f'{lanes}[providers.lab]\napi = "chat"\nbase_url = "{base_url}"\n'
