"""Build the files of a release, install each into an empty environment, and make an edit with it: ``make release-check``.

``python -m tests.release.check [--skip-vsix]``. Each file is used from an empty folder with an empty home, so that nothing of
the checkout helps. It prints one line for each check and exits with 1 if one fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
URL = os.environ.get("TWOSPEED_URL") or "https://project.invalid/twospeed"
EXAMPLE = ROOT / "examples" / "inventory.py"
PLACE, INSTRUCTION = "41", "rename total to worth"
RELATIVE_LINK = re.compile(r"\]\((?!#|[a-z]+:)[^)]+\)")
IN_VSIX = {"dist/extension.js", "icon.png", "license", "package.json", "readme"}


class CheckFailed(Exception):
    """What is wrong with a file."""


def main() -> int:
    """Build and check; return the exit status."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--skip-vsix", action="store_true", help="without Node.js")
    skips_vsix = options.parse_args().skip_vsix
    checks: dict[str, Callable[[], str]] = {
        "wheel and sdist are built": _build,
        "twine accepts them": _twine,
        "their description has no relative link": _description,
        "an edit with the wheel": lambda: _edit_with(_only("*.whl")),
        "an edit with the sdist": lambda: _edit_with(_only("*.tar.gz")),
    }
    if not skips_vsix:
        checks["the VSIX has the extension and nothing else"] = _vsix
    failed = 0
    for name, check in checks.items():
        began = perf_counter()
        try:
            note = check()
        except (CheckFailed, subprocess.CalledProcessError) as error:
            failed += 1
            output = getattr(error, "stdout", None) or ""
            print(f"FAILED  {name}: {error}\n{output[-2000:]}")
        else:
            print(f"ok      {name}: {note} ({perf_counter() - began:.0f} s)", flush=True)
    return int(failed > 0)


def _build() -> str:
    for old in DIST.glob("twospeed-*"):
        old.unlink()
    _run(sys.executable, "-m", "hatchling", "build", "-d", str(DIST), cwd=ROOT, TWOSPEED_URL=URL)
    return ", ".join(
        f"{each.name} {each.stat().st_size // 1024} KB" for each in sorted(DIST.glob("twospeed-*"))
    )


def _twine() -> str:
    _run(sys.executable, "-m", "twine", "check", "--strict", str(_only("*.whl")), str(_only("*.tar.gz")))
    return "no warning"


def _description() -> str:
    with zipfile.ZipFile(_only("*.whl")) as wheel:
        [name] = [each for each in wheel.namelist() if each.endswith(".dist-info/METADATA")]
        text = wheel.read(name).decode()
    if found := RELATIVE_LINK.findall(text):
        raise CheckFailed(f"relative links: {', '.join(found)}")
    return f"{text.count(URL)} links to {URL}"


def _edit_with(package: Path) -> str:
    with _empty_folder() as folder:
        _run(sys.executable, "-m", "venv", str(folder / "environment"))
        bin_folder = folder / "environment" / "bin"
        _run(str(bin_folder / "python"), "-m", "pip", "-qq", "install", str(package))
        version = _run(str(bin_folder / "twospeed"), "--version", cwd=folder).strip()
        if _version_of(package) not in version:
            raise CheckFailed(f"{version} is not the version of {package.name}")
        path = folder / EXAMPLE.name
        path.write_bytes(EXAMPLE.read_bytes())
        _run(str(bin_folder / "twospeed"), "edit", f"{path.name}:{PLACE}", INSTRUCTION, "--write", cwd=folder)
        before, after = EXAMPLE.read_text("utf-8"), path.read_text("utf-8")
        if before == after or re.search(r"\btotal\b", after) or "worth" not in after:
            raise CheckFailed("the edit did not rename")
        return version


def _vsix() -> str:
    folder = ROOT / "editors" / "vscode"
    _run("npm", "ci", "--silent", "--no-audit", "--no-fund", cwd=folder)
    _run("npm", "run", "--silent", "package", cwd=folder)
    path = folder / "dist" / "twospeed.vsix"
    with zipfile.ZipFile(path) as vsix:
        names = {each.removeprefix("extension/") for each in vsix.namelist() if each.startswith("extension/")}
        files = {re.sub(r"\.(?:md|txt)$", "", name.lower()) for name in names}
    if files != IN_VSIX:
        raise CheckFailed(f"it has {', '.join(sorted(names))}")
    return f"{path.stat().st_size // 1024} KB"


def _only(pattern: str) -> Path:
    found = list(DIST.glob(pattern))
    if len(found) != 1:
        raise CheckFailed(f"dist has {len(found)} files {pattern}")
    return found[0]


def _version_of(package: Path) -> str:
    return package.name.removesuffix(".tar.gz").split("-")[1]


@contextmanager
def _empty_folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="twospeed-release-") as folder:
        yield Path(folder)


def _run(*command: str, cwd: Path | None = None, **variables: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TWOSPEED", "PYTHON"))}
    environment: Mapping[str, str] = {**kept, **variables}
    if cwd and not cwd.is_relative_to(ROOT):
        environment = {**environment, "HOME": str(cwd), "NO_COLOR": "1"}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
