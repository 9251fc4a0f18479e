"""Simulated sessions keep every promise; `tests.simulation.watch` checks them.

`.ci/run` simulates these seeds and many more after the tests: ``make simulate RUNS=3000 SEED=0``.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.simulation.many import run_seeds
from tests.simulation.planted import PLANTED, Planted
from tests.simulation.profiles import PROFILES
from tests.simulation.session import run

import twospeed

N_RUNS = 75

WITH_THREADS = (148, 207, 302)
"""Seeds of sessions in which the server merges the parts of an answer, or parses ahead, in a thread."""


@pytest.mark.parametrize("number", range(len(PROFILES)), ids=[profile.name for profile in PROFILES])
def test_the_server_keeps_every_promise_with_each_editor(number: int) -> None:
    tally = run_seeds(range(number, N_RUNS, len(PROFILES)), stops=True)
    for seed, _, why in tally.broken:
        pytest.fail(f"{why}\nIts trace: make simulate RUNS=1 SEED={seed}")
    assert not tally.why_too_cautious


@pytest.mark.parametrize("seed", range(0, 60, 13))
def test_a_seed_repeats_its_trace(seed: int) -> None:
    assert run(seed).trace == run(seed).trace


@pytest.mark.parametrize("seed", WITH_THREADS)
def test_a_session_starts_no_thread(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(threading.Thread, "start", lambda thread: started.append(thread.name))
    assert run(seed).error is None
    assert started == []


@pytest.mark.parametrize("planted", PLANTED, ids=[planted.mistake.name for planted in PLANTED])
def test_the_text_of_a_planted_bug_occurs_once_in_its_module(planted: Planted) -> None:
    text = Path(twospeed.__file__).parent.joinpath(planted.mistake.file).read_text("utf-8")
    assert text.count(planted.mistake.text) == 1
