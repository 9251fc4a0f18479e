"""Opens an address with a token in the user's browser.

Other users of the machine can read the command line of a browser. So it gets the path of a file that only this user can read,
and the file leads to the address.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

from .visible import complain

_DOCUMENT = """\
<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0;url={address}">
<title>twospeed</title>
<a href="{address}">Open the page</a>
"""


@contextlib.contextmanager
def browser_opener() -> Iterator[Callable[[str], None]]:
    """Yield a function that opens an address; the file exists until the context closes."""
    with tempfile.TemporaryDirectory(prefix="twospeed-") as folder:  # mode 0700

        def open_address(address: str) -> None:
            file = Path(folder) / "open.html"
            file.write_text(_DOCUMENT.format(address=escape(address)), encoding="utf-8")
            # In a thread: a browser in the terminal runs until the user leaves it.
            threading.Thread(target=_open, args=(file.as_uri(),), name="browser", daemon=True).start()

        yield open_address


def _open(url: str) -> None:
    if not webbrowser.open(url):
        complain("no browser could be started; open the printed address yourself")
