"""Normalize the language ids that editors send (LSP 3.17), and map file endings to them.

Some clients send a filetype, a major mode, a language name, or a compound such as ``yaml.ansible``. Sources:
Vim's and Neovim's ``filetype.vim``, Emacs' ``eglot-server-programs`` and ``lsp-language-id-configuration``,
Helix's ``languages.toml``.
"""

from __future__ import annotations

from functools import lru_cache

MAX_CHARS = 100
"""A longer id is returned unchanged."""

_IDS = """
abap ada asm astro bat bazel bibtex c clojure cmake coffeescript commonlisp cpp crystal csharp css cuda-cpp d dart
diff dockerfile dotenv elisp elixir elm emacs-lisp erlang fennel fish fortran fortran-modern fsharp gdscript
git-commit git-rebase glsl go go.mod go.sum go.work graphql groovy handlebars haskell hcl hlsl html ignore ini java
javascript javascriptreact jq json json5 jsonc jsonl julia kotlin latex less lisp lua makefile markdown matlab mdx
nim nix objective-c objective-cpp ocaml octave odin pascal perl perl6 php plaintext plsql powershell prolog
properties proto proto3 pug purescript python r racket raku razor restructuredtext ruby rust sass scala scheme scss
shaderlab shellscript solidity sql starlark stylus svelte svg swift tcl terraform tex toml typescript
typescriptreact v vb vhdl vim viml vue wgsl xml xsl yaml zig
"""

KNOWN = frozenset(_IDS.split())
"""The ids of LSP 3.17 and those that VS Code or its extensions register."""

_NAMES = {
    "asm": ("gas", "masm", "nasm"),
    "bat": ("batch", "cmd", "dosbatch"),
    "bazel": ("bzl",),
    "bibtex": ("bib",),
    "c": ("ansi-c",),
    "clojure": ("clj", "cljc", "cljs", "clojurec", "clojurescript"),
    "coffeescript": ("coffee",),
    "commonlisp": ("cl", "common lisp", "common-lisp"),
    "cpp": ("c++", "cc", "cxx", "gccextensions", "iso c++"),
    "csharp": ("c#", "c-sharp", "cs", "csx"),
    "css": ("pcss", "postcss"),
    "cuda-cpp": ("cu", "cuda", "cuda-c"),
    "dockerfile": ("containerfile", "docker"),
    "elixir": ("ex", "exs"),
    "emacs-lisp": ("el", "emacs lisp", "lisp-interaction"),
    "erlang": ("erl",),
    "fortran": ("f90",),
    "fsharp": ("f#", "fs", "fsx"),
    "git-commit": ("git commit", "gitcommit", "git-commit-message"),
    "git-rebase": ("git rebase", "gitrebase", "git-rebase-message"),
    "go": ("golang",),
    "go.mod": ("go mod", "go-mod", "gomod"),
    "go.sum": ("gosum",),
    "go.work": ("go work", "go-work", "gowork"),
    "graphql": ("gql", "graphqls"),
    "groovy": ("jenkinsfile",),
    "haskell": ("hs",),
    "html": ("angular", "django-html", "htm", "html5", "htmlangular", "htmldjango", "jinja-html", "mhtml", "vue-html", "xhtml"),
    "ignore": ("dockerignore", "git ignore", "git-ignore", "gitignore", "hgignore"),
    "ini": ("cfg", "desktop", "dosini", "editorconfig", "git config", "git-config", "gitconfig", "systemd"),
    "javascript": ("cjs", "ecma", "ecmascript", "javascript1.5", "js", "js2", "js3", "mjs", "node"),
    "javascriptreact": (
        "javascript react", "javascript react (jsx)", "javascript-jsx", "javascript.jsx", "js-jsx", "js2-jsx", "jsx", "rjsx",
    ),
    "json": ("geojson",),
    "jsonc": ("json with comments", "json-with-comments"),
    "jsonl": ("json lines", "ndjson"),
    "julia": ("jl",),
    "kotlin": ("kt", "kts"),
    "lua": ("luau",),
    "makefile": (
        "automake", "gmake", "gnumakefile", "make", "makefile-automake", "makefile-bsdmake", "makefile-gmake", "mk",
    ),
    "markdown": ("gfm", "markdown-inline", "md", "pandoc", "quarto", "rmd", "rmarkdown", "vimwiki"),
    "mdx": ("markdown.mdx",),
    "objective-c": ("obj-c", "objc", "objective c", "objectivec"),
    "objective-cpp": ("obj-c++", "objc++", "objcpp", "objective-c++", "objectivecpp"),
    "ocaml": ("ml", "ocaml interface", "ocaml-interface", "ocamlinterface", "tuareg"),
    "pascal": ("delphi", "objectpascal", "pas"),
    "perl": ("cperl", "pl"),
    "plaintext": ("fundamental", "plain text", "plain_text", "text", "txt"),
    "powershell": ("ps1", "psd1", "psm1", "pwsh"),
    "properties": ("java-properties", "javaproperties", "jproperties"),
    "proto": ("protobuf", "protocol buffers"),
    "pug": ("jade",),
    "python": ("cython", "ipython", "py", "python2", "python3", "sagemath"),
    "r": ("ess-r", "rscript"),
    "racket": ("rkt",),
    "restructuredtext": ("rest", "rst"),
    "ruby": ("rb",),
    "rust": ("rs",),
    "sass": ("sass indented",),
    "scheme": ("scm",),
    "shellscript": (
        "ash", "bash", "bash-script", "bats", "dash", "ebuild", "ksh", "mksh", "posix shell", "sh", "sh-script", "shell",
        "shell script", "shell-script", "zsh",
    ),
    "solidity": ("sol",),
    "sql": ("mssql", "mysql", "pgsql", "postgres", "postgresql", "sqlanywhere", "sqlite", "tsql"),
    "plsql": ("sqloracle",),
    "stylus": ("styl",),
    "terraform": ("opentofu", "opentofu-vars", "terraform-vars", "tf", "tfvars"),
    "tex": ("context", "plain tex", "plain-tex", "plaintex"),
    "latex": ("latex3",),
    "typescript": ("cts", "mts", "ts"),
    "typescriptreact": ("tsx", "typescript react", "typescript react (tsx)", "typescript-tsx", "typescript.tsx"),
    "vb": ("vb.net", "vbnet", "visual basic"),
    "viml": ("vimscript",),
    "xml": ("ant", "docbk", "nxml", "ps1xml", "xsd"),
    "xsl": ("xslt",),
    "yaml": (
        "ansible", "docker-compose", "dockercompose", "eyaml", "github-actions-workflow", "helm", "home-assistant", "yml",
    ),
}  # fmt: skip

