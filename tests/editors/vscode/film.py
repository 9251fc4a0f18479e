"""A film of a page: an animated WebP in real time, from the screenshots of `page_process.mjs`."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Self

from PIL import Image

FRAMES_PER_S = 15


class Film:
    """A recording of the page while the context is open.

    Args:
        folder: The folder of the screenshots, named after their times; it has at least one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._began_at = self._ended_at = 0.0

    def __enter__(self) -> Self:
        self._began_at = time.time()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended_at = time.time()

    def develop(self, path: Path, top: int) -> None:
        """Write the part of the page below `top` pixels as an endless film in real time."""
        frames: list[Image.Image] = []
        durations_ms: list[int] = []
        for screenshot, ms in self._frames():
            whole = Image.open(screenshot).convert("RGB")
            frame = whole.crop((0, top, *whole.size))
            if frames and frame == frames[-1]:
                durations_ms[-1] += ms
            else:
                frames.append(frame)
                durations_ms.append(ms)
        first, *others = frames
        first.save(
            path,
            save_all=True,
            append_images=others,
            duration=durations_ms,
            loop=0,
            lossless=True,
            method=6,
            minimize_size=True,
        )

    def _frames(self) -> list[tuple[Path, int]]:
        """Return the newest screenshot at each frame, with the duration of the frame in milliseconds."""
        screenshots = sorted((float(path.stem), path) for path in self._folder.glob("*.png"))
        count = round((self._ended_at - self._began_at) * FRAMES_PER_S)
        moments_ms = [round(1000 * number / FRAMES_PER_S) for number in range(count + 1)]
        return [
            ([path for at, path in screenshots if at <= self._began_at + begin / 1000][-1], end - begin)
            for begin, end in pairwise(moments_ms)
        ]
