"""The text of a first config file. All settings are comments, so the file changes nothing until the user edits it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from twospeed.cli.doctor.provider_findings import ProviderFinding
from twospeed.cli.doctor.report import findings_lines
from twospeed.models.catalog.providers import PROVIDERS

_HEAD = """\
# Settings of twospeed. Every setting is optional; remove the "# " before one to use it.
# CONFIG.md of twospeed explains all of them. "twospeed doctor" checks this file.
# "twospeed config schema" prints its JSON Schema, with which editors complete and check the keys.

# What was found when this file was written:
"""

_LANES = """
# mode = "lightning"                    # mode at the start of a session: lightning | deep | both
# ignore = ["fixtures", "*.sql"]        # files that are never sent, in addition to the built-in list

# Without lanes, twospeed uses the models that it finds. A lane of yours replaces them for its mode.
# Its entries are tried in this order; the first that is ready is used.
# [[lanes.lightning]]
# provider = "{provider}"
# model = {fast}
#
# [[lanes.deep]]
# provider = "{provider}"
# model = {deep}

# A server of your own: any address, with the name of the variable that holds its key, if it needs one.
# [providers.lab]
# api = "chat"                          # or "responses", "messages"
# base_url = "http://127.0.0.1:8000/v1"
# api_key_env = "LAB_API_KEY"
"""

_REST = """
# [budget]                              # a hard stop, for all editors together
# edits_per_day = 2000
# tokens_per_day = 5000000

# [review]
# accept_on = "save"                    # save: saving accepts undecided edits | never

# [format]                              # formatters for answers; "twospeed doctor" lists those it finds
# python = ["ruff", "format", "--stdin-filename", "{file}", "-"]
"""

_EXAMPLE = "cerebras"


def starter_text(findings: Sequence[ProviderFinding]) -> str:
    """Return the file, with the keys and servers that were found."""
    return "".join(_parts(findings))


def _parts(findings: Sequence[ProviderFinding]) -> Iterator[str]:
    yield _HEAD
    yield from (f"# {line}\n" for line in list(findings_lines(findings))[1:])
    usable = next((each for each in findings if not each.trouble and _models_of(each)), None)
    provider = usable.provider if usable else _EXAMPLE
    fast, deep = (_models_of(usable) if usable else None) or _models_in_table(_EXAMPLE)
    yield _LANES.format(provider=provider, fast=_quoted(fast), deep=_quoted(deep))
    yield _REST


def _models_of(finding: ProviderFinding) -> tuple[str, str] | None:
    if finding.models:
        return finding.models[0], finding.models[0]
    return _models_in_table(finding.provider) if PROVIDERS[finding.provider].fast_model else None


def _models_in_table(provider: str) -> tuple[str, str]:
    return PROVIDERS[provider].fast_model, PROVIDERS[provider].deep_model


def _quoted(name: str) -> str:
    return json.dumps(name)
