"""Each mutant applies to the current code; ``make mutants`` shows whether the tests catch it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mutants.catalogue import MUTANTS, Mutant

import twospeed

PACKAGE = Path(twospeed.__file__).parent


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_text_of_a_mutant_occurs_once_in_its_module(mutant: Mutant) -> None:
    assert (PACKAGE / mutant.file).read_text("utf-8").count(mutant.text) == 1
