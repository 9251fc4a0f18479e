"""The Emacs package compiles without a warning, passes checkdoc, and passes its ERT tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.editors.emacs.emacs import HERE, PACKAGE, needs_emacs, program

pytestmark = needs_emacs

FILES = sorted(path.name for path in PACKAGE.glob("*.el"))

CHECKDOC = """
(progn
  (require 'checkdoc)
  (setq checkdoc-verb-check-experimental-flag nil)
  (let (found)
    (setq checkdoc-create-error-function
          (lambda (text start _end &optional _)
            (push (format "%s:%s: %s" (buffer-name) (and start (line-number-at-pos start)) text) found)
            nil))
    (dolist (file command-line-args-left)
      (with-current-buffer (find-file-noselect file)
        (checkdoc-current-buffer t)))
    (mapc #'message found)
    (kill-emacs (if found 1 0))))
"""


def batch(folder: Path, *arguments: str) -> str:
    """Run Emacs in batch mode; return its output."""
    done = subprocess.run(
        [str(program()), "-Q", "--batch", "-L", ".", *arguments],
        cwd=folder,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile a copy of the package; a warning is an error."""
    folder = tmp_path_factory.mktemp("package")
    for name in FILES:
        shutil.copy(PACKAGE / name, folder)
    batch(folder, "--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile", *FILES)
    return folder


def test_every_file_compiles_without_a_warning(package: Path) -> None:
    assert {path.stem for path in package.glob("*.elc")} == {Path(name).stem for name in FILES}


def test_checkdoc_finds_no_fault() -> None:
    batch(PACKAGE, "--eval", CHECKDOC, *FILES)


def test_package_headers_name_package_version_and_requirements() -> None:
    output = batch(
        PACKAGE,
        "--eval",
        '(progn (require \'package) (with-temp-buffer (insert-file-contents "twospeed.el")'
        " (let ((found (package-buffer-info))) (princ (list (package-desc-name found)"
        " (package-desc-version found) (package-desc-reqs found))))))",
    )
    assert output == "(twospeed (0 1 0) ((emacs (28 1))))"


def test_no_file_is_longer_than_four_hundred_lines() -> None:
    lengths = {name: len((PACKAGE / name).read_text("utf-8").splitlines()) for name in FILES}
    assert {name for name, length in lengths.items() if length > 400} == set()


def test_ert_tests_of_positions_changes_and_edits_pass(package: Path) -> None:
    output = batch(package, "-l", str(HERE / "twospeed-tests.el"), "-f", "ert-run-tests-batch-and-exit")
    assert "0 unexpected" in output
