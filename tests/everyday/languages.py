"""What is particular to the languages of the tables."""

EXTRA = (
    "csharp",
    "css",
    "haskell",
    "html",
    "json",
    "kotlin",
    "lua",
    "php",
    "ruby",
    "scala",
    "shellscript",
    "sql",
    "swift",
    "toml",
    "yaml",
)
"""Tables whose grammar comes with the extra ``all-languages``."""

FENCE_NAMES = {
    "csharp": "cs",
    "javascriptreact": "jsx",
    "plaintext": "",
    "shellscript": "bash",
    "typescriptreact": "tsx",
}
"""What models write behind a fence, where that is not the LSP language id."""
