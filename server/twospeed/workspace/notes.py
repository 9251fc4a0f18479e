"""A project's notes for models: ``AGENTS.md`` and ``.twospeed/rules.md`` at its root, as one text."""

from __future__ import annotations

from pathlib import Path

from .files import WorkspaceFiles

NOTES_FILES = ("AGENTS.md", ".twospeed/rules.md")

MAX_NOTES_BYTES = 4096
"""Limit of each file; the rest is omitted, and a line says so."""


def project_notes(files: WorkspaceFiles) -> str:
    """Return the notes; empty if there are none, or none that may be read."""
    return "".join(
        f"{name}:\n{_cut(text)}" for name in NOTES_FILES if (text := files.read(Path(name))) and text.strip()
    )


def _cut(text: str) -> str:
    text = text if text.endswith("\n") else text + "\n"
    raw = text.encode()
    if len(raw) <= MAX_NOTES_BYTES:
        return text
    kept = raw[:MAX_NOTES_BYTES].decode("utf-8", "ignore")
    kept = kept[: kept.rfind("\n") + 1] or kept + "\n"
    return f"{kept}(cut here: {len(raw) - len(kept.encode())} more bytes are left out)\n"
