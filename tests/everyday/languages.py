"""What is particular to the languages of the tables."""

EXTRA = ("haskell", "kotlin", "scala", "swift")
"""Tables whose grammar comes with the extra ``all-languages``."""

FENCE_NAMES = {
    "csharp": "cs",
    "javascriptreact": "jsx",
    "plaintext": "",
    "shellscript": "bash",
    "typescriptreact": "tsx",
}
"""What models write behind a fence, where that is not the LSP language id."""
