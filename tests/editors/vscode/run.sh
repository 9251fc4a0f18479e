#!/bin/sh
# Test the extension in the real VS Code workbench: code-server in Chromium, controlled by playwright-core.
# The first run installs them into .workbench (650 MB, five minutes). PYTHON is a Python with the requirements of the tests.
# With the argument `pictures` it makes the pictures of the documents instead.
set -eu
cd "$(dirname "$0")/../../.."
. tests/editors/install.sh
here=tests/editors/vscode
python=${PYTHON:-.venv/bin/python}

"$python" -c 'import pytest, twospeed' 2>/dev/null || fail "$python is not ready: run make test-vscode"
install_workbench "$python"
npm_ci editors/vscode
npm --prefix editors/vscode run --silent check
bundle_for_workbench workbench_tests
bundle_for_workbench extension_host
TWOSPEED_CHROMIUM=$(find_chromium)
export TWOSPEED_CHROMIUM TWOSPEED_WORKBENCH="$workbench" TWOSPEED_PLAYWRIGHT="$workbench"
[ "${1:-}" != pictures ] || exec "$python" -m tests.editors.vscode.pictures
"$python" -m pytest -s $here tests/editors/test_conformance.py -k "workbench or vscode or Code"
