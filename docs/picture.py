"""Make the README's pictures: run the demo, and record the terminal view.

The pictures show real edits by the real server; the two speeds are simulated as in the demo. Figures differ
between runs, so no test compares pictures.

Run it with ``.venv/bin/python docs/picture.py``.
"""  # noqa: INP001  # a script, not a package

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO
from unittest.mock import patch

from rich.console import Console, Group, RenderableType

from twospeed.cli import demo
from twospeed.cli.edit.live_diff import LiveView
from twospeed.cli.exits import OK
from twospeed.cli.render import ShownResult

FOLDER = Path(__file__).parent
WIDTH = 88
WINDOW_HEIGHT = 18
DEEP_SHOT_S = 3.0
"""Time of the picture of the slow edit, when about half of it is written."""

_WEB_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_FONTS = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'


class Camera(LiveView):
    """A live view that keeps each frame with its time in seconds."""

    def __init__(self, path: Path) -> None:
        self.film = _film()
        self.frames: list[tuple[float, Group]] = []
        self._loaded_at = time.monotonic()
        super().__init__(path, console=self.film)

    def frame(self) -> Group:
        """Keep the painted frame."""
        frame = super().frame()
        self.frames.append((time.monotonic() - self._loaded_at, frame))
        return frame

    def finished(self, ending: ShownResult) -> None:
        """Keep the last frame before the whole diff replaces the window."""
        self.frame()
        super().finished(ending)

    def frame_at(self, seconds: float) -> Group:
        """Return the frame on the screen at a time."""
        return [frame for at, frame in self.frames if at <= seconds][-1]


def main() -> int:
    """Run the demo, write the pictures, and return the demo's exit status."""
    cameras: list[Camera] = []

    def view_for(_output: TextIO, path: Path) -> Camera:
        cameras.append(Camera(path))
        return cameras[-1]

    with patch.object(demo, "view_for", view_for):
        status = demo.main()
    if status == OK:
        real, lightning, deep = cameras
        command = f'twospeed edit {demo.BUILTIN_TARGET} "{demo.BUILTIN_INSTRUCTION}" --write'
        write_svg(real.film, "edit.svg", title=command)
        shots = (lightning.frames[-1][1], "", deep.frame_at(DEEP_SHOT_S))
        write_svg(_printed(shots), "two-speeds.svg", title="one recorded answer at two speeds (simulated)")
    return status


def _film() -> Console:
    return Console(
        file=io.StringIO(), record=True, width=WIDTH, height=WINDOW_HEIGHT, highlight=False, emoji=False
    )


def _printed(shots: Sequence[RenderableType]) -> Console:
    film = _film()
    for shot in shots:
        film.print(shot)
    return film


def write_svg(film: Console, name: str, *, title: str) -> None:
    """Write a picture that loads nothing and keeps its indentation in every viewer."""
    svg = film.export_svg(title=title, unique_id=Path(name).stem)
    svg = _WEB_FONT.sub("", svg).replace("Fira Code, monospace", _FONTS)
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)
    (FOLDER / name).write_text(svg, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
