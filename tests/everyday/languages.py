"""What models write behind a fence, and what they put before a comment, where that is not the LSP language id."""

FENCE_NAMES = {
    "csharp": "cs",
    "javascriptreact": "jsx",
    "plaintext": "",
    "shellscript": "bash",
    "typescriptreact": "tsx",
}
