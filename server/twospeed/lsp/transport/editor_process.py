"""Detects the end of the editor's process, also if another process holds its pipe open.

LSP 3.17, ``InitializeParams.processId``: "If the parent process is not alive then the server should exit".
An editor outside of this server's container names a process that is invisible here, so a process counts only if it was
alive when the editor named it (`is_alive`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

POLL_S = 1.0


async def exit_of(process_id: int) -> None:
    """Wait until a process has ended; one that has ended and was not waited for yet (a zombie) counts."""
    descriptor = _open_process(process_id)
    if descriptor is not None:
        await _readable(descriptor)
    while is_alive(process_id):  # noqa: ASYNC110 - no event tells it where there is no descriptor
        await asyncio.sleep(POLL_S)


def _open_process(process_id: int) -> int | None:
    """Return a pidfd of a process, which Linux makes readable when it ends; ``None`` without pidfds or the process."""
    with contextlib.suppress(OSError):
        if hasattr(os, "pidfd_open"):
            return os.pidfd_open(process_id)
    return None


async def _readable(descriptor: int) -> None:
    loop, news = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(descriptor, news.set)
        await news.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


if sys.platform == "win32":

    def is_alive(process_id: int) -> bool:
        """Return whether there is a process of this id here that has not ended."""
        import ctypes  # noqa: PLC0415 - os.kill would end the process there

        synchronize, timed_out = 0x00100000, 0x102
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        handle = kernel.OpenProcess(synchronize, False, process_id)
        if not handle:
            return False
        try:
            return bool(kernel.WaitForSingleObject(handle, 0) == timed_out)
        finally:
            kernel.CloseHandle(handle)

else:

    def is_alive(process_id: int) -> bool:
        """Return whether there is a process of this id here that has not ended."""
        try:
            os.kill(process_id, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except OSError:
            return True  # another user's, and there
        return not _is_zombie(process_id)

    def _is_zombie(process_id: int) -> bool:
        with contextlib.suppress(OSError, IndexError), open(f"/proc/{process_id}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b")")[2].split()[0] == b"Z"
        return False
