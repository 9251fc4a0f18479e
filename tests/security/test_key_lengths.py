"""The minimum length of a key after a provider's prefix."""

from __future__ import annotations

import pytest

from twospeed.secrets.search import find_secrets

LEAST = {
    "Google key": ("AIza", 30),
    "Hugging Face token": ("api_org_", 34),
    "Vault token": ("hvs.", 20),
    "Tencent key": ("AKID", 28),
    "Artifactory key": ("AKCp", 40),
    "EasyPost key": ("EZAK", 30),
    "Frame.io token": ("fio-u-", 30),
    "Heroku key": ("HRKU-", 30),
    "Netlify token": ("nfp_", 30),
    "Typeform token": ("tfp_", 30),
    "CircleCI token": ("CCIPAT_", 30),
    "Buildkite token": ("bkua_", 30),
    "Contentful token": ("CFPAT-", 30),
    "Prefect key": ("pnu_", 30),
    "Duffel token": ("duffel_live_", 30),
}
"""One prefix of each kind, and the fewest characters that follow it in a key."""


def names_in(text: str) -> set[str]:
    return {each.name for each in find_secrets(text)}


@pytest.mark.security("R7")
@pytest.mark.parametrize("name", LEAST)
def test_a_key_has_at_least_its_minimal_length(name: str) -> None:
    prefix, least = LEAST[name]
    body = "aBcDeFgHiJkLmNoPqRsTuVwXyZ" * 2
    assert name in names_in(f"see {prefix}{body[:least]} there")
    assert name not in names_in(f"see {prefix}{body[: least - 1]} there")
