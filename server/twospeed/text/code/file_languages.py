"""Map a file suffix to an LSP language id."""

from __future__ import annotations

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
    """Return the LSP language id for a file name, or ``plaintext`` (LSP 3.17, "TextDocumentItem")."""
    stem, _, suffix = name.rpartition(".")
    return _LANGUAGE_OF_SUFFIX.get(f".{suffix.lower()}", "plaintext") if stem else "plaintext"
