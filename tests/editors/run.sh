#!/bin/sh
# Go the same journeys in every editor, and print a table of them. Installs what is missing: Emacs with Eglot and
# lsp-mode, Kate and Chromium from the system's packages, VS Code into .workbench. Where CI is true, an editor that cannot
# be installed is a failure; elsewhere it is left out. PYTHON names one with requirements-nvim.txt. EDITORS=terminal goes
# them in Neovim and Emacs alone, which are there in seconds.
set -eu
cd "$(dirname "$0")/../.."
. tests/editors/install.sh
python=${PYTHON:-.venv-nvim/bin/python}
emacs=${EMACS:-emacs}

# or_go_on STATUS: the last step installed an editor, and ended so.
or_go_on() {
    [ "$1" = 0 ] || [ "${CI:-}" != true ] || exit "$1"
}

build_extension() {
    npm_ci editors/vscode && npm --prefix editors/vscode run --silent build && bundle_for_workbench eyes
}

if [ "$emacs" = emacs ]; then
    status=0
    (need "Emacs" emacs-nox elpa-eglot elpa-lsp-mode) || status=$?
    or_go_on $status
fi
if [ "${EDITORS:-all}" = terminal ]; then
    set -- -k "neovim or emacs or lsp" "$@"
else
    status=0
    (need "Kate" kate xvfb xdotool xclip dbus at-spi2-core) || status=$?
    or_go_on $status
    [ $status != 0 ] || export TWOSPEED_KATE=kate
    status=0
    (install_workbench "$python") || status=$?
    or_go_on $status
    if [ $status = 0 ]; then
        PATH=$workbench/bin:$PATH
        export PATH TWOSPEED_WORKBENCH="$workbench" TWOSPEED_PLAYWRIGHT="$workbench"
        TWOSPEED_CHROMIUM=$(find_chromium)
        export TWOSPEED_CHROMIUM
        build_extension
    fi
fi
TWOSPEED_EMACS=$emacs exec "$python" -m pytest tests/editors/test_conformance.py "$@"