_ALIASES = {alias: language_id for language_id, aliases in _NAMES.items() for alias in aliases}


@lru_cache(maxsize=256)
def canonical_language_id(raw_id: str) -> str:
    """Return the id of `KNOWN` for an id, an alias or a compound in any case; an unknown id unchanged."""
    if len(raw_id) > MAX_CHARS:
        return raw_id
    name = raw_id.strip().lower()
    for part in (name, *name.split(".")):
        language_id = _ALIASES.get(part, part)
        if language_id in KNOWN:
            return language_id
    return raw_id


_LANGUAGE_OF_SUFFIX = {
    ".bash": "shellscript", ".c": "c", ".cc": "cpp", ".cjs": "javascript", ".cpp": "cpp", ".cs": "csharp",
    ".css": "css", ".cts": "typescript", ".cxx": "cpp", ".go": "go", ".h": "c", ".hh": "cpp", ".hpp": "cpp",
    ".hs": "haskell", ".htm": "html", ".html": "html", ".hxx": "cpp", ".java": "java", ".js": "javascript",
    ".json": "json", ".jsonc": "jsonc", ".jsx": "javascriptreact", ".kt": "kotlin", ".kts": "kotlin",
    ".lua": "lua", ".md": "markdown", ".mjs": "javascript", ".mts": "typescript", ".php": "php",
    ".py": "python", ".pyi": "python", ".rb": "ruby", ".rs": "rust", ".sc": "scala", ".scala": "scala",
    ".sh": "shellscript", ".sql": "sql", ".swift": "swift", ".toml": "toml", ".ts": "typescript",
    ".tsx": "typescriptreact", ".yaml": "yaml", ".yml": "yaml", ".zsh": "shellscript",
}  # fmt: skip


def language_id_of(name: str) -> str:
    """Return the LSP language id for a file name, or ``plaintext``."""
    stem, _, suffix = name.rpartition(".")
    return _LANGUAGE_OF_SUFFIX.get(f".{suffix.lower()}", "plaintext") if stem else "plaintext"
