"""The Emacs package as MELPA builds it: its recipe, `package-lint` and `checkdoc`, and an installation from the built file."""

from __future__ import annotations

import re
import shutil
import tarfile
from pathlib import Path

from release.recipes import melpa_recipe
from tests.release.common import DIST, PROJECT, ROOT, URL, CheckFailed, NotRun, empty_folder, needed, run

SOURCES = ROOT / "editors" / "emacs"
VERSION = PROJECT["version"]
INSTALL = "on Debian and Ubuntu: apt-get install emacs-nox elpa-package-lint"

# package-lint 0.16 knows no release after Emacs 27, so it finds that none has the required version.
OUTDATED = "uninstallable in all released Emacs versions"

LINT = '(progn (package-initialize) (require \'package-lint) (setq package-lint-main-file "twospeed.el"))'
CHECKDOC = """
(let (found)
  (require 'checkdoc)
  (setq checkdoc-verb-check-experimental-flag nil)
  (setq checkdoc-create-error-function
        (lambda (text start _end &optional _)
          (push (format "%s:%s: %s" (buffer-name) (and start (line-number-at-pos start)) text) found)
          nil))
  (dolist (file command-line-args-left)
    (with-current-buffer (find-file-noselect file) (checkdoc-current-buffer t)))
  (mapc #'message found)
  (kill-emacs (if found 1 0)))
"""
LOAD = """
(progn
  (package-initialize)
  (require 'twospeed)
  (princ (list (symbol-file 'twospeed-mode) (commandp 'twospeed-edit))))
"""


def recipe() -> str:
    """Write the recipe; the files that it names are the files of the client."""
    text = melpa_recipe(URL)
    path = DIST / "melpa" / "twospeed"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    [pattern] = re.findall(r':files \("([^"]+)"\)', text)
    if set(ROOT.glob(pattern)) != set(SOURCES.iterdir()) - {SOURCES / "README.md"}:
        raise CheckFailed(f"{pattern} does not name the files of the client")
    return str(path.relative_to(ROOT))


def lint() -> str:
    """Run `package-lint` and `checkdoc`, with the address of the project in the header."""
    emacs = needed("emacs", INSTALL)
    with empty_folder() as folder:
        names = _sources_with_url(folder)
        if not _has_lint(emacs, folder):
            raise NotRun(f"package-lint is not installed ({INSTALL})")
        command = (emacs, "-q", "--batch", "-L", ".")
        never_failing = "(setq package-lint-batch-fail-on-warnings nil)"
        output = run(
            *command,
            "--eval",
            LINT,
            "--eval",
            never_failing,
            "-f",
            "package-lint-batch-and-exit",
            *names,
            cwd=folder,
        )
        if found := [
            line for line in output.splitlines() if re.match(r"\S+\.el:\d", line) and OUTDATED not in line
        ]:
            raise CheckFailed("\n".join(found))
        run(*command, "--eval", CHECKDOC, *names, cwd=folder)
        return f"{len(names)} files without a finding"


def installation() -> str:
    """Install the package from a built file into an empty Emacs, without a warning of the compiler, and load it."""
    emacs = needed("emacs", INSTALL)
    archive = DIST / f"twospeed-{VERSION}.tar"
    with empty_folder() as folder:
        contents = folder / f"twospeed-{VERSION}"
        contents.mkdir()
        _sources_with_url(contents)
        header = (contents / "twospeed.el").read_text("utf-8")
        [summary] = re.findall(r"^;;; twospeed\.el --- (.*?)  -\*-", header)
        [needs] = re.findall(r"^;; Package-Requires: (.*)$", header, re.MULTILINE)
        (contents / "twospeed-pkg.el").write_text(
            f'(define-package "twospeed" "{VERSION}" "{summary}" \'{needs} :url "{URL}")\n', "utf-8"
        )
        with tarfile.open(archive, "w", format=tarfile.USTAR_FORMAT) as tar:
            for path in sorted(contents.iterdir()):
                tar.add(path, f"{contents.name}/{path.name}")
        install = f'(progn (package-initialize) (package-install-file "{archive}"))'
        output = run(emacs, "-q", "--batch", "--eval", install, cwd=folder)
        if warnings := [line for line in output.splitlines() if re.search(r"\b(?:Warning|Error):", line)]:
            raise CheckFailed("\n".join(warnings))
        loaded = run(emacs, "-q", "--batch", "--eval", LOAD, cwd=folder)
        if not re.search(rf"/elpa/twospeed-{re.escape(VERSION)}/twospeed\.elc? t\)", loaded):
            raise CheckFailed(f"it was not loaded from the package: {loaded}")
    return archive.name


def _sources_with_url(folder: Path) -> list[str]:
    for path in SOURCES.glob("*.el"):
        shutil.copy(path, folder)
    main = folder / "twospeed.el"
    text = main.read_text("utf-8")
    if not re.search(r"^;; URL: ", text, re.MULTILINE):
        main.write_text(
            re.sub(r"^(;; Version: .*\n)", rf"\1;; URL: {URL}\n", text, flags=re.MULTILINE), "utf-8"
        )
    return sorted(path.name for path in folder.glob("*.el"))


def _has_lint(emacs: str, folder: Path) -> bool:
    return "yes" in run(
        emacs,
        "-q",
        "--batch",
        "--eval",
        '(progn (package-initialize) (princ (if (locate-library "package-lint") "yes" "no")))',
        cwd=folder,
    )
