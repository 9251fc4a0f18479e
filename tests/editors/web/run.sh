#!/bin/sh
# Test the page: compare the built files with the sources, and run its unit tests and its tests in Chromium.
# PYTHON is a Python with the requirements of the tests. Of the tests in Chromium, only those run whose names match the
# regular expression TWOSPEED_PAGE_ONLY, if it is set.
set -eu
cd "$(dirname "$0")/../../.."
. tests/editors/install.sh
here=tests/editors/web
page=editors/web
built=$page/dist
python=${PYTHON:-.venv/bin/python}

# bundle NAME: a test and what it imports, as one file that Node runs.
bundle() {
    $page/node_modules/.bin/esbuild $here/$1.ts --bundle --platform=node --format=esm --target=node20 \
        --main-fields=module,main --external:playwright-core --external:axe-core --log-level=warning --outfile=$built/$1.mjs
}

command -v npm >/dev/null || fail "Node.js 20 or newer with npm is needed"
"$python" -c 'import pytest, twospeed' 2>/dev/null || fail "$python is not ready: run make test-web"
need "The page" chromium
npm_ci $page
npm --prefix $page run --silent check

node $page/build.mjs $built/page
diff -r $built/page server/twospeed/cli/web_assets >&2 ||
    fail "server/twospeed/cli/web_assets differs from the build of editors/web: run make web"
bundle units
bundle page_tests
node --test-reporter=dot $built/units.mjs
TWOSPEED_PAGE_TESTS=$PWD/$built/page_tests.mjs TWOSPEED_PLAYWRIGHT=$PWD/$page TWOSPEED_CHROMIUM=$(find_chromium) \
    "$python" -m pytest -s $here tests/editors/test_conformance.py -k "web or Browser"
