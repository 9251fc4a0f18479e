"""Name the files that tools run, or obey, as soon as they are saved.

What streams into such a file can run before anybody has read it: editors save by themselves, watchers and hot reload
do the rest. So it is put there at once, and only after somebody said yes (R1.5 of the threat model in SECURITY.md).
Names alone are judged, and the list is a heuristic: it names what runs without being asked to.
"""

from __future__ import annotations

from twospeed.text.patterns.globs import first_match_of_file

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
    """Say why an edit of a file needs somebody's yes, ``None`` where it needs none.

    Args:
        path: The document's path, relative to the workspace's root where it is inside, else absolute. Case, Unicode
            composition, and dots and spaces at the end of a name make no difference.

    Returns:
        A phrase without a dot, to stand behind the file's name.
    """
    if first_match_of_file(path, RUN_BY_TOOLS):
        return "is run by tools, perhaps as soon as it is saved"
    if first_match_of_file(path, RULES_OF_AGENTS):
        return "tells tools what to do"
    return None
