#!/bin/sh
# Prove the page: it is what its sources make, its small parts keep their laws, and it keeps its promises in Chromium.
# PYTHON names one with the tests' requirements.
set -eu
cd "$(dirname "$0")/../../.."
here=tests/editors/web
page=editors/web
built=$page/dist
python=${PYTHON:-.venv/bin/python}

fail() {
    echo "$1" >&2
    exit 2
}

find_chromium() {
    command -v chromium || command -v chromium-browser || command -v google-chrome
}

need_chromium() {
    find_chromium >/dev/null && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing chromium ..."
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
            apt-get install -qq --no-install-recommends chromium >/dev/null || true
    fi
    find_chromium >/dev/null || fail "A browser is needed; install the package chromium of Debian or Ubuntu"
}

# bundle NAME: a test and what it imports, as one file that Node runs.
bundle() {
    $page/node_modules/.bin/esbuild $here/$1.ts --bundle --platform=node --format=esm --target=node20 \
        --main-fields=module,main --external:playwright-core --log-level=warning --outfile=$built/$1.mjs
}

npm_config_audit=false npm_config_fund=false npm_config_progress=false npm_config_update_notifier=false
export npm_config_audit npm_config_fund npm_config_progress npm_config_update_notifier
command -v npm >/dev/null || fail "Node.js 20 or newer with npm is needed"
"$python" -c 'import pytest, twospeed' 2>/dev/null || fail "$python is not ready: make test-web makes it so"
need_chromium
[ "$page/node_modules/.package-lock.json" -nt $page/package-lock.json ] || npm --prefix $page ci --silent
npm --prefix $page run --silent check

node $page/build.mjs $built/page
diff -r $built/page server/twospeed/cli/web_assets >&2 ||
    fail "server/twospeed/cli/web_assets is not what editors/web makes: make web"
bundle units
bundle journeys
node --test-reporter=dot $built/units.mjs
TWOSPEED_JOURNEYS=$PWD/$built/journeys.mjs TWOSPEED_CHROMIUM=$(find_chromium) "$python" -m pytest -s $here
