"""The editor's process is checked on Windows through kernel calls, here of a fake kernel."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from collections.abc import Callable

import pytest

from twospeed.lsp.transport import editor_process

TIMED_OUT, ENDED, FAILED = 0x102, 0, 0xFFFFFFFF


class Kernel:
    def __init__(self, handle: int, waited: int) -> None:
        self.calls: list[tuple[object, ...]] = []
        self._handle, self._waited = handle, waited

    def OpenProcess(self, *arguments: object) -> int:  # noqa: N802
        self.calls.append(("OpenProcess", *arguments))
        return self._handle

    def WaitForSingleObject(self, *arguments: object) -> int:  # noqa: N802
        self.calls.append(("WaitForSingleObject", *arguments))
        return self._waited

    def CloseHandle(self, *arguments: object) -> int:  # noqa: N802
        self.calls.append(("CloseHandle", *arguments))
        return 1


@pytest.fixture
def is_alive(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], bool]:
    monkeypatch.setattr(sys, "platform", "win32")
    spec = importlib.util.spec_from_file_location("editor_process_on_windows", editor_process.__file__)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.is_alive


@pytest.mark.parametrize(
    ("handle", "waited", "expected", "calls"),
    [
        (0, TIMED_OUT, False, ["OpenProcess"]),
        (7, TIMED_OUT, True, ["OpenProcess", "WaitForSingleObject", "CloseHandle"]),
        (7, ENDED, False, ["OpenProcess", "WaitForSingleObject", "CloseHandle"]),
        (7, FAILED, False, ["OpenProcess", "WaitForSingleObject", "CloseHandle"]),
    ],
)
def test_a_process_that_can_be_opened_and_has_not_ended_is_alive(
    is_alive: Callable[[int], bool],
    monkeypatch: pytest.MonkeyPatch,
    handle: int,
    waited: int,
    expected: bool,
    calls: list[str],
) -> None:
    kernel, asked_for = Kernel(handle, waited), []

    def library(*arguments: object, **options: object) -> Kernel:
        asked_for.append((arguments, options))
        return kernel

    monkeypatch.setattr(ctypes, "WinDLL", library, raising=False)
    assert is_alive(4711) is expected
    may_wait = 0x00100000
    with_arguments = {
        "OpenProcess": ("OpenProcess", may_wait, False, 4711),
        "WaitForSingleObject": ("WaitForSingleObject", handle, 0),
        "CloseHandle": ("CloseHandle", handle),
    }
    assert kernel.calls == [with_arguments[name] for name in calls]
    assert asked_for == [(("kernel32",), {"use_last_error": True})]


@pytest.mark.parametrize("process_id", [0, -1, 2**32, 2**32 + 4711, 2**70])
def test_a_number_that_is_no_process_id_is_not_alive(
    is_alive: Callable[[int], bool], monkeypatch: pytest.MonkeyPatch, process_id: int
) -> None:
    kernel = Kernel(7, TIMED_OUT)
    monkeypatch.setattr(ctypes, "WinDLL", lambda *_, **__: kernel, raising=False)
    assert is_alive(process_id) is False
    assert kernel.calls == []
