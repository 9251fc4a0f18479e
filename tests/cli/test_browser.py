"""``twospeed web --open``: the browser is started, and its command line has no token."""

from __future__ import annotations

import queue
import re
import stat
import threading
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from twospeed.cli.browser import browser_opener

ADDRESS = "http://127.0.0.1:4000/#0123456789abcdef"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> queue.SimpleQueue[str]:
    urls: queue.SimpleQueue[str] = queue.SimpleQueue()
    monkeypatch.setattr(webbrowser, "open", urls.put)  # which returns None: no browser was started
    return urls


@pytest.mark.security("R6")
def test_the_browser_gets_a_private_file_that_leads_to_the_address(started):
    with browser_opener() as open_address:
        open_address(ADDRESS)
        url = started.get(timeout=10)
        file = Path(unquote(urlsplit(url).path))
        assert url.startswith("file://")
        assert "0123456789abcdef" not in url
        assert f"url={ADDRESS}" in file.read_text("utf-8")
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert not file.parent.exists()


def test_without_a_browser_the_user_is_asked_to_open_the_address(started, capfd):
    with browser_opener() as open_address:
        open_address(ADDRESS)
        started.get(timeout=10)
        for thread in threading.enumerate():
            if thread.name == "browser":
                thread.join(10)
    assert re.fullmatch(r"twospeed: no browser could be started; .*\n", capfd.readouterr().err)
