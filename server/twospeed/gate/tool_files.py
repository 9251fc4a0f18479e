"""Files that tools execute, or obey, as soon as they are saved (a heuristic list of names).

Streamed text could run before the user has read it, because of auto-save, watchers and hot reload. So the
edit is applied at once, after the user confirms it (R1.5 of the threat model in SECURITY.md).
"""

from __future__ import annotations

from twospeed.text.globs import first_match_of_file

RUN_BY_TOOLS = (
    "package.json",
    "Makefile",
    "GNUmakefile",
    "conftest.py",
    "setup.py",
    "sitecustomize.py",
    ".pre-commit-config.yaml",
    "*.sh",
    "*.bash",
    "*.zsh",
    "*.fish",
    "*.ps1",
    "*.bat",
    "*.cmd",
    ".envrc",
    ".bashrc",
    ".zshrc",
    ".profile",
    ".git/",
    ".github/",
    ".gitlab-ci.yml",
    ".circleci/",
    ".husky/",
    ".vscode/",
    ".idea/",
    ".devcontainer/",
    ".zed/",
    ".helix/",
    "*.code-workspace",
    ".dir-locals.el",
    ".nvim.lua",
    ".exrc",
)

RULES_OF_AGENTS = (
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".cursor*",
    ".windsurf*",
    ".clinerules*",
    ".aider*",
    ".claude/",
    "copilot-instructions.md",
    ".mcp.json",
    ".twospeed.toml",
    ".twospeed/",
)


def confirmation_reason(path: str) -> str | None:
    """Return why an edit of a file needs confirmation, as a phrase that follows its name, or ``None``.

    A path outside the workspace is absolute. Case, Unicode composition, and dots and spaces at the end of a
    name make no difference.
    """
    if first_match_of_file(path, RUN_BY_TOOLS):
        return "is run by tools, possibly as soon as it is saved"
    if first_match_of_file(path, RULES_OF_AGENTS):
        return "contains instructions for tools"
    return None
