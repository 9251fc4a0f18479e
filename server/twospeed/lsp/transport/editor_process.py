"""Detects the end of the client's process (LSP 3.17, ``InitializeParams.processId``), even if its pipe stays open.

A client outside our container sends an id that is unknown here, so an id counts only if it was alive at ``initialize``.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

POLL_S = 1.0

_MAX_PROCESS_ID = 0xFFFFFFFF
"""On Windows, where an id has 32 bits."""


async def exit_of(process_id: int) -> None:
    """Wait until a process has ended; a zombie has ended."""
    descriptor = _open_process(process_id)
    if descriptor is not None:
        await _readable(descriptor)
    while is_alive(process_id):  # noqa: ASYNC110 - without a descriptor there is no event
        await asyncio.sleep(POLL_S)


def _open_process(process_id: int) -> int | None:
    # Linux makes a pidfd readable when its process ends.
    with contextlib.suppress(OSError):
        if hasattr(os, "pidfd_open"):
            return os.pidfd_open(process_id)
    return None


async def _readable(descriptor: int) -> None:
    loop, is_readable = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(descriptor, is_readable.set)
        await is_readable.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


if sys.platform == "win32":

    def is_alive(process_id: int) -> bool:
        """Return whether a process with this id runs here."""
        import ctypes  # noqa: PLC0415 - os.kill would end the process there

        synchronize, timed_out = 0x00100000, 0x102
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        if not 0 < process_id <= _MAX_PROCESS_ID:  # ctypes would raise, or use the lower bits
            return False
        handle = kernel.OpenProcess(synchronize, False, process_id)
        if not handle:
            return False
        try:
            return bool(kernel.WaitForSingleObject(handle, 0) == timed_out)
        finally:
            kernel.CloseHandle(handle)

else:

    def is_alive(process_id: int) -> bool:
        """Return whether a process with this id runs here."""
        try:
            os.kill(process_id, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except OSError:
            return True  # it belongs to another user
        return not _is_zombie(process_id)

    def _is_zombie(process_id: int) -> bool:
        with contextlib.suppress(OSError, IndexError), open(f"/proc/{process_id}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b")")[2].split()[0] == b"Z"
        return False
