"""What no compiler sees: the extension asks for no proposed API, and its lock files name no registry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXTENSION = ROOT / "editors/vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text("utf-8"))


def test_the_stable_api_of_the_oldest_version_is_enough():
    assert "enabledApiProposals" not in MANIFEST
    assert MANIFEST["engines"]["vscode"] == f"^{MANIFEST['devDependencies']['@types/vscode']}"


def test_a_workspace_cannot_name_the_program_that_is_started():
    settings = MANIFEST["contributes"]["configuration"]["properties"]
    assert settings["twospeed.command"]["scope"] == "machine"


@pytest.mark.parametrize("folder", [EXTENSION, Path(__file__).parent], ids=["extension", "workbench"])
def test_a_lock_file_names_hashes_and_no_registry(folder):
    packages = json.loads((folder / "package-lock.json").read_text("utf-8"))["packages"]
    locked = {name: package for name, package in packages.items() if name}
    assert all("integrity" in package and "resolved" not in package for package in locked.values())
