"""Freed memory is returned to the system from time to time, never on the thread that made a tree."""

from __future__ import annotations

import ctypes
import queue
import sys
import threading
from types import SimpleNamespace

import pytest

from twospeed.syntax.trees.allocator import CHURN_BYTES, INTERVAL_S, HeapTrimmer, trim_heap


def test_the_heap_is_trimmed_in_a_thread_after_enough_trees() -> None:
    now = 100.0
    trimmed_by: queue.Queue[threading.Thread] = queue.Queue()
    trimmer = HeapTrimmer(lambda: trimmed_by.put(threading.current_thread()), lambda: now)
    for _ in range(9):
        trimmer.count_tree(CHURN_BYTES)
    assert trimmed_by.empty()
    now += INTERVAL_S
    trimmer.count_tree(1)
    assert trimmed_by.get(timeout=10) is not threading.current_thread()
    now += INTERVAL_S
    trimmer.count_tree(CHURN_BYTES - 1)
    assert trimmed_by.empty()
    trimmer.count_tree(1)
    thread = trimmed_by.get(timeout=10)
    assert (thread.name, thread.daemon) == ("trim", True)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc")
def test_trimming_raises_no_error() -> None:
    trim_heap()


def test_only_glibc_is_called_to_trim_the_heap(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    libraries = {"glibc": SimpleNamespace(malloc_trim=asked.append), "musl": SimpleNamespace()}
    for platform, library, wanted in (
        ("linux", "glibc", [0]),
        ("linux", "musl", []),
        ("darwin", "glibc", []),
    ):
        monkeypatch.setattr(sys, "platform", platform)
        monkeypatch.setattr(ctypes, "CDLL", lambda name, library=library: libraries[library])
        trim_heap()
        assert asked == wanted, (platform, library)
        asked.clear()
