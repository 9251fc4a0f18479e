#!/bin/sh
# Prove the extension in the real VS Code workbench: code-server shown by Chromium, driven by playwright-core.
# The first run installs them into .workbench (650 MB, five minutes); PYTHON names one with the tests' requirements.
# With the argument `pictures` it makes those of the documents instead.
set -eu
cd "$(dirname "$0")/../../.."
. tests/editors/install.sh
here=tests/editors/vscode
python=${PYTHON:-.venv/bin/python}

"$python" -c 'import pytest, twospeed' 2>/dev/null || fail "$python is not ready: make test-vscode makes it so"
install_workbench "$python"
npm_ci editors/vscode
npm --prefix editors/vscode run --silent check
bundle_for_workbench inside
bundle_for_workbench eyes
TWOSPEED_CHROMIUM=$(find_chromium)
export TWOSPEED_CHROMIUM TWOSPEED_WORKBENCH="$workbench" TWOSPEED_PLAYWRIGHT="$workbench"
[ "${1:-}" != pictures ] || exec "$python" -m tests.editors.vscode.pictures
"$python" -m pytest -s $here tests/editors/test_conformance.py -k "workbench or vscode or Code"
