"""Make the picture of a refused answer in Neovim, with a real server and a model that omits lines.

The picture is drawn from Neovim's drawing instructions. Run it with ``.venv-nvim/bin/python
docs/neovim_picture.py`` after ``make test-nvim``, which creates that environment.
"""  # noqa: INP001  # a script, not a package

from __future__ import annotations

import asyncio
import io
import itertools
import os
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))

from picture import write_svg  # noqa: E402
from tests.editors.nvim.editor_session import EditorSession, editor_session  # noqa: E402
from tests.editors.nvim.neovim import Neovim  # noqa: E402

from twospeed.testing.script import Script  # noqa: E402

WIDTH, HEIGHT = 112, 20
REQUESTS = 2
"""The server repeats the request after an answer that omits lines."""

OLD = '''\
"""What a basket costs."""

RATE = 0.2


def total(items, tax=RATE):
    result = 0
    for item in items:
        price = item.price
        result += price
    result *= 1 + tax
    return result
'''
ANSWER = '''\
I left the taxes as they are.

```python
def total(items, tax=RATE):
    """Add up the prices, each times its count."""
    result = 0
    for item in items:
        result += item.price * item.count
    # ... the rest as before
    return round(result, 2)
```
'''
DISPLAY_OPTIONS = """
vim.o.number = true
vim.o.statusline = "%f %m%= %{v:lua.require'twospeed'.statusline()} %l:%c"
"""


class Screen:
    """The screen that Neovim draws; source: ``:help ui-linegrid``."""

    def __init__(self) -> None:
        self.n_flushes = 0
        self._colors = {"foreground": 0xFFFFFF, "background": 0}
        self._highlights: dict[int, dict[str, Any]] = {0: {}}
        self._cells: list[list[tuple[str, int]]] = []

    def take(self, batches: list[Any]) -> None:
        """Execute the supported drawing instructions."""
        for name, *calls in batches:
            if draw := getattr(self, f"_{name}", None):
                for call in calls:
                    draw(*call)

    def _flush(self) -> None:
        self.n_flushes += 1

    def _default_colors_set(self, foreground: int, background: int, *_: Any) -> None:
        self._colors = {"foreground": foreground, "background": background}

    def _hl_attr_define(self, number: int, highlight: dict[str, Any], *_: Any) -> None:
        self._highlights[number] = highlight

    def _grid_resize(self, _grid: int, width: int, height: int) -> None:
        self._cells = [[(" ", 0)] * width for _ in range(height)]

    def _grid_clear(self, _grid: int) -> None:
        self._cells = [[(" ", 0)] * len(row) for row in self._cells]

    def _grid_line(self, _grid: int, row: int, column: int, cells: list[Any], *_: Any) -> None:
        highlight = 0
        for text, *more in cells:
            highlight = more[0] if more else highlight
            for _ in range(more[1] if len(more) > 1 else 1):
                self._cells[row][column] = (text, highlight)
                column += 1

    def _grid_scroll(
        self, _grid: int, top: int, bottom: int, left: int, right: int, rows: int, _columns: int
    ) -> None:
        moved = range(top, bottom - rows) if rows > 0 else range(bottom - 1, top - rows - 1, -1)
        for row in moved:
            self._cells[row][left:right] = self._cells[row + rows][left:right]

    def text(self) -> Text:
        """Return the screen's text with its colors."""
        rows = []
        for row in self._cells:
            runs = itertools.groupby(row, key=lambda cell: cell[1])
            parts = [
                ("".join(text for text, _ in cells), self._style(self._highlights[highlight]))
                for highlight, cells in runs
            ]
            rows.append(Text.assemble(*parts))
        return Text("\n").join(rows)

    def _style(self, highlight: dict[str, Any]) -> Style:
        foreground, background = (
            f"#{highlight.get(name, self._colors[name]):06x}" for name in ("foreground", "background")
        )
        if highlight.get("reverse"):
            foreground, background = background, foreground
        return Style(
            color=Color.parse(foreground),
            bgcolor=Color.parse(background),
            bold=highlight.get("bold"),
            italic=highlight.get("italic"),
        )


async def show(session: EditorSession, screen: Screen) -> None:
    """Run an edit that is refused, and show its answer."""
    await session.nvim.lua(DISPLAY_OPTIONS)
    await session.nvim.request("nvim_ui_try_resize", WIDTH, HEIGHT)
    await session.nvim.typed("<Esc>:7<CR>:Twospeed edit count the items<CR>")
    await session.nvim.wait_until(lambda: session.events_of("notification") != [])
    await session.nvim.lua(
        "vim.api.nvim_create_autocmd('BufWinEnter', { pattern = 'twospeed://*',"
        " callback = function(given) vim.rpcnotify(0, 'event', 'shown', given.file) end })"
    )
    await session.nvim.typed(":Twospeed show-answer<CR>")
    await session.nvim.wait_until(lambda: session.events_of("shown") != [])
    n_flushes = screen.n_flushes
    await session.nvim.lua("vim.cmd('redraw!')")
    await session.nvim.wait_until(lambda: screen.n_flushes > n_flushes)


async def main() -> None:
    """Write ``pictures/neovim-refused.svg``."""
    screen = Screen()
    with (
        tempfile.TemporaryDirectory() as home,
        patch.object(Neovim, "draw", lambda _, batches: screen.take(batches)),
    ):
        homes = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
        with patch.dict(os.environ, dict.fromkeys(homes, home)):
            async with editor_session(Path(home), OLD.encode(), *[Script(ANSWER)] * REQUESTS) as session:
                await show(session, screen)
                film = Console(
                    file=io.StringIO(), record=True, width=WIDTH, height=HEIGHT, highlight=False, emoji=False
                )
                film.print(screen.text())
    write_svg(film, "pictures/neovim-refused.svg", title=":Twospeed show-answer")


if __name__ == "__main__":
    asyncio.run(main())
