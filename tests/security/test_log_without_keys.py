"""The log and the last output of a process are private and contain neither keys nor exception texts."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.security.key_formats import KEY_FORMATS

from twospeed.lsp import log

pytestmark = pytest.mark.security("R7")

KEY = KEY_FORMATS["azure"]  # found by nothing but its being known
SHAPED = KEY_FORMATS["openai"]

PRELUDE = f"""
import asyncio, logging, sys, threading
from twospeed.lsp.log import open_log
from twospeed.models.keys.secret import Secret
open_log()
key = Secret({KEY!r}, name="LAB_API_KEY", origins=[])
text = {f"{KEY} and {SHAPED}"!r}
logger = logging.getLogger("twospeed.x")
"""


IN_A_TASK = """
async def f():
    raise ValueError(text)
async def main():
    asyncio.create_task(f(), name=text)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
asyncio.run(main())
"""
IN_A_CALLBACK = """
def f(value):
    raise ValueError(value)
async def main():
    asyncio.get_running_loop().call_soon(f, text)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
asyncio.run(main(), debug=True)
"""
IN_A_FUTURE = """
async def main():
    asyncio.get_running_loop().create_future().set_exception(ValueError(text))
asyncio.run(main(), debug=True)
"""


def run(program: str, **environ: str) -> tuple[str, str]:
    """Run a program after the prelude; return its stderr and its log."""
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + program],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environ},
        check=False,
    )
    assert done.stdout == ""
    path = log.log_path()
    return done.stderr, path.read_text("utf-8") if path.exists() else ""


def check_hidden(*texts: str) -> None:
    for text in texts:
        assert KEY not in text
        assert SHAPED not in text


@pytest.mark.parametrize(
    "program",
    [
        "logger.error(text)",
        "logger.warning('%s %r', text, [text])",
        "logger.info('%(a)s', {'a': text})",
        "logger.error('headers', stack_info=True)\nlogger.error(f'Authorization: Bearer {text}')",
    ],
)
def test_a_log_record_has_no_keys(program: str) -> None:
    stderr, written = run(program)
    assert stderr == ""
    assert "***" in written
    check_hidden(written)


@pytest.mark.parametrize(
    "program",
    [
        "logger.debug(text)",
        "logging.getLogger('pygls').error(text)",
        "logging.getLogger('aiohttp.client').warning(text)",
        "logging.getLogger('keyring').error(text)",
        "logging.error(text)",
        "logging.getLogger('asyncio').warning('Executing %s took 3 seconds', text)",
    ],
)
def test_debug_records_and_records_of_libraries_are_not_logged(program: str) -> None:
    assert run(program) == ("", "")


@pytest.mark.parametrize(
    ("program", "is_on_stderr"),
    [
        ("try:\n    raise ValueError(text)\nexcept ValueError:\n    logger.exception('failed')", False),
        ("def f(local=text):\n    raise ValueError(text)\nf()", True),
        ("raise ValueError(text) from KeyError(text)", True),
        ("def f():\n    raise ValueError(text)\nt = threading.Thread(target=f)\nt.start()\nt.join()", True),
        ("class X:\n    def __del__(self):\n        raise ValueError(text)\nX()", True),
        (IN_A_TASK, False),
        (IN_A_CALLBACK, False),
        (IN_A_FUTURE, False),
    ],
    ids=["logged", "uncaught", "chained", "thread", "finalizer", "task", "callback", "future"],
)
@pytest.mark.parametrize("environ", [{}, {"PYTHONDEVMODE": "1"}], ids=["plain", "development mode"])
def test_an_error_is_logged_with_its_type_and_places_only(
    program: str, is_on_stderr: bool, environ: dict[str, str]
) -> None:
    stderr, written = run(program, **environ)
    check_hidden(stderr, written)
    assert "ValueError at " in written
    assert ("ValueError at " in stderr) is is_on_stderr
    assert "Traceback" not in stderr + written


def test_log_rotation_keeps_five_private_files_and_follows_no_link(
    tmp_path: Path,
) -> None:
    path, target = log.log_path(), tmp_path / "target"
    target.write_text("precious\n")
    path.parent.mkdir(parents=True)
    path.write_text("older, and open to all\n")
    path.chmod(0o644)
    for number in range(1, 5):
        path.with_name(f"server.log.{number}").symlink_to(target)
    run("line = 'x' * 100_000\nfor _ in range(130):\n    logger.error(line)")
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["server.log", *(f"server.log.{n}" for n in range(1, 5))]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert target.read_text() == "precious\n"
    assert not any(file.is_symlink() for file in files)
    assert all(file.stat().st_size <= log.MAX_BYTES == 2 * 1024 * 1024 for file in files)


def test_a_link_at_the_path_of_the_log_is_not_followed(tmp_path: Path) -> None:
    path, target = log.log_path(), tmp_path / "target"
    path.parent.mkdir(parents=True)
    target.write_text("precious\n")
    path.symlink_to(target)
    assert run("logger.error('written')") == ("", "precious\n")
    assert target.read_text() == "precious\n"


def test_the_log_is_disabled_without_a_folder(home: Path) -> None:
    log.log_path().parent.parent.mkdir(parents=True, exist_ok=True)
    log.log_path().parent.write_text("a file where the folder should be")
    done = subprocess.run(
        [sys.executable, "-c", f"{PRELUDE}logger.error(text)"], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")
