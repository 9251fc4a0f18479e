"""Facts about the languages of the tables."""

EXTRA = ("haskell", "kotlin", "scala", "swift")
"""Tables whose grammar is in the extra ``all-languages``."""

FENCE_NAMES = {
    "csharp": "cs",
    "javascriptreact": "jsx",
    "plaintext": "",
    "shellscript": "bash",
    "typescriptreact": "tsx",
}
"""The info string that models write after a fence, if it is not the LSP language id."""
