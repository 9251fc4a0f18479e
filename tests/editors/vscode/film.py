"""A film of a page, from the pictures that `hands.mjs` takes of it: an animated WebP that keeps the page's own time."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Self

from PIL import Image

FRAMES_PER_S = 15


class Film:
    """What the page shows while the block runs.

    Args:
        folder: Where the pictures arrive, named after their moments; one of them has arrived by now.
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
        """Write what was on the page below so many pixels; it plays for ever, as fast as it was."""
        frames: list[Image.Image] = []
        lasting_ms: list[int] = []
        for shot, ms in self._shots():
            whole = Image.open(shot).convert("RGB")
            frame = whole.crop((0, top, *whole.size))
            if frames and frame == frames[-1]:
                lasting_ms[-1] += ms
            else:
                frames.append(frame)
                lasting_ms.append(ms)
        first, *others = frames
        first.save(
            path,
            save_all=True,
            append_images=others,
            duration=lasting_ms,
            loop=0,
            lossless=True,
            method=6,
            minimize_size=True,
        )

    def _shots(self) -> list[tuple[Path, int]]:
        """Pick what the page looked like at each moment, and say how many milliseconds it is to last."""
        taken = sorted((float(path.stem), path) for path in self._folder.glob("*.png"))
        count = round((self._ended_at - self._began_at) * FRAMES_PER_S)
        moments_ms = [round(1000 * number / FRAMES_PER_S) for number in range(count + 1)]
        return [
            ([path for at, path in taken if at <= self._began_at + begin / 1000][-1], end - begin)
            for begin, end in pairwise(moments_ms)
        ]
